//! Turns what the advisers say about an event into the hook's output. `None` is no opinion.

use askbridge_core::event::ToolRuling;
use serde_json::{Map, Value, json};

use super::hear::{HookEvent, HookEventKind, ToolCall};
use crate::consult::{Consultation, Consulted, Occurrence};

/// What happens, for the advisers. `None`: nothing that they look at.
pub fn occurrence(heard: &HookEvent) -> Option<Occurrence> {
    Some(match &heard.what {
        HookEventKind::Began { source } => Occurrence::SessionBegan { source: source.clone() },
        HookEventKind::Calling(call) => Occurrence::Calling(call.clone()),
        HookEventKind::Called { call, response, failed } => {
            Occurrence::Called { call: call.clone(), response: response.clone(), failed: *failed }
        }
        HookEventKind::Prompted { text } => Occurrence::Prompted { text: text.clone() },
        HookEventKind::TurnEnded { again } => Occurrence::TurnEnded { again: *again },
        HookEventKind::Compacting { trigger } => Occurrence::Compacting { trigger: trigger.clone() },
        HookEventKind::Denied { call, reason } => Occurrence::Denied { call: call.clone(), reason: reason.clone() },
        HookEventKind::Ended { why } => Occurrence::SessionEnded { why: why.clone() },
        HookEventKind::Wanted { .. } | HookEventKind::Notified { .. } | HookEventKind::Other => return None,
    })
}

/// Whether the call may run without a person: the advisers allow it, and its tool does not ask a person by itself.
pub fn is_allowed(call: &ToolCall, said: &Consulted) -> bool {
    said.ruling() == Some(ToolRuling::Allow) && !call.asks_a_person()
}

/// The output about a call that is about to run. `asks`: the terminal's dialog is to be shown, whatever the agent's mode
/// and rules would allow.
pub fn before(call: &ToolCall, said: &Consulted, asks: bool) -> Option<String> {
    let mut output = Map::new();
    let advice = said.ruling.as_ref();
    match advice.map(|advice| advice.ruling) {
        Some(ToolRuling::Deny) => {
            output.insert("permissionDecision".to_owned(), json!("deny"));
            output.insert("permissionDecisionReason".to_owned(), json!(advice.map(|advice| advice.said())));
        }
        Some(ToolRuling::Allow) if is_allowed(call, said) => {
            output.insert("permissionDecision".to_owned(), json!("allow"));
        }
        Some(ToolRuling::Ask) if asks => {
            let reason = advice.map(|advice| format!("The rule “{}” sends it to a person", advice.rule));
            output.insert("permissionDecision".to_owned(), json!("ask"));
            output.insert("permissionDecisionReason".to_owned(), json!(reason));
        }
        _ => {}
    }
    if let Some(input) = said.input.as_ref().filter(|_| !said.is_denied()) {
        output.insert("updatedInput".to_owned(), serde_json::from_str(input.as_str()).ok()?);
    }
    if let Some(words) = said.beside() {
        output.insert("additionalContext".to_owned(), json!(words));
    }
    specific("PreToolUse", output)
}

/// The output about a call that has run. `told`: what the model reads about its input anyway.
pub fn after(failed: bool, told: Option<&str>, said: &Consulted) -> Option<String> {
    let event = if failed { "PostToolUseFailure" } else { "PostToolUse" };
    let Some(words) = said.beside() else { return told.map(str::to_owned) };
    let before = told.and_then(|told| serde_json::from_str::<Value>(told).ok());
    let before = before.as_ref().and_then(|told| told["hookSpecificOutput"]["additionalContext"].as_str());
    let words = before.map_or_else(|| words.clone(), |before| format!("{before}\n\n{words}"));
    specific(event, Map::from_iter([("additionalContext".to_owned(), json!(words))]))
}

/// The output about the beginning of a conversation, or about one that is about to be shortened.
pub fn around(heard: &HookEvent, said: &Consulted) -> Option<String> {
    match (&heard.what, &said.ruling) {
        (HookEventKind::Began { .. }, _) => {
            let words = said.beside()?;
            specific("SessionStart", Map::from_iter([("additionalContext".to_owned(), json!(words))]))
        }
        (HookEventKind::Compacting { .. } | HookEventKind::Prompted { .. }, Some(advice)) if said.is_denied() => {
            Some(json!({"decision": "block", "reason": advice.words}).to_string())
        }
        (HookEventKind::Denied { .. }, Some(advice)) if advice.ruling == ToolRuling::Allow => {
            specific("PermissionDenied", Map::from_iter([("retry".to_owned(), json!(true))]))
        }
        _ => None,
    }
}

fn specific(event: &str, mut output: Map<String, Value>) -> Option<String> {
    if output.is_empty() {
        return None;
    }
    output.insert("hookEventName".to_owned(), json!(event));
    Some(json!({"hookSpecificOutput": output}).to_string())
}

/// The name of this moment for the advisers, where the agent gives it one.
pub fn moment(what: &Occurrence) -> Option<String> {
    let call = what.call()?.id.as_deref()?;
    let when = match what {
        Occurrence::Calling(_) => "before",
        Occurrence::Denied { .. } => "denied",
        _ => "after",
    };
    Some(format!("{when}/{call}"))
}

/// Leaves out what is too long for the advisers.
pub fn cut(about: &mut Consultation) {
    about.is_cut |= match &mut about.what {
        Occurrence::Calling(call) | Occurrence::Called { call, .. } | Occurrence::Denied { call, .. } => call.cut(),
        _ => false,
    };
}
