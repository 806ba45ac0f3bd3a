//! A client of ccc: one socket for each conversation, one card, and answers by the numbers of options.

use askbridge_core::ask::Ask;
use serde_json::{Map, Value, json};

use super::foreign::{Answered, FrameMeaning, Opening, Saying, Shown, Tongue, questions};
use crate::world::PersonDecision;

pub(crate) const CCC: Tongue = Tongue {
    name: "ccc",
    opens: |conversation| Opening::Socket(format!("/ws/chat/{conversation}")),
    greets: |_| None,
    hears,
    calls,
    says,
};

fn hears(frame: &Value) -> FrameMeaning {
    let name = frame["tool_use_id"].as_str().unwrap_or_default().to_owned();
    match (frame["type"].as_str(), questions(&frame["questions"])) {
        (Some("user_question"), Some((questions, approval))) => {
            FrameMeaning::Asked(vec![Shown { conversation: None, name, questions, approval }])
        }
        (Some("tool_result"), _) => FrameMeaning::Over(None, name),
        _ => FrameMeaning::Nothing,
    }
}

fn calls(ask: &Ask, name: &str) -> bool {
    match &ask.call {
        Some(call) => call.as_str() == name,
        None => name == ask.id.to_string(),
    }
}

fn says(saying: &Saying<'_>) -> Option<Answered> {
    let answers: Map<String, Value> = match saying.what {
        // Its card has no other way to dismiss.
        PersonDecision::Dismiss => Map::from_iter([("0".to_owned(), json!("other: "))]),
        PersonDecision::Answer(_) => {
            let chosen = saying.chosen.iter().enumerate();
            chosen.filter_map(|(place, option)| Some((place.to_string(), json!((*option)?.to_string())))).collect()
        }
    };
    Some(Answered::Frame(json!({"type": "question_answer", "tool_use_id": saying.name, "answers": answers})))
}
