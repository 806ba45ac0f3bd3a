//! `askbridge resume`: resumes runs whose parked question has been answered.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{one_line, print, tell};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge resume                     take up every run that has its answer, one after another
  askbridge resume --list              what waits, and what could go on
  askbridge resume --wait              the same, and wait until none is left
  askbridge resume ask_…               wait for the answer to this one, then take it up
  askbridge resume -- --max-turns 5    with more flags for Claude Code

A run without a terminal (`claude -p` with `--permission-prompt-tool`) whose question nobody answers in time is parked if
`hooks.park` says so: its process ends, its question stays. It goes on in its own folder, with the flags it was started with
and without its prompt. With several, the exit code is the first that was not 0.";

/// How long one request waits for an answer; then it is sent again.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause between two looks at the list.
const BREATH: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The ask that the run waits for [default: every run that has its answer]
    ask: Option<String>,
    /// Show what is parked, and take up nothing
    #[arg(long, conflicts_with_all = ["ask", "wait"])]
    list: bool,
    /// Wait for those that have no answer yet
    #[arg(long)]
    wait: bool,
    /// Print JSON, one run on each line
    #[arg(long, requires = "list")]
    json: bool,
    /// More flags for Claude Code
    #[arg(last = true, value_name = "FLAGS")]
    more: Vec<OsString>,
}

#[derive(Debug, Deserialize)]
struct Parked {
    items: Vec<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Run {
    ask: String,
    conversation: String,
    folder: Option<String>,
    program: Option<String>,
    flags: Vec<String>,
    headline: String,
    is_answered: bool,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::local(settings);
    if args.list {
        return list(&client, args.json).await;
    }
    if let Some(ask) = &args.ask {
        let run = runs(&client).await?.into_iter().find(|run| run.ask == *ask);
        let run = run.ok_or_else(|| {
            Failure::new(format!("no run is parked for {ask}")).hint("see what is: `askbridge resume --list`")
        })?;
        if !run.is_answered {
            tell(&format!("waiting for an answer to “{}”", one_line(&run.headline)));
        }
        while client.wait_for(ask, PATIENCE).await?.shown.is_open() {}
        return take_up(settings, &run, &args.more);
    }
    all(settings, &client, &args).await
}

/// Resumes every run that has its answer, one after another.
async fn all(settings: &Settings, client: &Client, args: &Args) -> Result<Exit, Failure> {
    let mut exit = Exit::Good;
    let mut done = Vec::new();
    loop {
        let mut left = runs(client).await?;
        left.retain(|run| !done.contains(&run.ask));
        let Some(run) = left.iter().find(|run| run.is_answered) else {
            if left.is_empty() && done.is_empty() {
                tell("nothing is parked");
            }
            if left.is_empty() || !args.wait {
                left.iter().for_each(|run| tell(&format!("{} still waits: {}", run.ask, one_line(&run.headline))));
                return Ok(exit);
            }
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let ended = take_up(settings, run, &args.more)?;
        exit = if exit == Exit::Good { ended } else { exit };
        done.push(run.ask.clone());
    }
}

async fn list(client: &Client, json: bool) -> Result<Exit, Failure> {
    let parked: Parked = client.get("/v1/hook/parked").await?.json()?;
    if parked.items.is_empty() && !json {
        tell("nothing is parked");
    }
    for item in parked.items {
        if json {
            print(&item.to_string())?;
            continue;
        }
        let run: Run = serde_json::from_value(item).map_err(anyhow::Error::from)?;
        let stands = if run.is_answered { "answered" } else { "waits" };
        let folder = run.folder.as_deref().unwrap_or_default();
        print(&format!("{}  {stands:8}  {}  {}", run.ask, one_line(folder), one_line(&run.headline)))?;
    }
    Ok(Exit::Good)
}

async fn runs(client: &Client) -> Result<Vec<Run>, Failure> {
    let parked: Parked = client.get("/v1/hook/parked").await?.json()?;
    let runs = parked.items.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
    Ok(runs.map_err(anyhow::Error::from)?)
}

/// Resumes the agent in its folder. Its hook then finds the answer.
///
/// Through `askbridge run` in a separate process, which is announced as an agent before it does anything; we are not.
fn take_up(settings: &Settings, run: &Run, more: &[OsString]) -> Result<Exit, Failure> {
    // An update may have replaced the file of Claude Code; then it is found by its name.
    let known = run.program.as_deref().filter(|program| Path::new(program).exists());
    let program = known.unwrap_or("claude");
    let mut command = Command::new(askbridge_platform::ourselves::PROGRAM);
    command.arg("--data").arg(&settings.data).args(["run", "--", program]);
    command.arg("-p").arg(format!("--resume={}", run.conversation)).args(&run.flags).args(more);
    if let Some(folder) = &run.folder {
        command.current_dir(folder);
    }
    tell(&format!("taking up {}: {}", run.ask, one_line(&run.headline)));
    let by_hand = format!(
        "take it up by hand: `askbridge run -- claude -p --resume={}` in {}",
        run.conversation,
        run.folder.as_deref().unwrap_or("its folder")
    );
    let not_run =
        |error: anyhow::Error| Failure::from(error.context(format!("could not run `{program}`"))).hint(&by_hand);
    let status = command.status().map_err(|error| not_run(error.into()))?;
    match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(0) => Ok(Exit::Good),
        Some(code) if [Exit::NotFound.number(), Exit::NotExecutable.number()].contains(&code) => {
            Err(not_run(anyhow::anyhow!("it ended with {code} at once")))
        }
        _ => Ok(Exit::Failed),
    }
}
