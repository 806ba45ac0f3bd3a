//! Sessions and histories, with every field that its page reads.

use askbridge_core::ids::{SessionId, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use super::projects::project_of;
use super::{models, quirks};
use crate::json::Rfc3339;
use crate::story::{Part, Story};
use crate::tally::Tally;
use crate::uuid;
use crate::wish::SessionLine;

/// A session as its page reads it. Missing fields are shown as blank, or as "Invalid Date".
#[derive(Serialize)]
pub(super) struct Session {
    id: String,
    project_id: String,
    name: String,
    status: &'static str,
    user_id: String,
    model: String,
    message_count: usize,
    total_tokens: u64,
    total_cost_usd: f64,
    is_processing: bool,
    processing_started_at: Option<String>,
    sdk_session_id: String,
    created_at: String,
    updated_at: String,
    last_activity_at: String,
}

impl Session {
    /// One that was just started.
    pub(super) fn fresh(id: SessionId, project: &str, user: &str, now: Timestamp) -> Self {
        let (id, now) = (uuid::of_session(id), Rfc3339(now).to_string());
        Self {
            sdk_session_id: id.clone(),
            id,
            project_id: project.to_owned(),
            name: String::new(),
            status: "active",
            user_id: user_id(user),
            model: models::DEFAULT.to_owned(),
            message_count: 0,
            total_tokens: 0,
            total_cost_usd: 0.0,
            is_processing: false,
            processing_started_at: None,
            created_at: now.clone(),
            updated_at: now.clone(),
            last_activity_at: now,
        }
    }

    pub(super) fn called(mut self, name: Option<&str>, model: Option<&str>) -> Self {
        self.name = name.unwrap_or_default().to_owned();
        self.model = model.unwrap_or(models::DEFAULT).to_owned();
        self
    }

    fn counted(mut self, tally: &Tally) -> Self {
        self.message_count = tally.messages;
        self.total_tokens = tally.input_tokens + tally.output_tokens;
        self.total_cost_usd = tally.cost();
        self.is_processing = tally.is_running();
        self
    }

    fn last_at(mut self, at: Timestamp, is_over: bool) -> Self {
        self.updated_at = Rfc3339(at).to_string();
        self.last_activity_at.clone_from(&self.updated_at);
        self.status = if is_over { "closed" } else { "active" };
        self
    }

    fn listed(line: &SessionLine, project: &str, user: &str, tally: &Tally) -> Self {
        let session = Self::fresh(line.id, project, user, line.started_at).last_at(line.last_at, line.is_over);
        let session = session.called(line.title.as_deref(), tally.model.as_deref()).counted(tally);
        Self { is_processing: session.is_processing || line.open_asks > 0, ..session }
    }

    pub(super) fn told(id: SessionId, story: &Story, tally: &Tally, user: &str) -> Self {
        let project = story.folder.as_deref().map(project_of).unwrap_or_default();
        let started_at = story.started_at.unwrap_or_default();
        let session = Self::fresh(id, &project, user, started_at);
        let session = session.last_at(story.last_at.unwrap_or(started_at), story.is_over);
        let session = session.called(Some(&story.heading()), story.model.as_deref()).counted(tally);
        Self { is_processing: story.is_running, ..session }
    }
}

pub(super) fn user_id(name: &str) -> String {
    uuid::of_text(name)
}

/// The sessions in a project's folder.
pub(super) fn of_project<'a>(project: &str, lines: &'a [SessionLine]) -> Vec<&'a SessionLine> {
    lines.iter().filter(|line| line.folder.as_deref().is_some_and(|folder| project_of(folder) == project)).collect()
}

pub(super) fn list(project: &str, lines: &[SessionLine], counts: &[(SessionId, Tally)], user: &str) -> Value {
    let nothing = Tally::default();
    let tally = |id| counts.iter().find(|(known, _)| *known == id).map_or(&nothing, |(_, tally)| tally);
    let sessions = of_project(project, lines).into_iter();
    let sessions: Vec<_> = sessions.map(|line| Session::listed(line, project, user, tally(line.id))).collect();
    json!({"total": sessions.len(), "limit": sessions.len(), "offset": 0, "sessions": sessions})
}

/// One message for each of a person's, and one for everything that the agent said and did in response.
pub(super) fn messages(id: SessionId, story: &Story) -> Value {
    let mut all: Vec<(&str, Timestamp, Vec<Value>)> = Vec::new();
    for message in &story.messages {
        let (role, blocks) = match &message.part {
            Part::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
            Part::Text(text) => ("assistant", vec![json!({"type": "text", "text": text})]),
            // Its card is shown instead.
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
            "tokens": null,
            "created_at": Rfc3339(at),
        })
    });
    let messages: Vec<_> = messages.collect();
    json!({"total": messages.len(), "session_id": session, "messages": messages})
}
