//! `askbridge inbox` without `--watch`: prints the list once.

use std::io::{IsTerminal, stdin, stdout};

use super::card::card;
use super::short_id::short_ids;
use super::watch::{Look, live, print_lines};
use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{Paint, print, tell};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge inbox                       what is open, the longest wait first
  askbridge inbox --watch               live; answer with the keyboard (? shows the keys)
  askbridge inbox --watch | tee log     one line for each thing that happens
  askbridge inbox --late                what expired or was assumed and can still be answered
  askbridge inbox --watch --json | jq   one object for each thing that happens";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Stay, and show what happens; in a terminal, answer with the keyboard
    #[arg(long)]
    watch: bool,
    /// Show everything that was ever asked, the newest first
    #[arg(long, conflicts_with_all = ["late", "watch"])]
    all: bool,
    /// Show what is over and can still be answered
    #[arg(long, conflicts_with = "watch")]
    late: bool,
    /// Print JSON, one ask on each line; with `--watch`, {"event", "ask"}
    #[arg(long)]
    json: bool,
    /// A token to look with, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::new(settings, args.token)?;
    if args.watch {
        let at_a_terminal = stdin().is_terminal() && stdout().is_terminal();
        return match (args.json, at_a_terminal) {
            (true, _) => print_lines(&client, Look::Json).await,
            (false, false) => print_lines(&client, Look::Lines).await,
            (false, true) => live(settings, &client).await,
        };
    }
    let (state, none) = match (args.all, args.late) {
        (true, _) => ("all", "nothing was ever asked"),
        (_, true) => ("late", "nothing waits for a late answer"),
        _ => ("open", "nothing waits for an answer"),
    };
    let asks = client.asks(state).await?;
    if args.json {
        for ask in &asks {
            print(&ask.raw)?;
        }
        return Ok(Exit::Good);
    }
    if asks.is_empty() {
        tell(none);
    }
    let paint = Paint::stdout(settings);
    let ids = short_ids(asks.iter().map(|ask| ask.shown.id.as_str()));
    let cards: Vec<_> = asks.iter().zip(&ids).map(|(ask, id)| card(&ask.shown, id, paint)).collect();
    if !cards.is_empty() {
        print(&cards.join("\n\n"))?;
    }
    Ok(Exit::Good)
}
