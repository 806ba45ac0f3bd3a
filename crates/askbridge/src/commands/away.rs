//! `askbridge away`: say that you are away from this machine, or that you are back.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge away            how it is now
  askbridge away on         I am away: ask my phone, even where the terminal then shows nothing
  askbridge away off        I am here: never keep a terminal's dialog from me
  askbridge away auto       I am away when nobody has typed at a terminal for five minutes (the default)

While you are away, asks ring your channels at once (`askbridge channel`); while you are at a terminal here, they do not.
For an agent's dialog it matters only where the agent asks its hook before it shows anything: Codex, versions of Claude Code older than 2.1.197,
and Claude Code in the mode dontAsk. Everywhere else the dialog is on screen while your phone rings, and the
first answer wins. How long is `hooks.away_after` in the settings.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to say; nothing: show how it is
    #[arg(value_enum)]
    mode: Option<Mode>,
    /// Print JSON: {"mode", "is_away", "quiet_seconds", "away_after_seconds"}
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    On,
    Off,
    Auto,
}

#[derive(Debug, Deserialize)]
struct Away {
    mode: Mode,
    is_away: bool,
    quiet_seconds: Option<u64>,
    away_after_seconds: u64,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::local(settings);
    let reply = match args.mode {
        Some(mode) => client.post("/v1/away", &json!({ "mode": mode })).await?,
        None => client.get("/v1/away").await?,
    };
    if args.json {
        print(reply.text.trim())?;
    } else {
        print(&in_words(&reply.json()?))?;
    }
    Ok(Exit::Good)
}

fn in_words(away: &Away) -> String {
    let after = away.away_after_seconds;
    match (away.mode, away.is_away, away.quiet_seconds) {
        (Mode::On, ..) => "on: you are away".to_owned(),
        (Mode::Off, ..) => "off: you are here".to_owned(),
        (Mode::Auto, _, None) => "auto: there is no terminal to tell by, so you count as here".to_owned(),
        (Mode::Auto, true, Some(quiet)) => format!("auto: you are away, nobody has typed for {quiet} s"),
        (Mode::Auto, false, Some(quiet)) => {
            format!("auto: you are here, somebody typed {quiet} s ago; away after {after} s")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_why_it_thinks_so() {
        let away =
            |mode, is_away, quiet_seconds| in_words(&Away { mode, is_away, quiet_seconds, away_after_seconds: 300 });
        assert_eq!(away(Mode::On, true, Some(3)), "on: you are away");
        assert_eq!(away(Mode::Auto, false, Some(3)), "auto: you are here, somebody typed 3 s ago; away after 300 s");
        assert_eq!(away(Mode::Auto, true, Some(400)), "auto: you are away, nobody has typed for 400 s");
        assert_eq!(away(Mode::Auto, false, None), "auto: there is no terminal to tell by, so you count as here");
    }
}
