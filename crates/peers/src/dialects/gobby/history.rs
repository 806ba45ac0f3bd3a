//! Projects, conversations and their messages, as a page loads them. What is still asked is drawn from here after a reload.

use askbridge_core::ids::{SessionId, Timestamp};
use serde_json::{Value, json};

use super::{cards, modes, names, quirks};
use crate::json::Rfc3339;
use crate::story::{Message, Part, Story};
use crate::uuid;
use crate::wish::{HOSTED_DOOR, SessionLine};

pub(super) fn projects(folders: &[String]) -> Value {
    let projects = folders.iter().map(|folder| {
        let name = folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(folder);
        json!({"id": uuid::of_text(folder), "name": name, "repo_path": folder})
    });
    Value::Array(projects.collect())
}

/// Finds the folder of a project; without one, the usual.
pub(super) fn folder_of(folders: &[String], project: Option<&str>) -> Option<String> {
    let named = project.and_then(|project| folders.iter().find(|folder| uuid::of_text(folder) == project));
    named.or_else(|| folders.first()).cloned()
}

/// What is known of a conversation.
struct Line<'a> {
    id: SessionId,
    folder: Option<&'a str>,
    title: Option<&'a str>,
    model: Option<&'a str>,
    mode: &'a str,
    is_over: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Line<'_> {
    fn json(&self) -> Value {
        let id = uuid::of_session(self.id);
        json!({
            "id": id,
            "external_id": id,
            "source": "claude",
            "session_type": "web_chat",
            "project_id": self.folder.map(uuid::of_text),
            "status": if self.is_over { "closed" } else { "active" },
            "title": self.title,
            "model": self.model,
            "chat_mode": self.mode,
            "created_at": Rfc3339(self.created_at),
            "updated_at": Rfc3339(self.updated_at),
        })
    }
}

pub(super) fn begun(session: SessionId, body: &Value, now: Timestamp) -> Value {
    let line = Line {
        id: session,
        folder: None,
        title: body["title"].as_str(),
        model: body["model"].as_str(),
        mode: body["chat_mode"].as_str().unwrap_or("normal"),
        is_over: false,
        created_at: now,
        updated_at: now,
    };
    let mut session = line.json();
    session["project_id"] = body["project_id"].clone();
    json!({"status": "created", "session": session})
}

pub(super) fn sessions(lines: &[SessionLine]) -> Value {
    let hosted = lines.iter().filter(|line| line.door == HOSTED_DOOR);
    let sessions = hosted.map(|line| {
        let line = Line {
            id: line.id,
            folder: line.folder.as_deref(),
            title: line.title.as_deref(),
            model: None,
            mode: "normal",
            is_over: line.is_over,
            created_at: line.started_at,
            updated_at: line.last_at,
        };
        line.json()
    });
    let sessions: Vec<_> = sessions.collect();
    json!({"count": sessions.len(), "sessions": sessions})
}

pub(super) fn session(id: SessionId, story: &Story) -> Value {
    let heading = story.heading();
    let line = Line {
        id,
        folder: story.folder.as_deref(),
        title: Some(&heading),
        model: story.model.as_deref(),
        mode: modes::name(story.mode.as_deref().unwrap_or_default(), story.other_tools),
        is_over: story.is_over,
        created_at: story.started_at.unwrap_or_default(),
        updated_at: story.last_at.unwrap_or_default(),
    };
    json!({"session": line.json()})
}

pub(super) fn messages(story: &Story, after: u64, limit: usize) -> Value {
    // A page whose line was cut asks for what it missed. What it said itself it shows, under a name of its own.
    let is_news = |message: &&Message| message.number > after && (after == 0 || !matches!(message.part, Part::User(_)));
    let newer: Vec<_> = story.messages.iter().filter(is_news).collect();
    let shown = &newer[newer.len().saturating_sub(limit)..];
    let messages: Vec<_> = shown.iter().filter_map(|message| one(story, message)).collect();
    let max_seq = story.messages.back().map_or(after, |last| last.number);
    json!({"messages": messages, "max_seq": max_seq})
}

fn one(story: &Story, message: &Message) -> Option<Value> {
    let at = Rfc3339(message.at);
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
            (id, "assistant", "", json!({"type": "tool_chain", "tool_calls": [tool(story, &message.part)?]}))
        }
    };
    Some(json!({
        "id": id,
        "seq": message.number,
        "role": role,
        "content": content,
        "created_at": at,
        "timestamp": at,
        "content_blocks": [block],
    }))
}

/// The same as while it streamed: a page whose line was cut knows by it what it has.
fn block_id(message: &Message) -> String {
    match message.block {
        Some(block) => names::message_of_block(message.session, block),
        None => names::message_at(message.session, message.position),
    }
}

/// A call as it stands. A question that is open is `calling`, which is what makes its card live.
fn tool(story: &Story, part: &Part) -> Option<Value> {
    let Part::Tool { call, name, input, ask, result } = part else { return None };
    let asked = ask.and_then(|ask| story.asks.get(&ask));
    let arguments: Value = serde_json::from_str(input.as_str()).unwrap_or_default();
    let (status, outcome) = match (asked, result) {
        (Some((ask, Some(outcome))), _) if name == quirks::QUESTION_TOOL => ("completed", cards::result(ask, outcome)),
        (_, None) => ("calling", Value::Null),
        (_, Some((true, output))) => ("completed", json!({"kind": "text", "content": output})),
        (_, Some((false, _))) => ("error", Value::Null),
    };
    let error = result.as_ref().filter(|(ok, _)| !ok).map(|(_, output)| output);
    Some(json!({
        "id": call.as_str(),
        "tool_name": name,
        "server_name": names::server_of(name),
        "tool_type": "unknown",
        "status": status,
        "arguments": arguments,
        "result": outcome,
        "error": error,
    }))
}
