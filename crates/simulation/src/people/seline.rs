//! A client of seline: the conversation is the streamed response of one request, and each click is another request.

use askbridge_core::ask::{Ask, Body};
use serde_json::{Value, json};

use super::foreign::{Answered, FrameMeaning, Opening, Saying, Shown, Tongue, labels, questions};

pub(crate) const SELINE: Tongue = Tongue {
    name: "seline",
    opens: |conversation| {
        // An empty message: it only looks at what is there.
        let messages = json!([{"id": "m1", "role": "assistant", "parts": []}]);
        Opening::Stream("/api/chat", json!({"id": conversation, "messages": messages}))
    },
    greets: |_| None,
    hears,
    calls,
    says,
};

fn hears(frame: &Value) -> FrameMeaning {
    let name = frame["toolCallId"].as_str().unwrap_or_default().to_owned();
    match (frame["type"].as_str(), questions(&frame["input"]["questions"])) {
        (Some("tool-input-available"), Some((questions, approval))) => {
            FrameMeaning::Asked(vec![Shown { conversation: None, name, questions, approval }])
        }
        (Some("tool-output-available" | "tool-output-error"), _) => FrameMeaning::Over(None, name),
        _ => FrameMeaning::Nothing,
    }
}

fn calls(ask: &Ask, name: &str) -> bool {
    match (&ask.body, &ask.call) {
        (Body::Questions(_) | Body::Plan(_), Some(call)) => call.as_str() == name,
        _ => ask.id.to_string() == name,
    }
}

fn says(saying: &Saying<'_>) -> Option<Answered> {
    let body = json!({"sessionId": saying.conversation, "toolUseId": saying.name, "answers": labels(saying)});
    Some(Answered::Request("/api/chat/tool-result", body))
}
