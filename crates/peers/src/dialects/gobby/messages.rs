//! The messages of a conversation, as a page loads them. After a reload, open asks are drawn from here.

use askbridge_core::ask::{Ask, Body, Kind};
use serde_json::{Value, json};

use super::cards::GobbyCard;
use super::{cards, names, quirks};
use crate::json::Rfc3339;
use crate::story::{Message, Part, Story};

pub(super) fn messages(story: &Story, after: u64, limit: usize) -> Value {
    // A page that lost its connection requests what it missed. Its own messages it already shows, under ids of its own.
    let is_news = |message: &&Message| message.number > after && (after == 0 || !matches!(message.part, Part::User(_)));
    let newer: Vec<_> = story.messages.iter().filter(is_news).collect();
    let shown = &newer[newer.len().saturating_sub(limit)..];
    let max_seq = story.messages.back().map_or(after, |last| last.number);
    let mut messages: Vec<_> = shown.iter().map(|message| one(story, message)).collect();
    messages.extend(story.open_asks().filter(|ask| !has_a_call(story, ask)).filter_map(|ask| alone(ask, max_seq)));
    json!({"messages": messages, "max_seq": max_seq})
}

fn one(story: &Story, message: &Message) -> Value {
    let (id, role, content, block) = match &message.part {
        Part::User(text) => {
            let id = format!("user-{}", message.number);
            (id, "user", text.as_str(), json!({"type": "text", "content": text}))
        }
        Part::Text(text) => {
            let id = block_id(message);
            (id, "assistant", text.as_str(), json!({"type": "text", "content": text}))
        }
        Part::Thinking(text) => {
            let id = block_id(message);
            (id, "assistant", "", json!({"type": "thinking", "content": text}))
        }
        Part::Tool { call, .. } => {
            let id = names::message_of_call(message.session, call.as_str());
            (id, "assistant", "", chain(&tool(story, &message.part)))
        }
    };
    written(&id, message.number, role, content, Rfc3339(message.at), &block)
}

fn written(id: &str, seq: u64, role: &str, content: &str, at: Rfc3339, block: &Value) -> Value {
    json!({
        "id": id,
        "seq": seq,
        "role": role,
        "content": content,
        "created_at": at,
        "timestamp": at,
        "content_blocks": [block],
    })
}

fn chain(call: &Value) -> Value {
    json!({"type": "tool_chain", "tool_calls": [call]})
}

/// The id under which the block streamed: a page that lost its connection recognises by it what it has.
fn block_id(message: &Message) -> String {
    match message.block {
        Some(block) => names::message_of_block(message.session, block),
        None => names::message_at(message.session, message.position),
    }
}

/// Whether one of the conversation's calls stands for this ask.
fn has_a_call(story: &Story, ask: &Ask) -> bool {
    let calls = story.messages.iter().filter_map(|message| match &message.part {
        Part::Tool { call, .. } => Some(call),
        _ => None,
    });
    ask.call.as_ref().is_some_and(|known| calls.into_iter().any(|call| call == known))
}

/// An ask without a call in the conversation: another program made it, or its call is not stored yet.
fn alone(ask: &Ask, seq: u64) -> Option<Value> {
    let (name, status, arguments) = match cards::draw(ask) {
        GobbyCard::Question(arguments) => (quirks::QUESTION_TOOL.to_owned(), "calling", arguments),
        GobbyCard::Approval(name, arguments) => (name, "pending_approval", arguments),
        // A plan has its own panel, and what cannot be drawn is explained once, in words.
        GobbyCard::Plan(_) | GobbyCard::Not(_) => return None,
    };
    let call = names::call_of(ask);
    let drawn = as_drawn(&call, &name, status, &arguments, &Value::Null, None);
    let id = names::message_of_call(ask.id.session, &call);
    Some(written(&id, seq, "assistant", "", Rfc3339(ask.at), &chain(&drawn)))
}

/// The state of a call. A card can be clicked while its question is `calling`, or its approval `pending_approval`.
fn tool(story: &Story, part: &Part) -> Value {
    let Part::Tool { call, name, input, ask, result } = part else { return Value::Null };
    let asked = ask.and_then(|ask| story.asks.get(&ask));
    let waits = story.open_asks().find(|ask| ask.call.as_ref() == Some(call));
    let arguments: Value = serde_json::from_str(input.as_str()).unwrap_or_default();
    let approval = waits.filter(|ask| ask.body.kind() == Kind::Approval);
    let (status, outcome, error) = match (asked, result) {
        (Some((ask, Some(outcome))), _) if name == quirks::QUESTION_TOOL => {
            ("completed", cards::result(ask, outcome), None)
        }
        (Some((ask, None)), _) if name == quirks::QUESTION_TOOL && !story.is_open(ask.id) => {
            ("completed", Value::Null, Some("No longer asked"))
        }
        (_, None) if approval.is_some() => ("pending_approval", Value::Null, None),
        // Nothing is running that could still return a result.
        (_, None) if waits.is_none() && !story.is_running => ("error", Value::Null, Some("Stopped before it returned")),
        (_, None) => ("calling", Value::Null, None),
        (_, Some((true, output))) => ("completed", json!({"kind": "text", "content": output}), None),
        (_, Some((false, output))) => ("error", Value::Null, Some(output.as_str())),
    };
    // Shows the input that would run, which the person decides about.
    let arguments = match approval.map(|ask| &ask.body) {
        Some(Body::Approval(approval)) => serde_json::from_str(approval.input.as_str()).unwrap_or(arguments),
        _ => arguments,
    };
    as_drawn(call.as_str(), name, status, &arguments, &outcome, error)
}

fn as_drawn(call: &str, name: &str, status: &str, arguments: &Value, result: &Value, error: Option<&str>) -> Value {
    json!({
        "id": call,
        "tool_name": name,
        "server_name": names::server_of(name),
        "tool_type": names::type_of(name),
        "status": status,
        "arguments": arguments,
        "result": result,
        "error": error,
    })
}
