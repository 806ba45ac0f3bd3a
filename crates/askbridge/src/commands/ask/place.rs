//! Sends the question to the server, once, and waits for its end.

use std::time::{Duration, Instant};

use askbridge_bridge::chance::Chance;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use super::args::Args;
use super::report::report;
use super::wait::until_settled;
use super::whereabouts::Whereabouts;
use crate::client::{Ask, Backoff, Body, Client, Error};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::settings::Settings;

/// How long to find out whether the question was stored, after a connection was lost in the middle.
const PLACING_MAX: Duration = Duration::from_secs(30);

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let body = args.body(&Whereabouts::here())?;
    let client = Client::new(settings, args.token.clone())?;
    let key = args.key.clone().unwrap_or_else(|| format!("{:032x}", Chance::System.u128()));
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::usage("a key has to be printable ASCII without spaces"));
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let placed = tokio::select! {
        placed = place(&client, &body, &key, &args) => placed?,
        _ = interrupt.recv() => Placed::Interrupted,
        _ = terminate.recv() => Placed::Interrupted,
    };
    let Placed::At(ask) = placed else {
        tell(&format!(
            "interrupted before it was known to be asked; asking again with `--key {key}` does not ask twice"
        ));
        return Ok(Exit::Interrupted);
    };
    if args.key.is_some() {
        is_the_same(&ask, &body, &key)?;
    }
    let id = ask.shown.id.clone();
    if args.no_wait {
        print(if args.json { &ask.raw } else { &id })?;
        return Ok(Exit::Good);
    }
    if ask.shown.is_open() {
        tell(&format!("asked, and waiting for an answer: {id}"));
    }
    tokio::select! {
        settled = until_settled(&client, &id) => report(&settled?, args.json),
        _ = interrupt.recv() => withdraw(&client, &id).await,
        _ = terminate.recv() => withdraw(&client, &id).await,
    }
}

/// What became of the question.
enum Placed {
    At(Box<Ask>),
    Interrupted,
}

/// Posts until the question is known to be stored. The key makes it one question, even if it is posted again.
///
/// If this machine is connected to an askbridge that cannot be reached, the question waits for it, unless the script
/// does not wait itself.
async fn place(client: &Client, body: &Value, key: &str, args: &Args) -> Result<Placed, Failure> {
    let began = Instant::now();
    let mut backoff = Backoff::default();
    let mut sent = false;
    let mut told = false;
    let waits_for_home = client.is_home() && !args.no_wait;
    loop {
        match client.post_once("/v1/asks", body, key).await {
            Ok(reply) => return Ok(Placed::At(Box::new(reply.ask()?))),
            Err(error) if !error.passes() => return Err(error.into()),
            Err(error) if waits_for_home => {
                sent |= !matches!(error, Error::Unreachable { .. });
                if args.timeout().is_some_and(|timeout| began.elapsed() >= timeout) {
                    return Err(too_late(error, key, sent));
                }
                if !told {
                    tell(&format!("{error}\nthe question waits here, and is asked once that answers; Ctrl-C gives up"));
                    told = true;
                }
            }
            Err(error @ Error::Unreachable { .. }) if !sent => return Err(error.into()),
            Err(error) if began.elapsed() > PLACING_MAX => return Err(too_late(error, key, true)),
            Err(_) => sent = true,
        }
        backoff.wait().await;
    }
}

fn too_late(error: Error, key: &str, may_be_stored: bool) -> Failure {
    let failure = Failure::new(error).exit(Exit::Unreachable);
    match may_be_stored {
        true => failure.hint(format!("it may have been stored; asking again with `--key {key}` does not ask twice")),
        false => failure.hint("the question was not asked within its `--timeout`"),
    }
}

/// Refuses a key that was used for another question: its old answer must not be taken for the answer to a new one.
fn is_the_same(ask: &Ask, body: &Value, key: &str) -> Result<(), Failure> {
    let asked = match &ask.shown.body {
        Body::Questions(questions) if questions.len() == 1 => questions[0].question.as_str(),
        _ => "",
    };
    let wanted = body["questions"][0]["question"].as_str().unwrap_or_default();
    if asked == wanted {
        return Ok(());
    }
    let why = format!("the key `{key}` was used before, for another question: {}", crate::output::one_line(asked));
    Err(Failure::new(why).hint("choose a new `--key` for a new question"))
}

/// Withdraws the question if that is still possible: the script that would read the answer is gone.
async fn withdraw(client: &Client, id: &str) -> Result<Exit, Failure> {
    const PATIENCE: Duration = Duration::from_secs(3);
    let why = json!({"why": "the script that asked was interrupted"});
    let path = format!("/v1/asks/{id}/withdraw");
    match tokio::time::timeout(PATIENCE, client.post(&path, &why)).await {
        Ok(Ok(_)) => tell("interrupted; the question was withdrawn"),
        _ => tell(&format!("interrupted; the question could not be withdrawn and stays open: {id}")),
    }
    Ok(Exit::Interrupted)
}
