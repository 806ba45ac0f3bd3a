//! `askbridge policy workflow`: the step workflow of a session, by gobby's rules.

use hyper::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Start a step workflow: its steps say which tools the agent may use
    Start {
        /// The workflow, as its file names it; an agent's steps have the agent's name
        name: String,
        /// A value for one of its variables; JSON, or else a text
        #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assigned)]
        set: Vec<(String, Value)>,
        #[command(flatten)]
        whose: Whose,
    },
    /// Say in which step a session is
    Status {
        #[command(flatten)]
        whose: Whose,
    },
    /// End the step workflow: its steps restrict nothing any longer
    End {
        #[command(flatten)]
        whose: Whose,
    },
}

#[derive(Debug, clap::Args)]
struct Whose {
    /// The session's id
    #[arg(long, value_name = "ID")]
    session: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A token, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Shown {
    workflow: Option<Step>,
    variables: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Step {
    name: String,
    step: String,
    waits_for: Option<String>,
}

pub(super) async fn workflow(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let (method, body, whose) = match args.verb {
        Verb::Start { name, set, whose } => {
            let variables: Map<String, Value> = set.into_iter().collect();
            (Method::POST, json!({"name": name, "variables": variables}), whose)
        }
        Verb::Status { whose } => (Method::GET, Value::Null, whose),
        Verb::End { whose } => (Method::DELETE, Value::Null, whose),
    };
    if !whose.session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(Failure::usage(format!("`{}` is not the id of a session", whose.session)));
    }
    let address = format!("/v1/sessions/{}/workflow", whose.session);
    let client = Client::new(settings, whose.token)?;
    let reply = match method {
        Method::GET => client.get(&address).await?,
        method => client.with_tap(method, &address, &body).await?,
    };
    if whose.json {
        print(reply.text.trim())?;
        return Ok(Exit::Good);
    }
    let shown: Shown = reply.json()?;
    let Some(Step { name, step, waits_for }) = shown.workflow else {
        tell("no workflow is active in this session");
        return Ok(Exit::Good);
    };
    print(&visible(&format!("{name}: {step}")))?;
    if let Some(prompt) = waits_for {
        tell(&visible(&format!("it waits for your yes or no in the conversation: {prompt}")));
    }
    for (name, value) in shown.variables {
        print(&visible(&format!("  {name} = {value}")))?;
    }
    Ok(Exit::Good)
}

fn assigned(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            Ok((name.to_owned(), value))
        }
        _ => Err("write it like `NAME=VALUE`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_json_or_a_text() {
        assert_eq!(assigned("task=#12"), Ok(("task".to_owned(), json!("#12"))));
        assert_eq!(assigned("n=3"), Ok(("n".to_owned(), json!(3))));
        assert_eq!(assigned("on=true"), Ok(("on".to_owned(), json!(true))));
        assert_eq!(assigned("a=b=c"), Ok(("a".to_owned(), json!("b=c"))));
        assert!(assigned("=3").is_err() && assigned("n").is_err());
    }
}
