//! A client of gobby: one socket for all conversations; its heartbeats name the one that it shows.

use askbridge_core::answer::{Answer, Decision};
use askbridge_core::ask::Ask;
use serde_json::{Value, json};

use super::foreign::{Answered, FrameMeaning, Opening, Saying, Shown, Tongue, labels, questions};
use crate::world::PersonDecision;

pub(crate) const GOBBY: Tongue = Tongue {
    name: "gobby",
    opens: |_| Opening::Socket("/ws".to_owned()),
    greets: |conversation| Some(json!({"type": "heartbeat", "conversation_id": conversation})),
    hears,
    calls,
    says,
};

fn hears(frame: &Value) -> FrameMeaning {
    if frame["type"] != "tool_status" {
        return FrameMeaning::Nothing;
    }
    let name = frame["tool_call_id"].as_str().unwrap_or_default().to_owned();
    let conversation = frame["conversation_id"].as_str().map(str::to_owned);
    match (frame["status"].as_str(), questions(&frame["arguments"]["questions"])) {
        (Some("calling"), Some((questions, approval))) if frame["tool_name"] == "AskUserQuestion" => {
            FrameMeaning::Asked(vec![Shown { conversation, name, questions, approval }])
        }
        (Some("pending_approval"), _) => {
            let questions = vec![(String::new(), vec!["approve".to_owned(), "reject".to_owned()])];
            FrameMeaning::Asked(vec![Shown { conversation, name, questions, approval: true }])
        }
        (Some(_), _) => FrameMeaning::Over(conversation, name),
        (None, _) => FrameMeaning::Nothing,
    }
}

/// A card with an invalid answer is shown again, under its name with a suffix after `~`.
fn calls(ask: &Ask, name: &str) -> bool {
    let first = name.split('~').next().unwrap_or(name);
    match &ask.call {
        Some(call) => call.as_str() == first,
        None => ask.id.to_string() == first,
    }
}

fn says(saying: &Saying<'_>) -> Option<Answered> {
    let (conversation, name) = (saying.conversation, saying.name);
    let is_tool = saying.card.questions.iter().any(|(_, options)| *options == ["approve", "reject"]);
    Some(Answered::Frame(match saying.what {
        // In gobby an approval can be refused but not dismissed.
        PersonDecision::Dismiss if is_tool => return None,
        PersonDecision::Answer(Answer::Approval(decision)) if is_tool => {
            let decision = if matches!(decision, Decision::Allow { .. }) { "approve" } else { "reject" };
            json!({"type": "tool_approval_response", "conversation_id": conversation, "tool_call_id": name,
                   "decision": decision})
        }
        _ => json!({"type": "ask_user_response", "conversation_id": conversation, "tool_call_id": name,
                    "answers": labels(saying)}),
    }))
}
