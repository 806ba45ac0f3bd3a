//! `askbridge channel`: the ways in which a person is reached while away. `askbridge notify`: what was rung.

use std::path::{Path, PathBuf};
use std::time::Duration;

use askbridge_config::spans;
use askbridge_core::limits;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge channel add ntfy --server https://ntfy.example.org --topic ada-asks
  askbridge channel add telegram --bot-token-file bot.token
  askbridge channel add webhook --url https://hooks.example.org/ask --secret-file hook.secret
  askbridge channel add command -- notify-send \"An agent asks\"
  askbridge channel list
  askbridge channel test ch_0f3a… --wait 1m
  askbridge channel set ch_0f3a… --quiet 22:00-07:00 --tells agent_failed,turn_ended
  askbridge channel remove ch_0f3a…

An ask rings after `notify.grace` (15 s), unless you are here. Once a device is paired, adding a channel needs a tap.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Add a way in which you are reached
    Add {
        #[command(subcommand)]
        service: Box<Service>,
    },
    /// Show the ways in which you are reached
    List {
        /// Print JSON, one channel on each line
        #[arg(long)]
        json: bool,
    },
    /// Change what a channel is called, shows, decides and tells
    Set {
        /// The channel's id, as in the list
        id: String,
        /// What to call it
        #[arg(long)]
        name: Option<String>,
        /// Whether notices show the question itself
        #[arg(long, value_enum)]
        content: Option<Content>,
        /// What may be decided from a notice, without opening the card
        #[arg(long, value_enum)]
        decides: Option<Decides>,
        /// Times of day at which only urgent asks ring, like 22:00-07:00; nothing: those of the settings
        #[arg(long, value_name = "HOURS")]
        quiet: Option<String>,
        /// What it tells besides asks, with commas between; `nothing`: only asks
        #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
        tells: Option<Vec<Told>>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Send a test
    Test {
        /// The channel's id, as in the list
        id: String,
        /// Wait so long until you tap it, like `1m`; at most two minutes
        #[arg(long, value_name = "TIME", value_parser = spans::parse)]
        wait: Option<Duration>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a channel; its buttons have no effect any longer
    Remove {
        /// The channel's id, as in the list
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Subcommand)]
enum Service {
    /// A topic on an ntfy server, public or your own
    Ntfy {
        /// The server's address
        #[arg(long, value_name = "URL")]
        server: String,
        /// The topic that your phone subscribes to
        #[arg(long)]
        topic: String,
        /// A file with the access token, if the server needs one
        #[arg(long, value_name = "FILE")]
        token_file: Option<PathBuf>,
        #[command(flatten)]
        common: Common,
    },
    /// A chat with a Telegram bot of your own
    Telegram {
        /// A file with the bot's token
        #[arg(long, value_name = "FILE")]
        bot_token_file: PathBuf,
        /// The address of the Bot API
        #[arg(long, value_name = "URL")]
        api: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Direct messages of a Slack app of your own
    Slack {
        /// A file with the app-level token (xapp-…)
        #[arg(long, value_name = "FILE")]
        app_token_file: PathBuf,
        /// A file with the bot's token (xoxb-…)
        #[arg(long, value_name = "FILE")]
        bot_token_file: PathBuf,
        /// The address of the Web API
        #[arg(long, value_name = "URL")]
        api: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// An address that takes signed posts
    Webhook {
        #[arg(long)]
        url: String,
        /// A file with the secret that signs them (whsec_…)
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
        #[command(flatten)]
        common: Common,
    },
    /// A program of your own on the server's machine, with JSON on its standard input
    Command {
        #[command(flatten)]
        common: Common,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        program: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Common {
    /// What to call it
    #[arg(long)]
    name: Option<String>,
    /// Whom it reaches, if not you
    #[arg(long = "for", value_name = "PERSON")]
    person: Option<String>,
    /// Whether notices show the question itself
    #[arg(long, value_enum)]
    content: Option<Content>,
    /// What may be decided from a notice, without opening the card
    #[arg(long, value_enum)]
    decides: Option<Decides>,
    /// Times of day at which only urgent asks ring, like 22:00-07:00
    #[arg(long, value_name = "HOURS")]
    quiet: Option<String>,
    /// What it tells besides asks, with commas between; `nothing`: only asks
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    tells: Option<Vec<Told>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a channel tells besides asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Told {
    Nothing,
    /// An agent has finished its turn
    TurnEnded,
    /// An agent stopped or failed
    AgentFailed,
    /// Nobody decided an ask in time
    Expired,
    /// Another channel of the same person does not work
    ChannelFailed,
    /// askbridge itself cannot be reached; only ntfy can tell that
    Down,
    /// Once a day, what rules decided
    Digest,
}

/// As the server reads it.
fn tells(told: Option<Vec<Told>>) -> Value {
    match told {
        None => Value::Null,
        Some(told) => {
            let names = told.iter().filter(|told| **told != Told::Nothing);
            let names = names.filter_map(clap::ValueEnum::to_possible_value).map(|value| value.get_name().to_owned());
            json!(names.collect::<Vec<_>>())
        }
    }
}

#[derive(Debug, Clone, Copy, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Content {
    Shown,
    Hidden,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Decides {
    Nothing,
    Questions,
    Approvals,
}

#[derive(Debug, Deserialize)]
struct Page {
    items: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Channel {
    id: String,
    kind: String,
    name: String,
    person: String,
    to: String,
    paired: bool,
    #[serde(default)]
    pair: Option<Pairing>,
    #[serde(default)]
    broken: Option<Broken>,
}

#[derive(Debug, Deserialize)]
struct Broken {
    why: String,
}

#[derive(Debug, Deserialize)]
struct Pairing {
    says: String,
}

#[derive(Debug, Deserialize)]
struct Tested {
    state: String,
    #[serde(default)]
    why: Option<String>,
}

/// Uses the local socket even if there is a token: a channel decides as a device does, so it is added as one is.
pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::local(settings);
    match args.verb {
        Verb::Add { service } => {
            let (body, json) = body(*service)?;
            let reply = client.with_tap(Method::POST, "/v1/channels", &body).await?;
            let channel: Channel = reply.json()?;
            if json {
                print(reply.text.trim())?;
            } else {
                print(&channel.id)?;
                tell(&format!("{} is reached over {} from now on", visible(&channel.person), visible(&channel.to)));
                if let Some(pairing) = channel.pair {
                    tell(&visible(&pairing.says));
                }
                tell(&format!("try it: askbridge channel test {}", channel.id));
            }
        }
        Verb::List { json } => {
            let reply = client.get("/v1/channels").await?;
            let page: Page = reply.json()?;
            for item in &page.items {
                match json {
                    true => print(&item.to_string())?,
                    false => print(&row(item))?,
                }
            }
            if page.items.is_empty() && !json {
                tell("there is no channel; see `askbridge channel add --help`");
            }
        }
        Verb::Set { id, name, content, decides, quiet, tells: told, json } => {
            let mut changes = Map::from_iter([
                ("name".to_owned(), json!(name)),
                ("content".to_owned(), json!(content)),
                ("decides".to_owned(), json!(decides)),
                ("tells".to_owned(), tells(told)),
            ]);
            changes.retain(|_, value| !value.is_null());
            if let Some(hours) = quiet {
                let hours = Some(hours).filter(|hours| !hours.trim().is_empty());
                changes.insert("quiet".to_owned(), json!(hours));
            }
            let changed = client.with_tap(Method::POST, &path(&id, "")?, &Value::Object(changes)).await;
            let reply = changed.map_err(hinted)?;
            match json {
                true => print(reply.text.trim())?,
                false => print(&row(&reply.json()?))?,
            }
        }
        Verb::Test { id, wait, json } => {
            let wait = wait.unwrap_or_default().min(limits::CHANNEL_TEST_MAX);
            let address = path(&id, &format!("/test?wait={}", wait.as_secs()))?;
            let reply = client.post_and_wait(&address, &Value::Null, wait).await.map_err(hinted)?;
            let tested: Tested = reply.json()?;
            if json {
                print(reply.text.trim())?;
            } else {
                print(&tested.state)?;
            }
            if !matches!(&*tested.state, "sent" | "delivered" | "seen") {
                let why = tested.why.unwrap_or_else(|| "the service did not take it".to_owned());
                return Err(Failure::new(visible(&why)).hint("see `askbridge channel list`"));
            }
        }
        Verb::Remove { id, json } => {
            let reply = client.with_tap(Method::DELETE, &path(&id, "")?, &Value::Null).await.map_err(hinted)?;
            let channel: Channel = reply.json()?;
            match json {
                true => print(reply.text.trim())?,
                false => tell(&format!("removed {} ({})", channel.id, visible(&channel.name))),
            }
        }
    }
    Ok(Exit::Good)
}

fn hinted(error: crate::client::Error) -> Failure {
    Failure::from(error).hint("see `askbridge channel list`")
}

fn path(id: &str, rest: &str) -> Result<String, Failure> {
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(Failure::new(format!("there is no channel `{id}`")).hint("see `askbridge channel list`"));
    }
    Ok(format!("/v1/channels/{id}{rest}"))
}

/// The body of the request, and whether to print JSON.
fn body(service: Service) -> Result<(Value, bool), Failure> {
    let (mut body, common) = match service {
        Service::Ntfy { server, topic, token_file, common } => {
            let token = token_file.as_deref().map(secret).transpose()?;
            (json!({"kind": "ntfy", "server": server, "topic": topic, "token": token}), common)
        }
        Service::Telegram { bot_token_file, api, common } => {
            (json!({"kind": "telegram", "bot_token": secret(&bot_token_file)?, "api": api}), common)
        }
        Service::Slack { app_token_file, bot_token_file, api, common } => {
            let (app, bot) = (secret(&app_token_file)?, secret(&bot_token_file)?);
            (json!({"kind": "slack", "app_token": app, "bot_token": bot, "api": api}), common)
        }
        Service::Webhook { url, secret_file, common } => {
            let secret = secret_file.as_deref().map(secret).transpose()?;
            (json!({"kind": "webhook", "url": url, "secret": secret}), common)
        }
        Service::Command { common, program } => {
            let (program, args) = program.split_first().expect("the program is required");
            (json!({"kind": "command", "program": program, "args": args}), common)
        }
    };
    let Common { name, person, content, decides, quiet, tells: told, json } = common;
    body.as_object_mut().expect("it is an object").extend(Map::from_iter([
        ("name".to_owned(), json!(name)),
        ("person".to_owned(), json!(person)),
        ("content".to_owned(), json!(content)),
        ("decides".to_owned(), json!(decides)),
        ("quiet".to_owned(), json!(quiet)),
        ("tells".to_owned(), tells(told)),
    ]));
    Ok((body, json))
}

/// Reads a secret from a file, so that it stands in no command line.
fn secret(file: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("could not read `{}`: {error}", file.display())))?;
    match text.trim() {
        "" => Err(Failure::new(format!("`{}` is empty", file.display()))),
        text => Ok(text.to_owned()),
    }
}

fn row(item: &Value) -> String {
    let Ok(channel) = serde_json::from_value::<Channel>(item.clone()) else { return item.to_string() };
    let Channel { id, kind, name, person, to, paired, broken, .. } = channel;
    let note = match broken {
        _ if !paired => "  not paired yet".to_owned(),
        Some(broken) => format!("  does not work: {}", visible(&broken.why)),
        None => String::new(),
    };
    format!("{id}  {kind:<8}  {} → {} ({}){note}", visible(&name), visible(&person), visible(&to))
}
