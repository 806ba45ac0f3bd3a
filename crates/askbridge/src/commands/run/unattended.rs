//! `askbridge run --unattended`: runs a program with a token of its own, and says at the end what was decided without a
//! person.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

use crate::client::Client;
use crate::commands::digest::{Groups, as_json, in_words};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, tell};
use crate::settings::Settings;

#[derive(Debug, Deserialize)]
struct Made {
    id: String,
    token: String,
}

/// The asks of the run, by what became of them.
#[derive(Debug, Default)]
struct Asked {
    without_a_person: Groups,
    by_a_person: u64,
    /// Expired, withdrawn or overtaken.
    otherwise: u64,
    still_open: u64,
}

pub(super) async fn run(settings: &Settings, how: &str, json: bool, command: &[OsString]) -> Result<Exit, Failure> {
    let local = Client::local(settings);
    // A token of its own tells the asks of this run from all others.
    let wanted = json!({"name": "unattended", "unattended": how});
    let made: Made = local.post("/v1/tokens", &wanted).await?.json()?;
    let began = std::time::Instant::now();
    let ended = child(settings, &made.token, command).await;
    let asked = asked(&Client::here(settings, Some(made.token))).await;
    let revoked = local.with_tap(Method::DELETE, &format!("/v1/tokens/{}", made.id), &Value::Null).await;
    if let Err(error) = revoked {
        tell(&format!("warning: the token of this run could not be revoked: {error}"));
    }
    let code = ended?;
    match asked {
        Ok(asked) => tell(&told(&asked, began.elapsed(), code, json)),
        Err(error) => tell(&format!("warning: what was decided cannot be shown: {error}")),
    }
    // Beyond the codes of our own: it is the program's.
    std::process::exit(code)
}

/// Runs the program below another of ourselves, which is known as an agent. Returns its exit code.
async fn child(settings: &Settings, token: &str, command: &[OsString]) -> Result<i32, Failure> {
    let mut ourselves = Command::new(std::env::current_exe()?);
    ourselves.args(["run", "--keep-token", "--"]).args(command);
    ourselves.env("ASKBRIDGE_TOKEN", token);
    // Hooks and MCP speak over the local socket unless a URL is set, and would be known as this machine there.
    ourselves.env("ASKBRIDGE_URL", format!("http://{}", settings.server_address()));
    // A Ctrl-C reaches the program as well; we wait for its end.
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut running = ourselves.spawn()?;
    let status = loop {
        tokio::select! {
            status = running.wait() => break status?,
            _ = interrupts.recv() => {}
        }
    };
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

async fn asked(client: &Client) -> Result<Asked, crate::client::Error> {
    let mut asked = Asked::default();
    let each = |page: Vec<Value>| {
        for ask in page {
            match ask["state"].as_str().unwrap_or_default() {
                "ruled" => asked.without_a_person.add(&ask)?,
                "open" | "proposed" => asked.still_open += 1,
                "answered" | "dismissed" => asked.by_a_person += 1,
                _ => asked.otherwise += 1,
            }
        }
        Ok(ControlFlow::Continue(()))
    };
    client.each_page("state=all&order=newest", each).await?;
    Ok(asked)
}

fn told(asked: &Asked, took: Duration, code: i32, json: bool) -> String {
    if json {
        let mut told = as_json(&asked.without_a_person, took);
        told["exit"] = json!(code);
        told["by_a_person"] = json!(asked.by_a_person);
        told["otherwise"] = json!(asked.otherwise);
        told["still_open"] = json!(asked.still_open);
        return told.to_string();
    }
    let mut lines = vec![in_words(&asked.without_a_person, took)];
    if asked.by_a_person > 0 {
        lines.push(format!("{} decided by a person", counted(asked.by_a_person, "ask was", "asks were")));
    }
    if asked.otherwise > 0 {
        lines.push(format!("{} without an answer", counted(asked.otherwise, "ask ended", "asks ended")));
    }
    if asked.still_open > 0 {
        lines.push(format!("{} still open", counted(asked.still_open, "ask is", "asks are")));
    }
    lines.join("\n")
}
