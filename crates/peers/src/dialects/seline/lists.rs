//! The list of conversations in the side bar.

use std::time::Duration;

use askbridge_core::ids::{SessionId, Timestamp};
use serde_json::{Value, json};

use crate::json::Rfc3339;
use crate::listing::hosted_door;
use crate::rest;
use crate::uuid;
use crate::wish::{Finds, Query, SessionLine, SessionSummary};

/// Sessions in one response, unless the client wants fewer.
const LISTED_MAX: usize = 100;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A list being assembled.
pub(super) struct ListBuilder {
    search: Option<String>,
    /// Only closed sessions, or only open ones.
    is_over: bool,
    since: Option<Timestamp>,
    /// Filtered by a channel that does not exist here: the list is empty.
    is_elsewhere: bool,
    lines: Vec<SessionLine>,
    next: Option<String>,
}

impl ListBuilder {
    /// Reads what the client wants, and returns the query for it. The filter by character is ignored.
    pub(super) fn new(query: &str, now: Timestamp) -> (Self, Query) {
        let text = |name| rest::value(query, name).filter(|value| !value.trim().is_empty());
        let days = match text("dateRange").as_deref() {
            Some("today") => Some(1),
            Some("week") => Some(7),
            Some("month") => Some(30),
            _ => None,
        };
        let listed = Self {
            search: text("search").map(|search| search.trim().to_lowercase()),
            is_over: text("status").as_deref() == Some("archived"),
            since: days.map(|days| now.minus(DAY * days)),
            is_elsewhere: text("channelType").is_some_and(|channel| channel != "app"),
            lines: Vec::new(),
            next: None,
        };
        let limit = text("limit").and_then(|limit| limit.parse().ok()).unwrap_or(LISTED_MAX).clamp(1, LISTED_MAX);
        (listed, Query::Sessions { after: text("cursor"), limit })
    }

    fn takes(&self, line: &SessionLine) -> bool {
        let title = || line.title.as_deref().unwrap_or_default().to_lowercase();
        hosted_door(&line.door).is_some()
            && !self.is_elsewhere
            && line.is_over == self.is_over
            && self.since.is_none_or(|since| line.last_at >= since)
            && self.search.as_ref().is_none_or(|search| title().contains(search))
    }

    /// Takes what was found. Returns the query for its summaries.
    pub(super) fn found(&mut self, finds: Finds) -> Query {
        self.lines = finds.sessions.into_iter().filter(|line| self.takes(line)).collect();
        self.next = finds.next;
        Query::Summaries(self.lines.iter().map(|line| line.id).collect())
    }

    pub(super) fn json(&self, summaries: &[(SessionId, SessionSummary)]) -> Value {
        let sessions: Vec<_> = self.lines.iter().map(|line| one(line, summaries)).collect();
        json!({"totalCount": sessions.len(), "sessions": sessions, "nextCursor": self.next})
    }
}

fn one(line: &SessionLine, summaries: &[(SessionId, SessionSummary)]) -> Value {
    let summary =
        summaries.iter().find(|(id, _)| *id == line.id).map(|(_, summary)| summary.clone()).unwrap_or_default();
    let last = Rfc3339(summary.last_at.unwrap_or(line.last_at));
    json!({
        "id": uuid::of_session(line.id),
        "title": line.title.as_ref().or(summary.heading.as_ref()),
        "characterId": null,
        "status": if line.is_over { "archived" } else { "active" },
        "createdAt": Rfc3339(line.started_at),
        "updatedAt": last,
        "lastMessageAt": last,
        "messageCount": summary.merged_messages,
        "totalTokenCount": null,
        "channelType": null,
        "hasActiveRun": !line.is_over && (summary.is_running || line.open_asks > 0),
        "metadata": {},
    })
}
