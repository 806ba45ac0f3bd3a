//! A client of prime: one socket for each conversation, one card, and the newest connection takes over.

use askbridge_core::ask::Ask;
use askbridge_peers::uuid;
use serde_json::{Value, json};

use super::foreign::{Answered, FrameMeaning, Opening, Saying, Shown, Tongue, labels, questions};
use crate::world::PersonDecision;

pub(crate) const PRIME: Tongue = Tongue {
    name: "prime",
    opens: |conversation| Opening::Socket(format!("/api/v1/chat/ws/{conversation}")),
    greets: |_| None,
    hears,
    calls,
    says,
};

fn hears(frame: &Value) -> FrameMeaning {
    let name = frame["question_id"].as_str().unwrap_or_default().to_owned();
    match (frame["type"].as_str(), questions(&frame["questions"])) {
        (Some("ask_user_question"), Some((questions, approval))) => {
            FrameMeaning::Asked(vec![Shown { conversation: None, name, questions, approval }])
        }
        (Some("ask_user_timeout"), _) => FrameMeaning::Over(None, name),
        _ => FrameMeaning::Nothing,
    }
}

fn calls(ask: &Ask, name: &str) -> bool {
    name.strip_prefix("q_") == Some(&uuid::derived_hex(ask.id.session, ask.id.number))
}

fn says(saying: &Saying<'_>) -> Option<Answered> {
    let cancelled = *saying.what == PersonDecision::Dismiss;
    let data = json!({"question_id": saying.name, "answers": labels(saying), "cancelled": cancelled});
    Some(Answered::Frame(json!({"type": "ask_user_response", "data": data})))
}
