//! `askbridge expose lan`: your own network, with an authority that can certify this machine and nothing else.

use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};

use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::server::{Authority, Offer, PROFILE_PATH, ROOT_PATH, Tls, TlsFiles};
use askbridge_platform::ourselves;

use super::args::LanArgs;
use super::finish::show_code;
use super::plan::{Plan, https};
use crate::failure::Failure;
use crate::output::tell;
use crate::reach::seen_from_outside;
use crate::settings::Settings;

pub(super) const WAY: &str = "lan";

pub(super) async fn plan(settings: &Settings, args: &LanArgs) -> Result<Plan, Failure> {
    let names = names(args)?;
    let authority = authority(settings);
    let first = opened_at(&names);
    let mut plan = Plan::new(WAY, https(&first, args.https.port()));
    plan.set_path("tls", "cert", &authority.certificate());
    plan.set_path("tls", "key", &authority.certificate());
    plan.set("tls", "listen", args.https.to_string());
    plan.set_path("tls", "authority", &authority.folder);
    if is_new(&authority, args, &names) {
        plan.steps.push(format!("make an authority for {} and nothing else", names.join(", ")));
    }
    Ok(plan)
}

/// Makes the authority, unless it is there and for the same names.
pub(super) fn carry_out(settings: &Settings, args: &LanArgs) -> Result<(), Failure> {
    let (names, authority) = (names(args)?, authority(settings));
    if !is_new(&authority, args, &names) {
        return Ok(());
    }
    if authority.names().is_some() {
        tell("the names are not those from before, so this is a new authority: every device has to install it");
    }
    let title = ourselves::host_name().unwrap_or_else(|| "this machine".to_owned());
    authority.make(&names, &title, Clock::System.now(), &Chance::System).map_err(anyhow::Error::from)?;
    tell(&format!("made an authority for {} and nothing else; the key of its root is kept nowhere", names.join(", ")));
    Ok(())
}

fn is_new(authority: &Authority, args: &LanArgs, names: &[String]) -> bool {
    let files = TlsFiles { certificate: authority.certificate(), key: authority.certificate() };
    let is_good = Tls::covers(&files, names).unwrap_or(false);
    args.anew || !is_good || authority.names().as_deref() != Some(names)
}

/// What a device installs before it can trust us.
pub(super) fn offer(settings: &Settings, plan: &Plan) -> Result<(), Failure> {
    let Some(offer) = Offer::read(&authority(settings).root()) else { return Ok(()) };
    let plain = plan.url.replacen("https://", "http://", 1);
    tell("\nFirst, each device has to trust the certificate. On an iPhone or iPad, open this in Safari:");
    show_code(&format!("{plain}{PROFILE_PATH}"))?;
    tell(
        "allow the download, install it in Settings → General → VPN & Device Management, and switch it on in Settings → \
         General → About → Certificate Trust Settings. On Android and elsewhere, open this:",
    );
    show_code(&format!("{plain}{ROOT_PATH}"))?;
    tell(&format!(
        "and install it as a CA certificate in the settings (Security → Encryption & credentials). It came over an \
         unencrypted connection: compare its SHA-256 fingerprint on the device with this one before you trust it:\n{}\n",
        offer.fingerprint()
    ));
    Ok(())
}

fn authority(settings: &Settings) -> Authority {
    Authority { folder: settings.tls_folder().join("lan") }
}

/// The names and addresses that the certificate is for.
fn names(args: &LanArgs) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = args.name.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
    names.extend(args.address.iter().map(ToString::to_string));
    if names.is_empty() {
        names.extend(ourselves::host_name().map(|name| format!("{name}.local")));
        names.extend(seen_from_outside(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).map(|ip| ip.to_string()));
    }
    let fits = |name: &String| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
        name.parse::<IpAddr>().is_ok() || (!name.is_empty() && name.bytes().all(is_part) && !name.starts_with('.'))
    };
    if let Some(wrong) = names.iter().find(|name| !fits(name)) {
        return Err(Failure::usage(format!("`{wrong}` is neither a host name nor an address")));
    }
    match names.is_empty() {
        true => Err(Failure::new("this machine has neither a name nor an address that your network could know")
            .hint("name them: `askbridge expose lan --name NAME --address IP`")),
        false => Ok(names),
    }
}

/// The first name that this machine can find by itself, because then others probably can; else an address.
fn opened_at(names: &[String]) -> String {
    let is_found = |name: &&String| (name.as_str(), 0).to_socket_addrs().is_ok_and(|mut found| found.next().is_some());
    let is_address = |name: &&String| name.parse::<IpAddr>().is_ok();
    let named = names.iter().find(|name| !is_address(name) && is_found(name));
    named.or_else(|| names.iter().find(is_address)).or(names.first()).cloned().unwrap_or_default()
}
