//! Projects, sessions and histories, as the front end lists them. A project is a folder in which agents work.

use askbridge_core::ids::{SessionId, Timestamp};
use serde_json::{Value, json};

use super::quirks;
use crate::json::Rfc3339;
use crate::story::{Part, Story};
use crate::uuid;
use crate::wish::SessionLine;

/// A project's id: its folder, under a name that can stand in an address.
pub(super) fn project_of(folder: &str) -> String {
    uuid::of_text(folder)
}

pub(super) fn me(name: &str) -> Value {
    json!({"id": uuid::of_text(name), "username": name, "email": name, "display_name": name, "is_active": true, "is_superuser": false})
}

/// Nothing is counted here, so nothing is used up.
pub(super) fn no_limits() -> Value {
    json!({"can_use": true, "exceeded_limits": []})
}

pub(super) fn all(folders: &[String]) -> Value {
    let projects: Vec<_> = folders.iter().map(|folder| one(folder)).collect();
    json!({"total": projects.len(), "projects": projects})
}

pub(super) fn one(folder: &str) -> Value {
    let name = folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(folder);
    json!({"id": project_of(folder), "name": name, "description": folder, "path": folder, "status": "active"})
}

pub(super) fn sessions(project: &str, lines: &[SessionLine]) -> Value {
    let own = lines.iter().filter(|line| line.folder.as_deref().is_some_and(|folder| project_of(folder) == project));
    let sessions = own.map(|line| {
        let title = line.title.as_deref().unwrap_or_default();
        session(&uuid::of_session(line.id), project, title, line.started_at, line.last_at, line.open_asks > 0)
    });
    let sessions: Vec<_> = sessions.collect();
    json!({"total": sessions.len(), "sessions": sessions})
}

pub(super) fn session(
    id: &str,
    project: &str,
    name: &str,
    created_at: Timestamp,
    updated_at: Timestamp,
    is_processing: bool,
) -> Value {
    json!({
        "id": id,
        "project_id": project,
        "name": name,
        "status": "active",
        "is_processing": is_processing,
        "created_at": Rfc3339(created_at),
        "updated_at": Rfc3339(updated_at),
        "last_activity_at": Rfc3339(updated_at),
    })
}

pub(super) fn shown(id: SessionId, story: &Story) -> Value {
    let project = story.folder.as_deref().map(project_of).unwrap_or_default();
    let at = |at: Option<Timestamp>| at.unwrap_or_default();
    let id = uuid::of_session(id);
    session(&id, &project, &story.heading(), at(story.started_at), at(story.last_at), story.is_running)
}

/// One message for each that a person said, and one for all that the agent made of it.
pub(super) fn messages(id: SessionId, story: &Story) -> Value {
    let mut all: Vec<(&str, Timestamp, Vec<Value>)> = Vec::new();
    for message in &story.messages {
        let (role, blocks) = match &message.part {
            Part::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
            Part::Text(text) => ("assistant", vec![json!({"type": "text", "text": text})]),
            // Its card is what was shown of it.
            Part::Tool { name, .. } if name == quirks::QUESTION_TOOL => continue,
            Part::Tool { call, name, input, result, .. } => {
                let input: Value = serde_json::from_str(input.as_str()).unwrap_or_default();
                let mut blocks = vec![json!({"type": "tool_use", "id": call.as_str(), "name": name, "input": input})];
                blocks.extend(result.as_ref().map(|(ok, output)| {
                    json!({"type": "tool_result", "tool_use_id": call.as_str(), "content": output, "is_error": !ok})
                }));
                ("assistant", blocks)
            }
            Part::Thinking(_) => continue,
        };
        match all.last_mut().filter(|(last, ..)| *last == role && role == "assistant") {
            Some((_, _, last)) => last.extend(blocks),
            None => all.push((role, message.at, blocks)),
        }
    }
    let session = uuid::of_session(id);
    let messages = all.into_iter().enumerate().map(|(place, (role, at, blocks))| {
        json!({
            "id": format!("{session}-{}", place + 1),
            "session_id": session,
            "role": role,
            "content": Value::Array(blocks).to_string(),
            "created_at": Rfc3339(at),
        })
    });
    let messages: Vec<_> = messages.collect();
    json!({"total": messages.len(), "session_id": session, "messages": messages})
}
