//! `askbridge token`: makes tokens for agents on other machines, and lists and revokes all tokens.

use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge token create ci            print a token with which `ci` may ask
  askbridge token create whim --code   print six digits with which a plugin becomes `whim`
  askbridge token list
  askbridge token revoke 2f9afddf02    its holder can do nothing more with it

A token made here may ask and read its own asks, never decide. People get theirs with `askbridge pair`.
Revoking a person's token needs a tap on one of their devices.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show who holds a token
    List {
        /// Print JSON, one token on each line
        #[arg(long)]
        json: bool,
    },
    /// Make a token for an agent and print it; it is shown this once
    Create {
        /// What to call its holder
        name: String,
        /// Print a code of six digits instead, for a plugin that is paired by typing one
        #[arg(long)]
        code: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a token worthless
    Revoke {
        /// The token's id, as in the list
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Deserialize)]
struct Code {
    code: String,
    name: String,
    seconds: u64,
}

#[derive(Debug, Deserialize)]
struct List {
    items: Vec<Token>,
}

#[derive(Debug, Deserialize, serde::Serialize)]
struct Token {
    id: String,
    name: String,
    device: String,
    role: String,
    made_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<String>,
    /// The person whose device connected this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    connected_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// Uses the local socket even if there is a token: administration is done as this machine.
pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::local(settings);
    match args.verb {
        Verb::List { json } => {
            let list: List = client.get("/v1/tokens").await?.json()?;
            for token in &list.items {
                print(&if json { written(token) } else { row(token) })?;
            }
        }
        Verb::Create { name, code: true, json } => {
            let reply = client.post("/v1/codes", &json!({"name": name})).await?;
            let code: Code = reply.json()?;
            if json {
                print(&reply.text)?;
            } else {
                print(&code.code)?;
                let minutes = code.seconds / 60;
                tell(&format!(
                    "the first person to type this within {minutes} minutes becomes {}",
                    visible(&code.name)
                ));
            }
        }
        Verb::Create { name, code: false, json } => {
            let reply = client.post("/v1/tokens", &json!({"name": name})).await?;
            let token: Token = reply.json()?;
            if json {
                print(&reply.text)?;
            } else {
                print(token.token.as_deref().unwrap_or_default())?;
                tell(&format!(
                    "token {} of {} may ask, never decide; it is shown this once",
                    token.id,
                    visible(&token.name)
                ));
            }
        }
        Verb::Revoke { id, json } => {
            if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Err(Failure::new(format!("there is no token `{id}`")).hint("see `askbridge token list`"));
            }
            let path = format!("/v1/tokens/{id}");
            let reply = client.with_tap(Method::DELETE, &path, &Value::Null).await;
            let reply = reply.map_err(|error| Failure::from(error).hint("see `askbridge token list`"))?;
            if json {
                print(&reply.text)?;
            } else {
                let token: Token = reply.json()?;
                tell(&format!("revoked token {} of {} ({})", token.id, visible(&token.name), visible(&token.device)));
            }
        }
    }
    Ok(Exit::Good)
}

fn written(token: &Token) -> String {
    serde_json::to_string(token).expect("a token's description has text keys")
}

fn row(token: &Token) -> String {
    let made = token.made_at.get(..10).unwrap_or_default();
    let (name, device) = (visible(&token.name), visible(&token.device));
    let mut row = format!("{:<10}  {:<8}  {made}  {name} ({device})", token.id, token.role);
    if let Some(person) = &token.connected_by {
        let used = token.last_used_at.as_deref().and_then(|at| at.get(..16)).map(|at| at.replace('T', " "));
        row.push_str(&format!(", connected by {}, last used {}", visible(person), used.as_deref().unwrap_or("never")));
    }
    row
}
