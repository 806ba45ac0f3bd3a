//! Finds out from a call that has run whether the agent got our answer, or the terminal answered first.

use askbridge_core::ask::{Ask, Body, Reach};
use askbridge_core::ids::Raw;
use askbridge_core::view::{AskView, State};
use serde_json::Value;

use super::NAME;
use super::answer::{HookAnswer, overrules, said};
use super::asking::is_of_subagent;
use super::hear::{Agent, ToolCall};
use super::mouth::Mouth;
use crate::tools::ran::{self, is_same_input};

/// What a finished call, or the end of a turn, says about an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// The agent got what we handed over.
    Delivered,
    /// Another mouth answered first.
    Overtaken {
        /// The input that the call ran with, where it is not the allowed one.
        ran: Option<Raw>,
    },
    /// The agent went on without an answer, and nothing else could have given it one.
    LetGo,
    /// The agent went on without what was decided, which it has to be told otherwise.
    Untold,
}

const OVERTAKEN: Finished = Finished::Overtaken { ran: None };

/// Whether the agent is sure to get this decision. Not while another mouth is open, such as the dialog in its terminal.
pub fn is_certain(view: &AskView) -> bool {
    let asker = &view.ask.asker;
    let is_hook = asker.door == NAME && asker.agent == Agent::Claude.name() && view.ask.reach == Reach::Held;
    let has_rival = is_hook && Mouth::of(&view.ask.context) != Mouth::Nobody;
    let is_decided = matches!(view.state, State::Answered | State::Dismissed | State::Ruled);
    !(has_rival && is_decided && view.delivered_at.is_none() && !view.stranded)
}

/// Whether this is the call that the ask is about. A denied call has not run, and the one that is made again is another.
pub fn is_about(view: &AskView, call: &ToolCall) -> bool {
    if view.ask.body.denied().is_some() {
        return false;
    }
    let asked = asked(&view.ask);
    let folder = view.ask.context.folder.as_deref();
    // A person may have changed the input.
    let changed = || match said(view, &asked) {
        Some(HookAnswer::Allow { input: Some(input), .. }) => is_same_input(input.get(), call.input.as_str(), folder),
        _ => false,
    };
    let is_alike = || asked.tool == call.tool && is_same_input(asked.input.as_str(), call.input.as_str(), folder);
    match (&asked.id, &call.id) {
        (Some(asked), Some(called)) => asked == called,
        (None, _) => is_alike() || (asked.tool == call.tool && changed()),
        _ => is_alike(),
    }
}

/// The call as it was asked about.
fn asked(ask: &Ask) -> ToolCall {
    let tool = match &ask.body {
        Body::Approval(approval) => approval.tool.clone(),
        Body::Plan(_) => "ExitPlanMode".to_owned(),
        Body::Questions(_) | Body::Form(_) => "AskUserQuestion".to_owned(),
    };
    let input = ask.original.clone().unwrap_or_else(|| Raw::from("{}"));
    ToolCall { id: ask.call.as_ref().map(|call| call.as_str().to_owned()), tool, input }
}

/// Returns what the end of a call (with its result) or of a turn means for an ask whose verdict is not delivered yet.
///
/// `call` is `None` for the end of a turn: calls that ran were reported before, so what is left was denied. Returns
/// `None` if it means nothing.
pub fn finished(view: &AskView, call: Option<(&ToolCall, Option<&Raw>)>) -> Option<Finished> {
    if view.ask.body.denied().is_some() {
        return if call.is_none() { after_a_denial(view) } else { None };
    }
    let ours = said(view, &asked(&view.ask));
    let Some((call, response)) = call else {
        return match ours {
            // Parked questions outlive their turn, and a subagent's call is not of this turn.
            _ if view.parked || is_of_subagent(&view.ask.context) => None,
            _ if Mouth::of(&view.ask.context) == Mouth::Nobody && view.state.is_open() => Some(Finished::LetGo),
            // Its hook is gone, so it did not get what was decided since.
            _ if view.stranded => match Mouth::of(&view.ask.context) {
                Mouth::Nobody => None,
                Mouth::Terminal | Mouth::PromptTool => Some(OVERTAKEN),
            },
            Some(HookAnswer::Deny { .. }) => Some(Finished::Delivered),
            _ => Some(OVERTAKEN),
        };
    };
    let (asked, folder) = (asked(&view.ask), view.ask.context.folder.as_deref());
    let (was, is) = (asked.input.as_str(), call.input.as_str());
    let instead = ran::instead(&view.ask.body, was, view.verdict.as_ref(), is, folder);
    Some(match ours {
        Some(HookAnswer::Allow { .. }) if instead.is_some() => Finished::Overtaken { ran: instead },
        Some(HookAnswer::Allow { input: Some(input), .. })
            if heard_other(&view.ask.body, input.get(), call, response) =>
        {
            OVERTAKEN
        }
        Some(HookAnswer::Allow { .. }) => Finished::Delivered,
        // It ran although we denied it, or had not decided.
        Some(HookAnswer::Deny { .. }) | None => OVERTAKEN,
    })
}

/// What the end of a turn means for an ask about a denial. The denial itself the agent has read.
fn after_a_denial(view: &AskView) -> Option<Finished> {
    match view.state {
        // A card that no hook waits for stays, as long as the session is open: a person may still let the call through.
        State::Open | State::Proposed if view.stranded || is_of_subagent(&view.ask.context) => None,
        State::Open | State::Proposed => match Mouth::of(&view.ask.context) {
            Mouth::Nobody => Some(Finished::LetGo),
            Mouth::Terminal | Mouth::PromptTool => Some(Finished::Untold),
        },
        _ if view.stranded => None,
        // Its hook was told, and the connection did not take it.
        State::Answered if overrules(view) => Some(Finished::Untold),
        _ => Some(Finished::Delivered),
    }
}

/// The output of the hook after a call, which tells the model what ran. `None`: it ran as the model wrote it.
pub fn told(view: &AskView, call: &ToolCall, failed: bool) -> Option<String> {
    let event = if failed { "PostToolUseFailure" } else { "PostToolUse" };
    if !matches!(view.ask.body, Body::Approval(_)) {
        return None;
    }
    let (asked, folder) = (asked(&view.ask), view.ask.context.folder.as_deref());
    let (was, is) = (asked.input.as_str(), call.input.as_str());
    ran::told(event, was, view.verdict.as_ref(), is, folder).map(|told| told.to_string())
}

/// Whether the call ran with something else than what we handed over.
fn heard_other(body: &Body, ours: &str, call: &ToolCall, response: Option<&Raw>) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    match body {
        Body::Questions(_) => {
            let told = response.map(|response| read(response.as_str())["answers"].clone());
            let told = told.filter(Value::is_object).unwrap_or_else(|| read(call.input.as_str())["answers"].clone());
            told.is_object() && told != read(ours)["answers"]
        }
        Body::Approval(_) | Body::Plan(_) | Body::Form(_) => false,
    }
}
