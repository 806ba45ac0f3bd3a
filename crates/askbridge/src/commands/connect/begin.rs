//! Asks for the tap that connects this machine, and waits for it.

use std::fs;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use askbridge_bridge::outbound::Authorities;
use askbridge_platform::ourselves;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use crate::client::{Backoff, Client, Connection, Error, PendingConnection};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

/// How long one request waits for the tap; then it is sent again.
const PATIENCE: Duration = Duration::from_secs(10);
const PATH: &str = "/v1/connections";

/// What was typed.
pub(super) struct NewConnection {
    pub(super) home: String,
    pub(super) name: Option<String>,
    pub(super) ca: Option<PathBuf>,
    pub(super) json: bool,
}

#[derive(Deserialize)]
struct Made {
    name: String,
}

#[derive(Deserialize)]
struct Me {
    role: String,
}

pub(super) async fn begin(settings: &Settings, new: NewConnection) -> Result<Exit, Failure> {
    let url = checked(&new.home)?;
    no_agent_does_this(settings).await?;
    if let Some(known) = Connection::read(settings)? {
        if known.url != url {
            let what = format!("this machine is connected to {} already", known.url);
            return Err(Failure::new(what).hint("type `askbridge disconnect` first"));
        }
        // A revoked one is made anew.
        if Client::home(&known)?.get("/v1/me").await.is_ok() {
            return done(&known, new.json);
        }
    }
    let name = match new.name {
        Some(name) => name.trim().to_owned(),
        None => ourselves::machine_name().ok_or_else(|| {
            Failure::usage("this machine has no name").hint("name it: `askbridge connect URL --name laptop`")
        })?,
    };
    let authority = new.ca.map(|path| read_authority(&path)).transpose()?;
    let pending = PendingConnection::begin(settings, &url, &name, authority)?;
    let connection = match asked(&pending).await {
        Ok(made) => pending.connection.called(made.name),
        Err(Stopped::Interrupted) => {
            tell("interrupted; this machine is not connected, and the request is taken back in a moment");
            return Ok(Exit::Interrupted);
        }
        Err(Stopped::Failed(error)) => {
            if matches!(&error, Error::Refused(_)) {
                PendingConnection::forget(settings);
            }
            return Err(explained(error));
        }
    };
    connection.write(settings)?;
    done(&connection, new.json)
}

fn done(connection: &Connection, as_json: bool) -> Result<Exit, Failure> {
    let Connection { url, name, .. } = connection;
    if as_json {
        print(&json!({"connected": true, "url": url, "name": name}).to_string())?;
    } else {
        print(&format!("connected to {url} as {}", visible(name)))?;
        tell("hooks, MCP and `askbridge ask` of this machine ask there from now on; see `askbridge connect --status`");
    }
    Ok(Exit::Good)
}

enum Stopped {
    Interrupted,
    Failed(Error),
}

/// Asks until the tap is given or refused.
async fn asked(pending: &PendingConnection) -> Result<Made, Stopped> {
    let PendingConnection { connection, digest } = pending;
    let client = Client::stranger(&connection.url, connection.trust());
    let client = client.map_err(|failure| Stopped::Failed(Error::Strange(failure.what())))?;
    let body = json!({"name": connection.name, "token_sha256": digest});
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt()).ok(), signal(SignalKind::terminate()).ok());
    let interrupted = async {
        match (&mut interrupt, &mut terminate) {
            (Some(interrupt), Some(terminate)) => {
                tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            }
            _ => std::future::pending().await,
        }
    };
    tokio::select! {
        made = until_tapped(&client, &body) => made.map_err(Stopped::Failed),
        () = interrupted => Err(Stopped::Interrupted),
    }
}

async fn until_tapped(client: &Client, body: &Value) -> Result<Made, Error> {
    let mut backoff = Backoff::default();
    let (mut told, mut shown) = (false, None);
    loop {
        let (path, wait) = match told {
            false => (PATH.to_owned(), Duration::ZERO),
            true => (format!("{PATH}?wait={}", PATIENCE.as_secs()), PATIENCE),
        };
        match client.call(Method::POST, &path, body, None, wait).await {
            Ok(reply) => return reply.json(),
            Err(error) if error.needs_a_tap() => {
                let code = error.tap_code();
                if !told {
                    tell(&format!(
                        "allow this on a device that is paired there{}\n\
                         waiting for it; Ctrl-C takes it back",
                        code.as_ref().map(|code| format!("; it has to show the code {code}")).unwrap_or_default()
                    ));
                    told = true;
                } else if let Some(code) = code.as_ref().filter(|_| code != shown) {
                    // It was taken back while home was down or out of reach.
                    tell(&format!("the device is asked anew; now it has to show the code {code}"));
                }
                shown = code;
                backoff = Backoff::default();
            }
            // Only after it has answered once: an address may be mistyped.
            Err(Error::Unreachable { .. } | Error::Lost { .. }) if told => backoff.wait().await,
            Err(error) => return Err(error),
        }
    }
}

/// Says what to do about a refusal.
fn explained(error: Error) -> Failure {
    let hint = match &error {
        Error::Untrusted { .. } => {
            "if an authority of your own vouches for it, name its certificate with `--ca FILE`; connect with no address \
             that cannot prove who it is"
        }
        Error::Refused(problem) if problem.code == "tap_denied" => "nothing was connected",
        Error::Refused(problem) if problem.code == "tap_expired" => {
            "type it again, and allow it on the phone within ten minutes"
        }
        Error::Refused(problem) if problem.code == "unknown_address" => {
            "that askbridge is of a release that connects no machines: upgrade it"
        }
        Error::Strange(_) => "is an askbridge at this address? `curl URL/healthz` says so",
        _ => return Failure::from(error),
    };
    let exit = if matches!(error, Error::Untrusted { .. }) { Exit::Unreachable } else { Exit::Failed };
    Failure::new(error).exit(exit).hint(hint)
}

/// Checks the address, and that a token sent there is not sent in the clear over a network.
fn checked(home: &str) -> Result<String, Failure> {
    let url = home.trim().trim_end_matches('/');
    let wrong = |why: &str| {
        let hint = "write it as people open it, like `https://ask.example.org`";
        Failure::usage(format!("`{home}` {why}")).hint(hint)
    };
    let Some((scheme, host)) = url.split_once("://") else { return Err(wrong("has no `https://` in front")) };
    if host.is_empty() || host.contains(['/', '?', '#', '@']) {
        return Err(wrong("is more than a name and perhaps a port"));
    }
    match scheme.to_ascii_lowercase().as_str() {
        "https" => Ok(url.to_owned()),
        "http" if is_loopback(host) => Ok(url.to_owned()),
        "http" => {
            let hint = "serve it with https: see docs/guides/proxy.md. Or bring it here through a tunnel, with `ssh -L \
                        4761:127.0.0.1:4760 HOST`, and connect to `http://127.0.0.1:4761`";
            Err(Failure::usage(format!("`{home}` would send the token of this machine in the clear")).hint(hint))
        }
        _ => Err(wrong("has no `https://` in front")),
    }
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    };
    let name = name.trim_matches(['[', ']']);
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn read_authority(path: &std::path::Path) -> Result<String, Failure> {
    let shown = path.display();
    let pem = fs::read_to_string(path).with_context(|| format!("could not read `{shown}` (`--ca`)"))?;
    Authorities::read(pem.as_bytes())
        .map_err(|why| Failure::new(format!("could not make sense of `{shown}` (`--ca`): {why}")))?;
    Ok(pem)
}

/// Where its questions are answered is not for an agent to choose. Only a server on this machine knows its agents;
/// without one, this is not checked.
async fn no_agent_does_this(settings: &Settings) -> Result<(), Failure> {
    let me = Client::local(settings).get("/v1/me").await.and_then(|reply| reply.json::<Me>());
    match me {
        Ok(me) if me.role == "agent" => {
            let what =
                "an agent does not choose where its questions are answered, and neither does anything that it starts";
            Err(Failure::new(what).hint("type this in a terminal of your own"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_or_on_this_machine() {
        let read = |url: &str| checked(url).map_err(|failure| failure.what());
        assert_eq!(read("https://ask.example.org/"), Ok("https://ask.example.org".to_owned()));
        for here in ["http://127.0.0.1:4761", "http://localhost:1", "http://[::1]:4761", "http://localhost"] {
            assert_eq!(read(here), Ok(here.to_owned()));
        }
        for clear in ["http://ask.example.org", "http://192.168.1.5:4760", "http://localhost.example.org"] {
            assert!(read(clear).is_err_and(|why| why.contains("in the clear")), "{clear}");
        }
        for wrong in ["ask.example.org", "ftp://x", "https://", "https://a/b", "https://a@b", "https://a?b"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
