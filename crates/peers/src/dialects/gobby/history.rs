//! Projects and conversations as a page lists them.

use askbridge_core::ids::{SessionId, Timestamp};
use serde_json::{Value, json};

use super::modes;
use crate::json::Rfc3339;
use crate::listing::hosted_door;
use crate::rest;
use crate::story::Story;
use crate::uuid;
use crate::wish::SessionLine;

fn name_of(folder: &str) -> &str {
    folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(folder)
}

pub(super) fn projects(folders: &[String]) -> Value {
    let projects =
        folders.iter().map(|folder| json!({"id": uuid::of_text(folder), "name": name_of(folder), "repo_path": folder}));
    Value::Array(projects.collect())
}

/// Projects with their activity. A page chooses one of them, and lists only its conversations.
pub(super) fn projects_at_work(folders: &[String], sessions: &[SessionLine]) -> Value {
    let projects = folders.iter().map(|folder| {
        let is_here = |line: &&SessionLine| hosted_door(&line.door).is_some() && line.folder.as_ref() == Some(folder);
        let at_work = sessions.iter().filter(is_here);
        let last = at_work.clone().map(|line| line.last_at).max();
        let first = at_work.clone().map(|line| line.started_at).min();
        json!({
            "id": uuid::of_text(folder),
            "name": name_of(folder),
            "display_name": name_of(folder),
            "repo_path": folder,
            "github_url": null,
            "github_repo": null,
            "session_count": at_work.filter(|line| !line.is_over).count(),
            "open_task_count": 0,
            "last_activity_at": last.map(Rfc3339),
            "approval_rules": [],
            "created_at": first.map(Rfc3339),
            "updated_at": last.map(Rfc3339),
        })
    });
    Value::Array(projects.collect())
}

/// Finds the folder of a project; without one, the default folder.
pub(super) fn folder_of(folders: &[String], project: Option<&str>) -> Option<String> {
    let named = project.and_then(|project| folders.iter().find(|folder| uuid::of_text(folder) == project));
    named.or_else(|| folders.first()).cloned()
}

/// The generation of the page that reads a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// 0.2 and 0.3: they show the conversations of one source as theirs.
    Early,
    /// 0.4: a source is a provider, and the kind of a session is its type.
    Late,
}

impl Page {
    /// Both names of the only source here.
    pub(super) const SOURCES: [&'static str; 2] = [Self::Early.source(), Self::Late.source()];

    /// A page of 0.4 requests one project, or what can be resumed; earlier ones request everything and filter it.
    pub(super) fn of(query: &str) -> Self {
        let is_late = ["project_id", "include_resumability"].iter().any(|name| rest::value(query, name).is_some());
        if is_late { Self::Late } else { Self::Early }
    }

    pub(super) const fn source(self) -> &'static str {
        match self {
            Self::Early => "claude_sdk_web_chat",
            Self::Late => "claude",
        }
    }
}

/// What is known of a conversation.
pub(super) struct ConversationRow<'a> {
    pub(super) id: SessionId,
    pub(super) folder: Option<&'a str>,
    pub(super) title: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) mode: &'a str,
    pub(super) is_over: bool,
    pub(super) messages: usize,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
}

impl ConversationRow<'_> {
    pub(super) fn status(is_over: bool) -> &'static str {
        if is_over { "expired" } else { "active" }
    }

    pub(super) fn json(&self, page: Page) -> Value {
        let id = uuid::of_session(self.id);
        json!({
            "id": id,
            "external_id": id,
            // Where there are no numbers, the original uses the beginning of the id. A page searches in it.
            "ref": &id[..8],
            "source": page.source(),
            "session_type": "web_chat",
            "project_id": self.folder.map(uuid::of_text),
            "status": Self::status(self.is_over),
            "title": self.title,
            "model": self.model,
            "chat_mode": self.mode,
            "message_count": self.messages,
            "agent_depth": 0,
            "is_resumable": !self.is_over,
            "created_at": Rfc3339(self.created_at),
            "updated_at": Rfc3339(self.updated_at),
        })
    }
}

pub(super) fn begun(session: SessionId, body: &Value, now: Timestamp) -> Value {
    let line = ConversationRow {
        id: session,
        folder: None,
        title: body["title"].as_str(),
        model: body["model"].as_str(),
        mode: body["chat_mode"].as_str().unwrap_or("normal"),
        is_over: false,
        messages: 0,
        created_at: now,
        updated_at: now,
    };
    let mut session = line.json(Page::Late);
    session["project_id"] = body["project_id"].clone();
    json!({"status": "created", "session": session})
}

pub(super) fn session(id: SessionId, story: &Story) -> Value {
    let heading = story.heading();
    let line = ConversationRow {
        id,
        folder: story.folder.as_deref(),
        title: Some(&heading),
        model: story.model.as_deref(),
        mode: modes::name(story.mode.as_deref().unwrap_or_default(), story.other_tools),
        is_over: story.is_over,
        messages: story.messages.len(),
        created_at: story.started_at.unwrap_or_default(),
        updated_at: story.last_at.unwrap_or_default(),
    };
    json!({"session": line.json(Page::Late)})
}
