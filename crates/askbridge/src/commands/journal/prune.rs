//! `askbridge journal prune`: lets the server forget old conversations, in steps.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use askbridge_config::{bytes, spans};
use askbridge_journal::Forgotten;
use serde::Deserialize;
use serde_json::json;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{amount, counted, print};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge journal prune --older-than 90d --dry-run   how much would go
  askbridge journal prune --older-than 90d             forget conversations that were quiet for 90 days
  askbridge journal prune --down-to 2GB                forget the oldest until 2 GB are left; what happened today stays

Whole conversations go, with their drafts and files. One in which something is unfinished stays: an open ask, an answer that
its agent has not heard, a message that waits, a process. It cannot be taken back, except by putting back a copy
(`askbridge journal backup`). `retention` and `retention_size` in the settings do the same by themselves.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Conversations in which nothing happened for so long, like `90d`
    #[arg(long, value_name = "TIME", value_parser = spans::parse, required_unless_present = "down_to")]
    older_than: Option<Duration>,
    /// The oldest conversations, until the journal and its index hold no more than this, like `2GB`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    down_to: Option<u64>,
    /// Count what would go; nothing does
    #[arg(long)]
    dry_run: bool,
    /// Ask as whoever holds this token, over TCP
    #[arg(long)]
    token: Option<String>,
    /// Print JSON: {"sessions", "entries", "bytes", "unfinished", "dry_run"}
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
struct PruneStep {
    sessions: u64,
    entries: u64,
    bytes: u64,
    unfinished: u64,
    next: Option<String>,
}

fn size(text: &str) -> Result<u64, String> {
    bytes(text).ok_or_else(|| "a number and K, M or G, like 2GB".to_owned())
}

pub(super) async fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    let client = Client::here(settings, args.token.clone());
    let (mut sum, mut unfinished, mut after) = (Forgotten::default(), 0, None::<String>);
    let is_seen = stderr().is_terminal() && !args.json;
    loop {
        let mut wanted = json!({"dry_run": args.dry_run, "counted_bytes": sum.bytes});
        if let Some(age) = args.older_than {
            wanted["older_than_seconds"] = json!(age.as_secs_f64());
        }
        if let Some(bytes) = args.down_to {
            wanted["larger_than_bytes"] = json!(bytes);
        }
        if let Some(after) = &after {
            wanted["after"] = json!(after);
        }
        let PruneStep { sessions, entries, bytes, unfinished: more, next } =
            client.post("/v1/prune", &wanted).await?.json()?;
        sum += Forgotten { sessions, entries, bytes };
        unfinished += more;
        after = next;
        if after.is_none() {
            break;
        }
        if is_seen {
            let _ = write!(stderr(), "\r{}, {}\x1b[K", of_sessions(sum.sessions), amount(sum.bytes));
        }
    }
    if is_seen {
        let _ = write!(stderr(), "\r\x1b[K");
    }
    let Forgotten { sessions, entries, bytes } = sum;
    if args.json {
        let shown = json!({
            "sessions": sessions, "entries": entries, "bytes": bytes, "unfinished": unfinished, "dry_run": args.dry_run,
        });
        print(&shown.to_string())?;
    } else {
        print(&in_words(sum, unfinished, args.dry_run))?;
    }
    Ok(Exit::Good)
}

fn in_words(sum: Forgotten, unfinished: u64, is_dry: bool) -> String {
    let verb = match (is_dry, sum.sessions) {
        (true, _) => "would go",
        (false, 1) => "is forgotten",
        (false, _) => "are forgotten",
    };
    let mut words = format!("{} {verb}: {}", of_sessions(sum.sessions), amount(sum.bytes));
    match unfinished {
        0 => {}
        1 => words.push_str("\n1 conversation stays, because something in it is unfinished"),
        more => words.push_str(&format!("\n{more} conversations stay, because something in them is unfinished")),
    }
    if !is_dry && sum.sessions > 0 {
        words.push_str("\nthe disk gets its room back little by little");
    }
    words
}

fn of_sessions(count: u64) -> String {
    counted(count, "session", "sessions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_went_and_what_stayed() {
        let sum = Forgotten { sessions: 12, entries: 40, bytes: 3 * 1024 * 1024 };
        assert_eq!(in_words(sum, 0, true), "12 sessions would go: 3.0 MiB");
        let words = "12 sessions are forgotten: 3.0 MiB\n\
            2 conversations stay, because something in them is unfinished\n\
            the disk gets its room back little by little";
        assert_eq!(in_words(sum, 2, false), words);
        let one = Forgotten { sessions: 1, entries: 2, bytes: 1024 };
        let stays = "1 session would go: 1.0 KiB\n1 conversation stays, because something in it is unfinished";
        assert_eq!(in_words(one, 1, true), stays);
    }
}
