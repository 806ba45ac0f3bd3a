//! Asks from outside: does this address lead to this very server, over https that devices trust?

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use anyhow::Context;
use askbridge_bridge::chance::Chance;
use askbridge_bridge::outbound::{Authorities, Call, Failed, Outbound, OutboundOptions};
use askbridge_bridge::server::REACH_PATH;

use crate::failure::Failure;
use crate::settings::Settings;

/// What was found at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reached {
    /// This server.
    Us,
    /// Something else, or nothing. Why, in words.
    Not(String),
}

/// The file with the nonce, which is removed when the question is over.
struct Nonce {
    path: PathBuf,
    text: String,
}

impl Nonce {
    fn write(settings: &Settings) -> Result<Self, Failure> {
        let text = format!("{:032x}{:032x}", Chance::System.u128(), Chance::System.u128());
        let path = settings.reach_file();
        let wrong = || format!("could not write `{}`", path.display());
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(wrong)?;
        }
        let _ = fs::remove_file(&path);
        let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).with_context(wrong)?;
        Ok(Self { path, text })
    }
}

impl Drop for Nonce {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Sends one request to the address, as a device elsewhere would.
pub(crate) async fn ask_from_outside(
    settings: &Settings,
    url: &str,
    authorities: Authorities,
) -> Result<Reached, Failure> {
    let nonce = Nonce::write(settings)?;
    let outbound = Outbound::new(OutboundOptions { authorities, ..settings.calls.clone() });
    // The operator's own address, which may be in a private network.
    let call = Call { named_by_operator: true, ..Call::get(format!("{url}{REACH_PATH}{}", nonce.text)) };
    Ok(match outbound.call(call).await {
        Ok(answered) if answered.status == 200 && &answered.body[..] == b"askbridge\n" => Reached::Us,
        Ok(answered) => Reached::Not(match answered.status {
            502..=504 => {
                format!("something in front of askbridge answers with {}: it does not reach askbridge", answered.status)
            }
            403 => "a server answers that does not know this name (403)".to_owned(),
            404 => "a server answers, and it is not this askbridge (404)".to_owned(),
            status @ 300..400 => format!("a server answers, and leads elsewhere ({status})"),
            status => format!("a server answers, and it is not this askbridge ({status})"),
        }),
        Err(failed @ (Failed::Connect { .. } | Failed::NoAnswer { .. })) if is_about_trust(&failed) => {
            Reached::Not(format!("its certificate is not trusted on this machine: {failed}"))
        }
        Err(failed) => Reached::Not(match std::error::Error::source(&failed) {
            Some(source) => format!("{failed}: {source}"),
            None => failed.to_string(),
        }),
    })
}

fn is_about_trust(failed: &Failed) -> bool {
    let said = failed.to_string();
    said.contains("certificate") || said.contains("UnknownIssuer")
}
