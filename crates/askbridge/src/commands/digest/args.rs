//! The flags, and the way through the pages.

use std::ops::ControlFlow;
use std::time::Duration;

use askbridge_bridge::clock::Clock;
use askbridge_config::spans;
use askbridge_core::ids::Timestamp;

use super::groups::{Groups, decided_at};
use super::report;
use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge digest                             what rules decided in the last day, the most frequent first
  askbridge digest --since 7d
  askbridge digest --json | jq '.rules[].rule'
  askbridge answer 0b9x --deny                 correct one of them: the agent is told as a message, once

Every ask that a rule or a bot settled is also in `GET /v1/asks?state=ruled`.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only what was decided in this time, like `24h` or `7d`
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = spans::parse)]
    since: Duration,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// A token to read with, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::new(settings, args.token)?;
    let from =
        Timestamp(Clock::System.now().0.saturating_sub(i64::try_from(args.since.as_millis()).unwrap_or(i64::MAX)));
    let mut groups = Groups::default();
    let each = |page: Vec<serde_json::Value>| {
        let mut any_of_this_time = false;
        for ask in page {
            if decided_at(&ask)? >= from {
                any_of_this_time = true;
                groups.add(&ask)?;
            }
        }
        Ok(if any_of_this_time { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    };
    client.each_page("state=ruled&order=newest", each).await?;
    let told = match args.json {
        true => report::as_json(&groups, args.since).to_string(),
        false => report::in_words(&groups, args.since),
    };
    print(&told)?;
    Ok(Exit::Good)
}
