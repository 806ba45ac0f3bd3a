//! `askbridge notify log`: what was rung, and what became of it.

use serde::Deserialize;
use serde_json::Value;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge notify log           the last rings, newest first
  askbridge notify log --json

sent: the service took it; delivered: the device showed it; seen: you tapped it, or opened the card; answered: it was decided from there; closed: it was decided elsewhere and taken back;
failed: it is tried again; suppressed: it did not ring, and why; sending: on its way, or interrupted by a restart.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show what was rung, newest first
    Log {
        /// Print JSON, one ring on each line
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Deserialize)]
struct Page {
    items: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Ring {
    channel: String,
    person: String,
    state: String,
    at: String,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    asks: Vec<String>,
    #[serde(default)]
    about: Option<String>,
    #[serde(default)]
    seen_at: Option<String>,
    #[serde(default)]
    more: Option<usize>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let Verb::Log { json } = args.verb;
    let page: Page = Client::local(settings).get("/v1/rings").await?.json()?;
    for item in &page.items {
        match json {
            true => print(&item.to_string())?,
            false => print(&row(item))?,
        }
    }
    if page.items.is_empty() && !json {
        tell("nothing was rung yet");
    }
    Ok(Exit::Good)
}

fn row(item: &Value) -> String {
    let Ok(Ring { channel, person, state, at, why, asks, about, seen_at, more }) = serde_json::from_value(item.clone())
    else {
        return item.to_string();
    };
    let about = match (&*asks, about) {
        ([], Some(about)) => about,
        ([ask], _) => ask.clone(),
        (asks, _) => format!("{} asks", asks.len() + more.unwrap_or_default()),
    };
    let seen = seen_at.filter(|seen| state != "seen" && *seen != at).map(|seen| format!("  seen {seen}"));
    let seen = seen.unwrap_or_default();
    let why = why.map(|why| format!(": {}", visible(&why))).unwrap_or_default();
    format!("{at}  {state:<10}  {} → {}  {about}{why}{seen}", visible(&channel), visible(&person))
}
