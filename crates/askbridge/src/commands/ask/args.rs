//! The flags of `askbridge ask`.

use std::time::Duration;

use askbridge_config::spans;
use serde_json::{Map, Value, json};

use super::whereabouts::Whereabouts;
use crate::exit_codes;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  askbridge ask \"Deploy now?\" -o Yes -o No
  askbridge ask \"Which ones?\" -o api -o web -o docs --multi
  askbridge ask \"What should the release be called?\"
  askbridge ask \"Deploy now?\" -o Yes -o No --timeout 10m --on-expiry assume:No
  askbridge ask \"Which database?\" -o Postgres -o SQLite --describe \"SQLite=one file, no server\"

  if answer=$(askbridge ask \"Deploy now?\" -o Yes -o No) && [ \"$answer\" = Yes ]; then ./deploy; fi";

/// The text after the options in the help: the exit codes from their one list, and examples.
fn after_help() -> String {
    format!("Exit codes:\n{}\n{EXAMPLES}", exit_codes::of_ask())
}

#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    /// The question
    question: String,
    /// An answer to offer; repeat it. Without any, the answer is free text
    #[arg(short, long = "option", value_name = "LABEL")]
    options: Vec<String>,
    /// What an option means, as LABEL=TEXT; repeat it
    #[arg(long, value_name = "LABEL=TEXT")]
    describe: Vec<String>,
    /// Let several options be chosen; they are printed one on each line
    #[arg(long, requires = "options")]
    multi: bool,
    /// A word or two to show above the question
    #[arg(long)]
    header: Option<String>,
    /// How long to wait: 30s, 10m, 2h, 1d [default: for ever]
    #[arg(long, value_name = "SPAN", value_parser = spans::parse)]
    timeout: Option<Duration>,
    /// When nobody comes: tell, stop, or assume:LABEL
    #[arg(long, value_name = "WHAT", value_parser = on_expiry)]
    on_expiry: Option<OnExpiry>,
    /// What a person should know to decide
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// What this is about, for lists of sessions
    #[arg(long)]
    title: Option<String>,
    /// Ask within this session [default: a new one]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME", default_value = "shell")]
    agent: String,
    /// Asking again with the same key is the same question, also after a crash
    #[arg(long)]
    pub(super) key: Option<String>,
    /// How long the person can take the answer back: 5s
    #[arg(long, value_name = "SPAN", value_parser = spans::parse)]
    undo: Option<Duration>,
    /// Print the ask's id and do not wait
    #[arg(long)]
    pub(super) no_wait: bool,
    /// Print the whole ask as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// A token to ask with, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    pub(super) token: Option<String>,
}

#[derive(Debug, Clone)]
enum OnExpiry {
    Tell,
    Stop,
    Assume(String),
}

fn on_expiry(text: &str) -> Result<OnExpiry, String> {
    match text.split_once(':') {
        None if text == "tell" => Ok(OnExpiry::Tell),
        None if text == "stop" => Ok(OnExpiry::Stop),
        Some(("assume", label)) if !label.trim().is_empty() => Ok(OnExpiry::Assume(label.trim().to_owned())),
        _ => Err("it is tell, stop, or assume:LABEL".to_owned()),
    }
}

impl Args {
    /// How long the script is ready to wait.
    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Encodes the ask for the server.
    pub(super) fn body(&self, whereabouts: &Whereabouts) -> Result<Value, Failure> {
        let question = self.question.trim();
        if question.is_empty() {
            return Err(Failure::usage("the question is empty"));
        }
        if self.on_expiry.is_some() && self.timeout.is_none() && self.session.is_none() {
            return Err(Failure::usage("without a deadline nothing expires").hint("add `--timeout 10m`"));
        }
        let mut question = json!({
            "question": question,
            "options": self.offered()?,
            "multiSelect": self.multi,
        });
        put(&mut question, "header", self.header.clone());
        let mut context = json!({});
        put(&mut context, "text", self.context.clone());
        put(&mut context, "title", self.title.clone());
        put(&mut context, "folder", whereabouts.folder.clone());
        put(&mut context, "branch", whereabouts.branch.clone());
        let mut body = json!({"questions": [question], "agent": self.agent, "context": context});
        put(&mut body, "session", self.session.clone());
        put(&mut body, "timeout_seconds", self.timeout.map(|span| span.as_secs_f64()));
        put(&mut body, "undo_seconds", self.undo.map(|span| span.as_secs_f64()));
        put(&mut body, "on_expiry", self.expiry()?);
        Ok(body)
    }

    fn offered(&self) -> Result<Vec<Value>, Failure> {
        let mut described = vec![None; self.options.len()];
        for describe in &self.describe {
            let place = self.options.iter().position(|label| describe.starts_with(&format!("{label}=")));
            let place = place.ok_or_else(|| {
                let hint = "write `--describe LABEL=TEXT`, with the label of an option";
                Failure::usage(format!("`{describe}` describes no option")).hint(hint)
            })?;
            described[place] = Some(describe[self.options[place].len() + 1..].to_owned());
        }
        let options = self.options.iter().zip(described).map(|(label, description)| {
            let mut option = json!({"label": label});
            put(&mut option, "description", description);
            option
        });
        Ok(options.collect())
    }

    fn expiry(&self) -> Result<Option<Value>, Failure> {
        let assumed = match &self.on_expiry {
            None => return Ok(None),
            Some(OnExpiry::Tell) => return Ok(Some(json!("tell"))),
            Some(OnExpiry::Stop) => return Ok(Some(json!("stop"))),
            Some(OnExpiry::Assume(assumed)) => assumed,
        };
        let place = |label: &str| self.options.iter().position(|option| option == label);
        let value = if self.options.is_empty() {
            json!({"text": assumed})
        } else if let Some(place) = place(assumed) {
            json!({"options": [place]})
        } else {
            let places = assumed.split(',').map(|label| place(label.trim())).collect::<Option<Vec<_>>>();
            match places.filter(|_| self.multi) {
                Some(places) => json!({"options": places}),
                None => {
                    let hint = format!("offer it with `-o`, or assume one of: {}", self.options.join(", "));
                    return Err(Failure::usage(format!("`{assumed}` is not an option")).hint(hint));
                }
            }
        };
        let answers = Map::from_iter([(self.question.trim().to_owned(), value)]);
        Ok(Some(json!({"assume": answers})))
    }
}

fn put(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object[name] = value.into();
    }
}
