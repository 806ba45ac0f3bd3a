//! The permission tool of Claude Code (`--permission-prompt-tool mcp__askbridge__approve`).
//!
//! Its result is a decision as JSON in a text, and no ticket: if nobody has decided in time, it is denied in words and
//! the ask stays open. A later decision holds for the next call with the same input.

use askbridge_core::answer::{Answer, Decision, Review};
use askbridge_core::ask::{Body, Context};
use askbridge_core::ids::{CallId, Raw};
use askbridge_core::terms::Wishes;
use askbridge_core::verdict::{Ruling, Verdict};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::ask::{Asking, Kind, context};
use super::client_session::ClientSession;
use super::outcome::Outcome;
use super::rpc::Request;
use crate::tools::answered::{allowed, answered, planned, spoken, stops};
use crate::tools::approval::{self, Beside};
use crate::tools::held;

#[derive(Deserialize)]
struct Arguments {
    tool_name: String,
    #[serde(default)]
    input: Option<Box<RawValue>>,
    #[serde(default)]
    tool_use_id: Option<String>,
}

/// Reads Claude Code's permission request.
pub(super) fn read(asked: &Request, client_session: &ClientSession) -> Result<Asking, String> {
    let arguments = asked.arguments.as_ref().and_then(|raw| serde_json::from_str::<Arguments>(raw.get()).ok());
    let Arguments { tool_name, input, tool_use_id } = arguments.ok_or("`tool_name` and `input` are expected")?;
    let body = match held::held(&tool_name, input.as_deref()) {
        Ok(body) => body,
        Err(Some(why)) => return Err(why),
        Err(None) => approval::of(&tool_name, input.as_deref(), &Beside::default()).map(Body::Approval)?,
    };
    Ok(Asking {
        context: Context { more: approval::shown(&body), ..context(client_session) },
        body,
        wishes: Wishes::default(),
        original: Raw::from(input.as_ref().map_or("{}", |input| input.get())),
        call: tool_use_id.map(CallId::from),
        kind: Kind::Prompt,
        nth: 1,
    })
}

/// Writes the decision for Claude Code.
pub(super) fn decision(asking: &Asking, outcome: &Outcome) -> String {
    let denied = |words: &str, stop: bool| match stop {
        true => json!({"behavior": "deny", "message": words, "interrupt": true}).to_string(),
        false => json!({"behavior": "deny", "message": words}).to_string(),
    };
    match outcome {
        Outcome::Settled(view) => match &view.verdict {
            Some(verdict) => match input(asking, verdict) {
                Some(input) => format!(r#"{{"behavior":"allow","updatedInput":{}}}"#, input.get()),
                None => denied(spoken(verdict), stops(verdict)),
            },
            None => denied(&outcome.in_words().0, false),
        },
        Outcome::Pending => denied(
            "Nobody has decided yet. The request stays open: do something else, and try exactly the same call again later; \
             what was decided by then holds for it.",
            false,
        ),
        Outcome::Failed(why) => self::denied(why),
        other => denied(&other.in_words().0, false),
    }
}

/// The decision if no person could be asked.
pub(super) fn denied(why: &str) -> String {
    let words = format!("Denied: nobody could be asked ({why}). Go on without this tool call, or try it again later.");
    json!({"behavior": "deny", "message": words}).to_string()
}

/// The input that runs; `None`: it does not run.
fn input(asking: &Asking, verdict: &Verdict) -> Option<Box<RawValue>> {
    let input = asking.original.as_str();
    match (&asking.body, &verdict.ruling) {
        (Body::Questions(questions), Ruling::Answer(Answer::Questions(picks))) => {
            Some(answered(input, questions, picks, verdict))
        }
        (Body::Approval(_), Ruling::Answer(Answer::Approval(Decision::Allow { edited, .. }))) => {
            Some(allowed(input, edited.as_ref()))
        }
        (Body::Plan(_), Ruling::Answer(Answer::Plan(Review::Approve { edited }))) => {
            Some(planned(input, edited.as_deref()))
        }
        _ => None,
    }
}
