//! `askbridge expose tailscale`: through `tailscale serve`, or with the certificate that Tailscale provides.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::Context;
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::server::{CertificateSource, Challenges, Tailscale};
use serde::Deserialize;
use tokio::process::Command;

use super::args::TailscaleArgs;
use super::plan::{Plan, https};
use super::record::private_folder;
use crate::failure::Failure;
use crate::output::tell;
use crate::settings::{Settings, has_program};

const WAY: &str = "tailscale";

/// What `tailscale status --json` says of this machine.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Status {
    backend_state: String,
    #[serde(rename = "Self")]
    this: Option<Machine>,
}

#[derive(Debug, Deserialize)]
struct Machine {
    /// With a dot at its end.
    #[serde(rename = "DNSName", default)]
    name: String,
    #[serde(rename = "TailscaleIPs", default)]
    addresses: Vec<IpAddr>,
}

/// This machine in its tailnet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Here {
    pub(super) name: String,
    address: Option<IpAddr>,
}

/// Asks Tailscale's program. `Err`: why it is of no use, and what to do.
pub(super) async fn here() -> Result<Here, Failure> {
    if !has_program("tailscale") {
        return Err(Failure::new("there is no `tailscale` on PATH")
            .hint("install it (https://tailscale.com/download), then `sudo tailscale up`"));
    }
    let output = Command::new("tailscale").args(["status", "--json"]).stdin(Stdio::null()).output().await;
    let output = output.context("could not run `tailscale status --json`")?;
    read(&output.stdout)
}

fn read(json: &[u8]) -> Result<Here, Failure> {
    let status: Status = serde_json::from_slice(json).map_err(|_| {
        Failure::new("`tailscale status --json` says nothing that we know").hint("is `tailscaled` running?")
    })?;
    if status.backend_state != "Running" {
        let what = format!("Tailscale is not connected ({})", status.backend_state);
        return Err(Failure::new(what).hint("connect it with `sudo tailscale up`"));
    }
    let this = status.this.ok_or_else(|| Failure::new("Tailscale does not know this machine"))?;
    let name = this.name.trim_end_matches('.').to_ascii_lowercase();
    if name.is_empty() {
        return Err(Failure::new("this machine has no name in its tailnet")
            .hint("switch MagicDNS and HTTPS certificates on: https://login.tailscale.com/admin/dns"));
    }
    Ok(Here { name, address: this.addresses.into_iter().next() })
}

pub(super) async fn plan(settings: &Settings, args: &TailscaleArgs) -> Result<Plan, Failure> {
    let here = here().await?;
    if !args.certificate {
        let mut plan = Plan::new(WAY, https(&here.name, 443));
        // What it passes on comes from this machine, and is not.
        plan.set("", "behind_proxy", true);
        plan.steps.push(format!("run `{}`", serve(settings).join(" ")));
        plan.undo = vec![["tailscale", "serve", "--https=443", "off"].map(str::to_owned).to_vec()];
        return Ok(plan);
    }
    let address = args.https.or_else(|| Some(SocketAddr::new(here.address?, 443)));
    let address = address.ok_or_else(|| Failure::new("this machine has no address in its tailnet"))?;
    let (certificate, key) = files(settings);
    let mut plan = Plan::new(WAY, https(&here.name, address.port()));
    plan.set_path("tls", "cert", &certificate);
    plan.set_path("tls", "key", &key);
    plan.set("tls", "listen", address.to_string());
    plan.set("tls", "tailscale", here.name.clone());
    plan.steps.push(format!("run `tailscale cert` for {}", here.name));
    Ok(plan)
}

pub(super) async fn carry_out(settings: &Settings, args: &TailscaleArgs) -> Result<(), Failure> {
    if args.certificate {
        let (certificate, key) = files(settings);
        private_folder(&settings.tls_folder().join("tailscale"))?;
        let source = CertificateSource::Tailscale(Tailscale { name: here().await?.name, certificate, key });
        let obtained = source.obtain(&Challenges::default(), &Clock::System, &Chance::System).await;
        return obtained.map_err(|error| Failure::from(anyhow::Error::from(error)).hint(OPERATOR));
    }
    let command = serve(settings);
    tell(&format!("running `{}`", command.join(" ")));
    // It may ask for consent, with an address to open: the person has to see it.
    let status = Command::new(&command[0]).args(&command[1..]).stdin(Stdio::null()).status().await;
    match status.context("could not run `tailscale serve`")?.success() {
        true => Ok(()),
        false => Err(Failure::new("`tailscale serve` failed; nothing was changed").hint(OPERATOR)),
    }
}

const OPERATOR: &str = "without root it has to be allowed once: `sudo tailscale set --operator=$USER`. HTTPS certificates are \
                        switched on at https://login.tailscale.com/admin/dns";

fn serve(settings: &Settings) -> Vec<String> {
    let port = settings.served_address().port();
    ["tailscale", "serve", "--bg", &port.to_string()].map(str::to_owned).to_vec()
}

fn files(settings: &Settings) -> (PathBuf, PathBuf) {
    let folder = settings.tls_folder().join("tailscale");
    (folder.join("certificate.pem"), folder.join("key.pem"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_this_machine_is_found_in_what_tailscale_says_of_itself() {
        let said = br#"{"Version":"1.90.1","BackendState":"Running","Self":{"DNSName":"Desk.tail1234.ts.net.",
            "TailscaleIPs":["100.101.102.103","fd7a:115c:a1e0::1"],"Online":true}}"#;
        let here = read(said).unwrap();
        assert_eq!((here.name.as_str(), here.address), ("desk.tail1234.ts.net", "100.101.102.103".parse().ok()));
        for (said, why) in [
            (r#"{"BackendState":"NeedsLogin"}"#, "not connected (NeedsLogin)"),
            (r#"{"BackendState":"Running","Self":{"DNSName":""}}"#, "no name in its tailnet"),
            ("not running", "says nothing that we know"),
        ] {
            let failed = read(said.as_bytes()).unwrap_err().to_string();
            assert!(failed.contains(why), "{failed}");
        }
    }
}
