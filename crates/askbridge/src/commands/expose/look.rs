//! `askbridge expose` alone: what there is here, and what to type.

use std::net::{IpAddr, Ipv4Addr, TcpListener};

use askbridge_bridge::clock::Clock;
use askbridge_bridge::server::{RenewalState, Tls};

use super::check::{Reached, ask_from_outside};
use super::finish::authorities;
use super::record::Record;
use super::{acme, tailscale};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::reach::seen_from_outside;
use crate::settings::{Settings, has_program};

pub(super) async fn run(settings: &Settings, record: Option<&Record>) -> Result<Exit, Failure> {
    let by_hand = || settings.top.public_url.as_deref().filter(|url| url.starts_with("https://"));
    match (record, by_hand()) {
        (Some(record), _) => {
            exposed(settings, &record.url, &record.way, "; undo all this with `askbridge expose off`").await
        }
        (None, Some(url)) => exposed(settings, url, "as your own settings say", "").await,
        (None, None) => recommend(settings).await,
    }
}

/// Says how the way that was chosen is doing.
async fn exposed(settings: &Settings, url: &str, way: &str, undo: &str) -> Result<Exit, Failure> {
    print(&format!("people open {url} ({way})"))?;
    if let Some(source) = settings.certificate_source()? {
        let files = source.files();
        let days = |ms: i64| ms / (24 * 60 * 60 * 1000);
        match Tls::validity(&files) {
            Ok(validity) => {
                let left = validity.until.0 - Clock::System.now().0;
                print(&format!("the certificate is valid for {} more days", days(left)))?;
            }
            Err(error) => print(&format!("the certificate cannot be used: {error}"))?,
        }
        if let Some(why) = RenewalState::read(&RenewalState::file(&files)).and_then(|state| state.why) {
            print(&format!("its renewal failed: {}", visible(&why)))?;
        }
    }
    match ask_from_outside(settings, url, authorities(settings)?).await? {
        Reached::Us => print(&format!("{url} answers, and it is this askbridge"))?,
        Reached::Not(why) => {
            let what = format!("{url} does not lead here: {}", visible(&why));
            return Err(
                Failure::new(what).hint("is askbridge running, and was it started since? see `askbridge doctor`")
            );
        }
    }
    tell(&format!("pair a phone with `askbridge pair`{undo}"));
    Ok(Exit::Good)
}

/// Looks around, and lists the ways that would work here, the best one first.
async fn recommend(settings: &Settings) -> Result<Exit, Failure> {
    let mut ways: Vec<(String, String)> = Vec::new();
    match tailscale::here().await {
        Ok(here) => ways.push((
            format!("Tailscale is connected, as {}: only your own devices can reach it there", here.name),
            "askbridge expose tailscale".to_owned(),
        )),
        Err(_) if has_program("tailscale") => ways.push((
            "Tailscale is installed, and not connected".to_owned(),
            "sudo tailscale up && askbridge expose tailscale".to_owned(),
        )),
        Err(_) => {}
    }
    let address = seen_from_outside(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let is_free = |port: u16| TcpListener::bind((Ipv4Addr::UNSPECIFIED, port));
    let taken = matches!(is_free(443), Err(error) if error.kind() == std::io::ErrorKind::AddrInUse);
    for (program, word) in [("nginx", "nginx"), ("caddy", "caddy"), ("cloudflared", "cloudflare")] {
        if has_program(program) {
            ways.push((
                format!("{program} is installed: it can pass requests on"),
                format!("askbridge expose proxy {word} --name NAME"),
            ));
        }
    }
    match address {
        Some(ip) if is_public(ip) && !taken => {
            ways.push((
                format!("this machine has the public address {ip}, and port 443 is free; with a name that leads to it"),
                "askbridge expose acme --name NAME".to_owned(),
            ));
            ways.push(("and without a name".to_owned(), format!("askbridge expose acme --address {ip}")));
        }
        Some(_) if !taken => ways.push((
            "port 443 is free: if you have a name, and your router forwards that port to this machine".to_owned(),
            "askbridge expose acme --name NAME".to_owned(),
        )),
        _ => {}
    }
    if let Some(ip) = address.filter(|ip| !is_public(*ip)) {
        ways.push((
            format!("this machine has the address {ip} in your own network; each device installs a certificate once"),
            "askbridge expose lan".to_owned(),
        ));
    }
    if ways.is_empty() {
        print("this machine has no network that others could reach it through")?;
        return Ok(Exit::Good);
    }
    for (what, command) in ways {
        print(&format!("{what}\n  {command}"))?;
    }
    for folder in acme::folders(settings) {
        tell(&format!("there are certificates from before in `{}`; they are used again", folder.display()));
    }
    tell("with --dry-run each shows what it would do");
    Ok(Exit::Good)
}

/// Can the internet reach this address, as far as the address says?
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            let is_shared = a == 100 && (64..128).contains(&b);
            !(ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation() || is_shared)
        }
        IpAddr::V6(ip) => ip.segments()[0] & 0xe000 == 0x2000,
    }
}
