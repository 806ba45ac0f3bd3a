//! `chat/sessions` and `claude-sessions`: placeholders, lists and histories.

use askbridge_core::ids::SessionId;
use serde::Serialize;
use serde_json::{Value, json};

use crate::json::Rfc3339;
use crate::peer::Cx;
use crate::rest;
use crate::story::{Part, Story};
use crate::uuid;
use crate::wish::{Finds, HOSTED_DOOR, Query};

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 500;

/// Answers `POST /api/v1/chat/sessions`: a name under which a socket may be opened. There is no session yet.
pub(super) fn placeholder(cx: &mut Cx<'_>) {
    let session_id = format!("conn_{:016x}", cx.ids.fresh() as u64);
    rest::json(cx.out, 200, &json!({"session_id": session_id, "created_at": Rfc3339(cx.now)}));
}

/// What a list is asked for.
pub(super) struct Listing {
    include_agent_sessions: bool,
    limit: usize,
    search: Option<String>,
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Line {
    session_id: String,
    title: String,
    summary: Option<String>,
    is_agent_session: bool,
    created_at: String,
    last_activity: String,
    message_count: usize,
    file_path: String,
    is_running: bool,
    status: &'static str,
}

impl Listing {
    pub(super) fn read(query: &str) -> Result<Self, String> {
        let limit = match rest::value(query, "limit") {
            None => LIMIT_DEFAULT,
            Some(limit) => limit
                .parse()
                .ok()
                .filter(|limit| (1..=LIMIT_MAX).contains(limit))
                .ok_or_else(|| format!("limit: Input should be a number from 1 to {LIMIT_MAX}"))?,
        };
        let include = rest::value(query, "include_agent_sessions");
        Ok(Self {
            include_agent_sessions: include
                .is_some_and(|include| matches!(include.as_str(), "true" | "1" | "yes" | "on")),
            limit,
            search: rest::value(query, "query").filter(|search| !search.is_empty()),
            cursor: rest::value(query, "cursor").filter(|cursor| !cursor.is_empty()),
        })
    }

    pub(super) fn query(&self) -> Query {
        Query::Sessions { after: self.cursor.clone(), limit: self.limit }
    }

    pub(super) fn page(&self, finds: &Finds) -> Value {
        let lines = finds.sessions.iter().filter(|line| self.include_agent_sessions || line.door == HOSTED_DOOR);
        let lines = lines.map(|line| Line {
            session_id: uuid::of_session(line.id),
            title: line.title.clone().unwrap_or_default(),
            summary: None,
            is_agent_session: line.door != HOSTED_DOOR,
            created_at: Rfc3339(line.started_at).to_string(),
            last_activity: Rfc3339(line.last_at).to_string(),
            // Counting would be reading every session from its beginning; the session itself says how many.
            message_count: 0,
            file_path: line.folder.clone().unwrap_or_default(),
            is_running: line.open_asks > 0,
            status: if line.open_asks > 0 { "waiting" } else { "done" },
        });
        let search = self.search.as_ref().map(|search| search.to_lowercase());
        let is_meant = |line: &Line| search.as_ref().is_none_or(|search| line.title.to_lowercase().contains(search));
        let sessions: Vec<_> = lines.filter(is_meant).collect();
        json!({
            "total": sessions.len(),
            "sessions": sessions,
            "next_cursor": finds.next,
            "has_more": finds.next.is_some(),
        })
    }
}

pub(super) fn bad_cursor() -> Value {
    json!({"error": "InvalidCursor", "message": "The cursor is not one that a list ended with"})
}

pub(super) fn one(session: SessionId, story: &Story) -> Value {
    let line = Line {
        session_id: uuid::of_session(session),
        title: story.heading(),
        summary: None,
        is_agent_session: false,
        created_at: story.started_at.map(|at| Rfc3339(at).to_string()).unwrap_or_default(),
        last_activity: story.last_at.map(|at| Rfc3339(at).to_string()).unwrap_or_default(),
        message_count: story.messages.iter().filter(|message| !matches!(message.part, Part::Thinking(_))).count(),
        file_path: story.folder.clone().unwrap_or_default(),
        is_running: story.is_running,
        status: if story.is_running { "thinking" } else { "done" },
    };
    json!(line)
}

/// `roles`: only messages of these, with commas between.
pub(super) fn messages(session: SessionId, story: &Story, roles: Option<&str>) -> Value {
    let wanted = |role: &str| roles.is_none_or(|roles| roles.split(',').any(|known| known.trim() == role));
    let messages = story.messages.iter().filter_map(|message| {
        let at = Rfc3339(message.at);
        let (role, content, tool) = match &message.part {
            Part::User(text) => ("user", text.as_str(), None),
            Part::Text(text) => ("assistant", text.as_str(), None),
            Part::Tool { name, input, .. } => ("assistant", "", Some((name, input))),
            Part::Thinking(_) => return None,
        };
        let input = tool.map(|(_, input)| serde_json::from_str::<Value>(input.as_str()).unwrap_or_default());
        let name = tool.map(|(name, _)| name);
        wanted(role)
            .then(|| json!({"role": role, "content": content, "timestamp": at, "tool_name": name, "tool_input": input}))
    });
    let messages: Vec<_> = messages.collect();
    json!({"session_id": uuid::of_session(session), "message_count": messages.len(), "messages": messages})
}

pub(super) fn summary(session: SessionId, story: &Story) -> Value {
    json!({"session_id": uuid::of_session(session), "title": story.heading(), "summary": null})
}
