//! The flags, and the way through the pages.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use askbridge_bridge::clock::Clock;
use askbridge_bridge::rule_file::RulesRead;
use askbridge_config::spans;
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{LocalTime, Weekday};
use askbridge_platform::local_time::Zone;
use serde_json::Value;

use super::super::asked;
use super::report;
use super::tally::{Tally, Told};
use crate::client::{Client, Error, Moment};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

#[derive(Debug, clap::Args)]
pub(in super::super) struct Args {
    /// The rule file [default: the one that the server would read]
    pub(in super::super) file: Option<PathBuf>,
    /// Only asks of this time, like `24h` or `30d`
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = spans::parse)]
    since: Duration,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// A token to read the asks with, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

pub(in super::super) async fn simulate(settings: &Settings, rules: &RulesRead, args: Args) -> Result<Exit, Failure> {
    let client = Client::new(settings, args.token.or_else(|| (*settings.top.token).clone()))?;
    let from =
        Timestamp(Clock::System.now().0.saturating_sub(i64::try_from(args.since.as_millis()).unwrap_or(i64::MAX)));
    let zone = Zone::find(settings.rule_source().zone.as_deref());
    let mut tally = Tally::new(&rules.set);
    let each = |page: Vec<Value>| {
        let mut any_of_this_time = false;
        for ask in page {
            let asked_at: Moment =
                serde_json::from_value(ask["asked_at"].clone()).map_err(|error| Error::Strange(error.to_string()))?;
            if asked_at.timestamp() >= from {
                any_of_this_time = true;
                tally.add(of_server(&ask, asked_at.timestamp(), zone.as_ref()));
            }
        }
        // Newest first, by the order of the journal; clocks may have been set back within a page.
        Ok(if any_of_this_time { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    };
    client.each_page("state=all&order=newest", each).await?;
    report::print(&tally, args.since, args.json)?;
    Ok(Exit::Good)
}

fn of_server(ask: &Value, at: Timestamp, zone: Option<&Zone>) -> Told {
    // Taps are made past the rules, and an ask that went on in another session is listed there again.
    let is_a_tap = ask["agent"] == "askbridge" && ask["approval"]["tool"] == "askbridge" && ask["door"] == "http";
    if is_a_tap || !ask["moved_to"].is_null() {
        return Told::NotOurs;
    }
    if !ask["truncated"].is_null() {
        return Told::TooLong;
    }
    let Some(mut facts) = asked::of_json(ask) else { return Told::TooLong };
    facts.local = zone
        .and_then(|zone| zone.at(at.0))
        .and_then(|(minute, weekday)| Some(LocalTime { minute, weekday: *Weekday::ALL.get(usize::from(weekday))? }));
    Told::Ask {
        id: ask["id"].as_str().unwrap_or_default().to_owned(),
        facts: Box::new(facts),
        said: super::people::said(ask),
    }
}
