//! Prepares the demo: finds a server, and a person to answer.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::run::{DemoRun, OpenAsk};
use super::script;
use crate::client::{Client, Error};
use crate::commands::answer::Prompt;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{Paint, tell};
use crate::scratch::Scratch;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge demo                 you answer right here
  askbridge demo --elsewhere     you answer on a paired device, or with `askbridge answer` in another terminal

No agent runs, nothing is changed and nothing leaves this machine. If no server runs, the demo brings its own and
throws it away afterwards.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only ask, and say where to answer
    #[arg(long)]
    elsewhere: bool,
    /// Print what becomes of each ask as JSON, one on each line
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct Me {
    role: String,
}

#[derive(Deserialize)]
struct Session {
    id: String,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let scratch = match Client::local(settings).get("/healthz").await {
        Ok(_) => None,
        Err(Error::Unreachable { .. }) => Some(Scratch::start(settings, "demo").await?),
        Err(error) => return Err(error.into()),
    };
    let settings = scratch.as_ref().map_or(settings, |scratch| &scratch.settings);
    let client = Client::local(settings);
    let me: Me = client.get("/v1/me").await?.json()?;
    let at_a_terminal = stdin().is_terminal() && stdout().is_terminal() && stderr().is_terminal();
    let here = at_a_terminal && ["terminal", "unproven"].contains(&me.role.as_str()) && !args.elsewhere;
    let opening = json!({"agent": "demo", "title": "A demo, not a real agent"});
    let session: Session = client.post("/v1/sessions", &opening).await?.json()?;
    let open = OpenAsk::default();
    end_well(client.clone(), open.clone(), scratch.as_ref().map(|_| settings.data.clone()))?;
    let mut run = DemoRun {
        paint: if args.json { Paint::stderr(settings) } else { Paint::stdout(settings) },
        prompt: here.then(|| Prompt::new(settings)),
        client,
        session: session.id,
        json: args.json,
        open,
    };
    if run.prompt.is_none() {
        tell(&whereto(settings, scratch.as_ref(), &me.role).await?);
    }
    let played = script::play(&mut run).await;
    if let Some(scratch) = scratch {
        scratch.stop().await;
    }
    played.map(|()| Exit::Good)
}

/// Says where to answer, if not here.
async fn whereto(settings: &Settings, scratch: Option<&Scratch>, role: &str) -> Result<String, Failure> {
    let address = settings.server_address();
    let command = match scratch {
        Some(_) => format!("askbridge --data '{}' answer", settings.data.display()),
        None => "askbridge answer".to_owned(),
    };
    // A pairing link is shown in a terminal only: an agent could read it anywhere else.
    let link = match scratch {
        Some(scratch) if role == "terminal" && stderr().is_terminal() => scratch.served.link(settings).await?,
        _ => format!("{}/", settings.reach(address).base),
    };
    Ok(format!("Answer at {link}\nor type `{command}` in another terminal.\n"))
}

/// On a signal: removes the temporary folder, or withdraws the open ask, whose answer would not be read any more.
fn end_well(client: Client, open: OpenAsk, folder: Option<PathBuf>) -> Result<(), Failure> {
    const PATIENCE: Duration = Duration::from_secs(3);
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        match folder {
            Some(data) => {
                // The data folder is inside a temporary one.
                let _ = std::fs::remove_dir_all(data.parent().unwrap_or(&data));
            }
            None => {
                let id = open.lock().ok().and_then(|mut open| {
                    open.stopping = true;
                    open.id.clone()
                });
                if let Some(id) = id {
                    let why = json!({"why": "the demo was stopped"});
                    let path = format!("/v1/asks/{id}/withdraw");
                    let _ = tokio::time::timeout(PATIENCE, client.post(&path, &why)).await;
                }
            }
        }
        tell("\nstopped");
        // The main thread may be blocked on the person's input.
        std::process::exit(i32::from(Exit::Interrupted.number()));
    });
    Ok(())
}
