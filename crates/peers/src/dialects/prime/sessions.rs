//! `chat/sessions` and `claude-sessions`: placeholders, lists and histories.

use askbridge_core::ids::SessionId;
use serde::Serialize;
use serde_json::{Value, json};

use crate::json::Rfc3339;
use crate::listing::hosted_door;
use crate::peer::Cx;
use crate::rest;
use crate::tally::{Standing, Tally};
use crate::uuid;
use crate::wish::{Finds, Query, SessionLine};

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 500;
/// Pages of [`LIMIT_MAX`] sessions that are read for one list. Beyond: older ones are neither listed nor counted.
const PAGES_MAX: usize = 20;

/// Answers `POST /api/v1/chat/sessions`: a name under which a socket may be opened. There is no session yet.
pub(super) fn placeholder(cx: &mut Cx<'_>) {
    let session_id = format!("conn_{:016x}", cx.ids.fresh() as u64);
    rest::json(cx.out, 200, &json!({"session_id": session_id, "created_at": Rfc3339(cx.now)}));
}

/// The parameters of a list, and what was found so far.
pub(super) struct Listing {
    include_agent_sessions: bool,
    limit: usize,
    search: Option<String>,
    /// The session that the previous page ended with.
    cursor: Option<String>,
    lines: Vec<SessionLine>,
    after: Option<String>,
    pages: usize,
    total: usize,
    has_more: bool,
}

#[derive(Serialize)]
struct SessionRow {
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
            lines: Vec::new(),
            after: None,
            pages: 0,
            total: 0,
            has_more: false,
        })
    }

    /// The query for the next page: all sessions are read, because they are searched and counted here.
    pub(super) fn query(&self) -> Query {
        Query::Sessions { after: self.after.clone(), limit: LIMIT_MAX }
    }

    /// Takes a page. Returns what to do next.
    pub(super) fn hear(&mut self, finds: Finds) -> Next {
        let search = self.search.as_ref().map(|search| search.to_lowercase());
        let is_meant = |line: &SessionLine| {
            let title = || line.title.as_deref().unwrap_or_default().to_lowercase();
            (self.include_agent_sessions || hosted_door(&line.door).is_some())
                && search.as_ref().is_none_or(|search| title().contains(search))
        };
        self.lines.extend(finds.sessions.into_iter().filter(is_meant));
        self.after = finds.next;
        self.pages += 1;
        if self.after.is_some() && self.pages < PAGES_MAX {
            return Next::More;
        }
        let begin = match &self.cursor {
            None => 0,
            Some(cursor) => match self.lines.iter().position(|line| uuid::of_session(line.id) == *cursor) {
                Some(place) => place + 1,
                None => return Next::BadCursor,
            },
        };
        self.total = self.lines.len();
        self.lines.drain(..begin);
        self.has_more = self.lines.len() > self.limit;
        self.lines.truncate(self.limit);
        Next::Count(self.lines.iter().map(|line| line.id).collect())
    }

    pub(super) fn page(&self, counts: &[(SessionId, Tally)]) -> Value {
        let nothing = Tally { standing: Standing::Done, ..Tally::default() };
        let tally = |id| counts.iter().find(|(known, _)| *known == id).map_or(&nothing, |(_, tally)| tally);
        let sessions = self.lines.iter().map(|line| SessionRow {
            session_id: uuid::of_session(line.id),
            title: line.title.clone().unwrap_or_default(),
            summary: None,
            is_agent_session: hosted_door(&line.door).is_none(),
            created_at: Rfc3339(line.started_at).to_string(),
            last_activity: Rfc3339(line.last_at).to_string(),
            message_count: tally(line.id).messages,
            file_path: line.folder.clone().unwrap_or_default(),
            is_running: line.open_asks == 0 && tally(line.id).works(),
            status: if line.open_asks > 0 { "waiting" } else { status(tally(line.id).standing) },
        });
        let last = self.lines.last().filter(|_| self.has_more).map(|line| uuid::of_session(line.id));
        json!({
            "total": self.total,
            "sessions": sessions.collect::<Vec<_>>(),
            "next_cursor": last,
            "has_more": self.has_more,
        })
    }
}

/// One of prime's four words. A session without messages waits for its person.
pub(super) fn status(standing: Standing) -> &'static str {
    match standing {
        Standing::Thinking => "thinking",
        Standing::Generating => "generating",
        Standing::Waiting | Standing::New => "waiting",
        Standing::Done => "done",
    }
}

/// What a list needs next.
pub(super) enum Next {
    More,
    /// Count the messages of these.
    Count(Vec<SessionId>),
    BadCursor,
}

pub(super) fn bad_cursor() -> Value {
    json!({"error": "InvalidCursor", "message": "The cursor is not one that a list ended with"})
}
