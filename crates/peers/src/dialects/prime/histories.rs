//! `/{id}`, `/{id}/messages` and `/{id}/summary`: one session, with every field that the original's models have.

use askbridge_core::ids::SessionId;
use serde_json::{Value, json};

use super::sessions::status;
use crate::json::Rfc3339;
use crate::story::{Message, Part, Story};
use crate::tally::Tally;
use crate::uuid;

/// Whether the original takes this for a session's name: if not, it is a bad request; if so and unknown, not found.
pub(super) fn is_a_name(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=255).contains(&id.len()) && id.chars().all(is_plain) && !id.contains("..")
}

/// A message as it is shown.
struct Shown<'a> {
    role: &'static str,
    content: &'a str,
    /// The called tool and its input.
    tool: Option<(&'a str, Value)>,
}

/// `None`: this is not shown.
fn shown(message: &Message) -> Option<Shown<'_>> {
    match &message.part {
        Part::User(text) => Some(Shown { role: "user", content: text, tool: None }),
        Part::Text(text) => Some(Shown { role: "assistant", content: text, tool: None }),
        Part::Tool { name, input, .. } => {
            let input = serde_json::from_str::<Value>(input.as_str()).ok().filter(Value::is_object);
            Some(Shown { role: "assistant", content: "", tool: Some((name, input.unwrap_or_else(|| json!({})))) })
        }
        Part::Thinking(_) => None,
    }
}

/// The messages that a chat begins with.
pub(super) fn chat(session: SessionId, story: &Story) -> Value {
    let messages = story.messages.iter().filter_map(|message| {
        let Shown { role, content, tool } = shown(message)?;
        let (tool_name, tool_input) = tool.unzip();
        let timestamp = Rfc3339(message.at);
        Some(json!({"role": role, "content": content, "timestamp": timestamp, "tool_name": tool_name, "tool_input": tool_input}))
    });
    let messages: Vec<_> = messages.collect();
    json!({"session_id": uuid::of_session(session), "message_count": messages.len(), "messages": messages})
}

/// The messages of a session, each with a link to the one before. `roles`: only these.
fn record(session: SessionId, story: &Story, roles: &[String]) -> Vec<Value> {
    let name = uuid::of_session(session);
    let mut parent = Value::Null;
    let messages = story.messages.iter().filter_map(|message| {
        let Shown { role, content, tool } = shown(message)?;
        let own = json!(uuid::of_text(&format!("{name} {}", message.number)));
        let mut written = json!({
            "uuid": own,
            "parent_uuid": std::mem::replace(&mut parent, own.clone()),
            "timestamp": Rfc3339(message.at),
            "type": role,
            "role": role,
            "content": content,
            "is_sidechain": false,
            "agent_id": null,
        });
        if let Some((name, input)) = tool {
            written["tool_name"] = json!(name);
            written["tool_input"] = input;
        }
        (roles.is_empty() || roles.iter().any(|known| known == role)).then_some(written)
    });
    messages.collect()
}

pub(super) fn messages(session: SessionId, story: &Story, roles: &[String]) -> Value {
    let messages = record(session, story, roles);
    json!({"session_id": uuid::of_session(session), "message_count": messages.len(), "messages": messages})
}

/// A session without its messages.
pub(super) fn summary(session: SessionId, story: &Story, tally: &Tally) -> Value {
    let messages = story.messages.iter().filter(|message| shown(message).is_some());
    let (first, last) = (messages.clone().next(), messages.clone().next_back());
    let written = |message: Option<&Message>| message.map(|message| Rfc3339(message.at).to_string());
    json!({
        "session_id": uuid::of_session(session),
        "title": Some(story.heading()).filter(|title| !title.is_empty()),
        "summary": null,
        "is_agent_session": false,
        "agent_id": null,
        "created_at": written(first).or_else(|| story.started_at.map(|at| Rfc3339(at).to_string())),
        "last_activity": written(last).or_else(|| story.started_at.map(|at| Rfc3339(at).to_string())),
        "message_count": messages.count(),
        "file_path": story.folder.as_deref().unwrap_or_default(),
        "is_running": tally.works(),
        "status": status(tally.standing),
    })
}

/// A session with its messages.
pub(super) fn whole(session: SessionId, story: &Story, tally: &Tally) -> Value {
    let mut whole = summary(session, story, tally);
    whole["messages"] = Value::Array(record(session, story, &[]));
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_lead_elsewhere_is_no_name() {
        for id in ["nonsense", "agent-a1917ad", "550e8400-e29b-41d4-a716-446655440000", "a.b_c"] {
            assert!(is_a_name(id), "{id}");
        }
        for id in ["", "..", "a..b", "a b", "%2e%2e", "a\u{0}b", &"x".repeat(256)] {
            assert!(!is_a_name(id), "{id}");
        }
    }
}
