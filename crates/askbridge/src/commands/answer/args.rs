//! The flags of `askbridge answer`, and their validation.

use std::time::Duration;

use askbridge_config::spans;
use askbridge_core::limits;
use serde_json::{Value, json};

use super::by_flags;
use super::by_hand;
use super::find::find;
use super::outcome::{outcome, refused};
use super::prompt::Prompt;
use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge answer                             step by step, in a terminal
  askbridge answer 0b9x --option Yes
  askbridge answer 0b9x --option api --option docs --note \"docs can wait\"
  askbridge answer 0b9x --text \"call it Wanderer\"
  askbridge answer 0b9x --deny --words \"not on a Friday\"
  askbridge answer 0b9x --send-back \"tests first, please\"
  askbridge answer 0b9x --field name=ada --field age=36
  askbridge answer 0b9x --option Yes --undo-for 10s; askbridge answer 0b9x --undo
  askbridge answer 0b9x --dismiss

An ask with several questions takes `--option 2:LABEL` and `--text 2:TEXT` for its second one.
Only people decide: this works in a terminal, or with a person's token in ASKBRIDGE_TOKEN.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The ask, by as much of its id as makes it clear [default: the only open one]
    pub(super) id: Option<String>,
    /// An option to choose; repeat it to choose several
    #[arg(short, long = "option", value_name = "LABEL", conflicts_with = "decision")]
    pub(super) options: Vec<String>,
    /// An answer in your own words
    #[arg(long, value_name = "TEXT", conflicts_with = "decision")]
    pub(super) text: Vec<String>,
    /// Something to add to an answer
    #[arg(long, value_name = "TEXT", conflicts_with = "decision")]
    pub(super) note: Vec<String>,
    /// A field of a form; repeat it
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "decision")]
    pub(super) field: Vec<String>,
    /// Let the tool run, this once
    #[arg(long, group = "decision")]
    pub(super) allow: bool,
    /// Let the tool run, and remember the rule with this number
    #[arg(long, value_name = "RULE", group = "decision", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) always: Option<u16>,
    /// Do not let the tool run
    #[arg(long, group = "decision")]
    pub(super) deny: bool,
    /// With `--deny`: end the agent's turn as well
    #[arg(long, requires = "deny")]
    pub(super) stop: bool,
    /// Approve the plan
    #[arg(long, group = "decision")]
    pub(super) approve: bool,
    /// Send the plan back, and say why
    #[arg(long, value_name = "WORDS", group = "decision")]
    pub(super) send_back: Option<String>,
    /// Do not fill in the form
    #[arg(long, group = "decision")]
    pub(super) decline: bool,
    /// Close the ask without answering
    #[arg(long, group = "decision")]
    pub(super) dismiss: bool,
    /// Take back an answer that does not count yet
    #[arg(long, group = "decision")]
    pub(super) undo: bool,
    /// How long the answer can be taken back with `--undo` before it counts: 10s [at most 60s; the ask's own time counts if it
    /// is longer]
    #[arg(long, value_name = "SPAN", value_parser = undo_time, conflicts_with_all = ["dismiss", "undo"])]
    pub(super) undo_for: Option<Duration>,
    /// With `--deny`, `--decline` or `--dismiss`: why
    #[arg(long)]
    pub(super) words: Option<String>,
    /// Print the ask as it is then, as JSON
    #[arg(long)]
    json: bool,
    /// A person's token, over TCP; better in ASKBRIDGE_TOKEN, where `ps` does not show it
    #[arg(long)]
    token: Option<String>,
}

/// Parses an undo time within the server's limits: whole seconds, up to a minute.
fn undo_time(text: &str) -> Result<Duration, String> {
    let span = spans::parse(text)?;
    match span.subsec_nanos() == 0 && span <= limits::UNDO_MAX {
        true => Ok(span),
        false => Err(format!("give whole seconds, {} at most", limits::UNDO_MAX.as_secs())),
    }
}

/// A request about an ask.
#[derive(Debug)]
pub(crate) struct Deed {
    /// The last segment of the address: `answer`, `dismiss`, `extend` or `undo`.
    pub(crate) verb: &'static str,
    pub(crate) body: Value,
}

impl Deed {
    pub(crate) fn answer(body: Value) -> Self {
        Self { verb: "answer", body }
    }

    pub(crate) fn dismiss(words: Option<&str>) -> Self {
        Self { verb: "dismiss", body: json!({"words": words}) }
    }

    /// Adds an undo time to an answer.
    fn undoable(mut self, undo: Option<Duration>) -> Self {
        if let (Some(undo), "answer") = (undo, self.verb) {
            self.body["undo_seconds"] = json!(undo.as_secs());
        }
        self
    }
}

impl Args {
    /// Do the flags contain an answer, so that no prompt is needed?
    fn says_something(&self) -> bool {
        let said = [&self.options, &self.text, &self.note, &self.field].iter().any(|said| !said.is_empty());
        let decided = self.allow || self.deny || self.approve || self.decline || self.dismiss || self.undo;
        said || decided || self.always.is_some() || self.send_back.is_some()
    }
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    if args.words.is_some() && !(args.deny || args.decline || args.dismiss) {
        return Err(Failure::usage("`--words` goes with `--deny`, `--decline` or `--dismiss`"));
    }
    let client = Client::new(settings, args.token.clone())?;
    let mut prompt = Prompt::new(settings);
    if !args.says_something() && !prompt.is_possible() {
        let hint = "say it with flags, as in `askbridge answer ID --option Yes`; see `askbridge answer --help`";
        return Err(Failure::usage("there is no terminal to ask in").hint(hint));
    }
    let ask = client.whole(find(&client, args.id.as_deref(), &mut prompt).await?).await?;
    let deed = if args.says_something() {
        by_flags::deed(&args, &ask.shown)?
    } else {
        match by_hand::deed(&ask.shown, &mut prompt)? {
            Some(deed) => deed,
            None => return Err(Failure::new("nothing was sent")),
        }
    };
    let deed = deed.undoable(args.undo_for);
    let path = format!("/v1/asks/{}/{}", ask.shown.id, deed.verb);
    match client.decide(&path, &deed.body).await {
        Ok(reply) => {
            if args.json {
                print(&reply.text)?;
            }
            tell(&outcome(&reply, deed.verb)?);
            Ok(Exit::Good)
        }
        Err(error) => Err(refused(&client, error).await),
    }
}
