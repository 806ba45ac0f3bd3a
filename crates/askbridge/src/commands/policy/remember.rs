//! `askbridge policy remember` and `remembered`: decisions that hold for the very same ask, for a while or for good.

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Rfc3339};
use askbridge_config::spans;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Client, Error, Moment};
use crate::commands::answer::{Prompt, find};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, print, tell, visible};
use crate::settings::Settings;

const ADDRESS: &str = "/v1/rules/remembered";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The approval, by as much of its id as makes it clear
    ask: String,
    /// Where it counts: in the ask's session, in its folder and below, or everywhere
    #[arg(long = "for", value_enum, default_value = "project", value_name = "WHERE")]
    reach: Reach,
    /// For how long, like `8h` or `30d`, up to 366 days
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = spans::parse)]
    until: Duration,
    /// Until it is revoked
    #[arg(long, conflicts_with = "until")]
    for_good: bool,
    /// Have what people decided about it four times in a row decided so again, also a denial or an answer
    #[arg(long)]
    as_before: bool,
    /// Save it without asking again
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A person's token, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Reach {
    Session,
    Project,
    Everywhere,
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Forget this one
    #[arg(long, value_name = "ID")]
    revoke: Option<String>,
    /// Print JSON, one on each line
    #[arg(long)]
    json: bool,
    /// A token, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Remembered {
    id: String,
    rule: String,
    #[serde(rename = "do")]
    does: String,
    tool: String,
    about: String,
    #[serde(rename = "for")]
    reach: String,
    file: Option<String>,
    person: String,
    until: Option<Moment>,
    uses: u64,
    last_used_at: Option<Moment>,
}

pub(super) async fn remember(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::new(settings, args.token)?;
    let mut prompt = Prompt::new(settings);
    let ask = find(&client, Some(&args.ask), &mut prompt).await?;
    let reach = match args.reach {
        Reach::Session => "session",
        Reach::Project => "project",
        Reach::Everywhere => "everywhere",
    };
    let does = if args.as_before { "as_before" } else { "allow" };
    let mut wanted = json!({"ask": ask.shown.id, "do": does, "for": reach, "dry_run": true});
    if args.for_good {
        wanted["for_good"] = json!(true);
    } else {
        wanted["until"] = json!(Rfc3339(Clock::System.now().plus(args.until)).to_string());
    }
    let shown: Remembered = client.decide(ADDRESS, &wanted).await?.json()?;
    if !args.json {
        print(visible(&shown.rule).trim_end())?;
    }
    let agrees = match (args.yes, prompt.is_possible()) {
        (true, _) => true,
        (false, true) => prompt.line("Save this rule? [y/N]")?.is_some_and(|line| line.eq_ignore_ascii_case("y")),
        (false, false) => return Err(Failure::usage("nothing was saved").hint("add `--yes` to save this rule")),
    };
    if !agrees {
        return Err(Failure::new("nothing was saved"));
    }
    wanted["id"] = json!(shown.id);
    wanted["dry_run"] = json!(false);
    let reply = client.decide(ADDRESS, &wanted).await?;
    let saved: Remembered = reply.json()?;
    if args.json {
        print(reply.text.trim())?;
    } else {
        let file = saved.file.map(|file| format!(" in {file}")).unwrap_or_default();
        tell(&format!("remembered{file}; take it back with `askbridge policy remembered --revoke {}`", saved.id));
    }
    Ok(Exit::Good)
}

pub(super) async fn remembered(settings: &Settings, args: ListArgs) -> Result<Exit, Failure> {
    let client = Client::new(settings, args.token)?;
    if let Some(id) = &args.revoke {
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Failure::usage(format!("`{id}` is not the id of a remembered decision")));
        }
        let reply = client.with_tap(Method::DELETE, &format!("{ADDRESS}/{id}"), &Value::Null).await?;
        if args.json {
            print(reply.text.trim())?;
        } else {
            tell("revoked: the next such ask goes to a person");
        }
        return Ok(Exit::Good);
    }
    let page: Value = client.get(ADDRESS).await?.json()?;
    let items = page["items"].as_array().cloned().unwrap_or_default();
    if args.json {
        return items.iter().try_for_each(|item| print(&item.to_string())).map(|()| Exit::Good).map_err(Failure::from);
    }
    if items.is_empty() {
        tell("nothing is remembered");
    }
    for item in items {
        let it: Remembered = serde_json::from_value(item).map_err(|error| Error::Strange(error.to_string()))?;
        let left = match it.until {
            Some(until) => format!("{} left", until.ahead().map(askbridge_core::verdict::spoken).unwrap_or_default()),
            None => "for good".to_owned(),
        };
        let about = if it.about.is_empty() { it.tool } else { format!("{} {}", it.tool, it.about).trim().to_owned() };
        let uses = counted(it.uses, "use", "uses");
        let last = it.last_used_at.map(|last| format!(", the last {} ago", last.ago())).unwrap_or_default();
        print(&visible(&format!(
            "{}  {} {about}, {}, by {}, {left}, {uses}{last}",
            it.id, it.does, it.reach, it.person
        )))?;
    }
    Ok(Exit::Good)
}
