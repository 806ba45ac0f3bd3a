//! Projects and conversations, as a page lists them.

use askbridge_core::ids::{SessionId, Timestamp};
use serde_json::{Value, json};

use super::modes;
use crate::json::Rfc3339;
use crate::story::Story;
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
