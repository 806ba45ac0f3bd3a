//! The list of conversations for a page: of one project, filtered, paginated.

use askbridge_core::ids::SessionId;
use serde_json::{Value, json};

use super::history::{ConversationRow, Page};
use super::modes;
use crate::json::Rfc3339;
use crate::listing::hosted_door;
use crate::rest;
use crate::uuid;
use crate::wish::{Finds, Query, SessionLine, SessionSummary};

/// Sessions in one response, unless the page wants fewer.
const LISTED_MAX: usize = 100;
/// Index queries for one response. Beyond: the response says where the list goes on.
const LOOKS_MAX: usize = 10;

/// A list being assembled.
pub(super) struct ListBuilder {
    wanted: Filter,
    page: Page,
    limit: usize,
    looks: usize,
    lines: Vec<SessionLine>,
    next: Option<String>,
}

/// The page's filters.
#[derive(Default)]
struct Filter {
    project: Option<String>,
    statuses: Vec<String>,
    sources: Vec<String>,
    modes: Vec<String>,
    created_after: Option<String>,
    created_before: Option<String>,
}

impl Filter {
    fn takes(&self, line: &SessionLine) -> bool {
        let created = serde_json::to_value(Rfc3339(line.started_at)).unwrap_or_default();
        let created = created.as_str().unwrap_or_default();
        let allows = |wanted: &[String], is: &[&str]| wanted.is_empty() || wanted.iter().any(|it| is.contains(&&**it));
        hosted_door(&line.door).is_some()
            && self.project.as_deref().is_none_or(|project| line.folder.as_deref().map(uuid::of_text).as_deref() == Some(project))
            && allows(&self.statuses, &[ConversationRow::status(line.is_over)])
            && allows(&self.sources, &Page::SOURCES)
            // People talk to all of them; `auto` are those that agents started.
            && allows(&self.modes, &["interactive"])
            // Both sides write times the same way, so they can be compared as text.
            && self.created_after.as_deref().is_none_or(|after| created >= after)
            && self.created_before.as_deref().is_none_or(|before| created < before)
    }
}

impl ListBuilder {
    /// Reads what the page wants, and returns the first query for it.
    pub(super) fn new(query: &str) -> (Self, Query) {
        let text = |name| rest::value(query, name).filter(|value| !value.is_empty());
        let wanted = Filter {
            project: text("project_id"),
            statuses: rest::values(query, "status_in").into_iter().chain(text("status")).collect(),
            sources: rest::values(query, "sources").into_iter().chain(text("source")).collect(),
            modes: rest::values(query, "mode"),
            created_after: text("created_after"),
            created_before: text("created_before"),
        };
        let limit = text("limit").and_then(|limit| limit.parse().ok()).unwrap_or(LISTED_MAX).clamp(1, LISTED_MAX);
        let (page, next) = (Page::of(query), text("cursor_id"));
        let mut listed = Self { wanted, page, limit, looks: 0, lines: Vec::new(), next };
        let first = listed.look();
        (listed, first)
    }

    fn look(&mut self) -> Query {
        self.looks += 1;
        Query::Sessions { after: self.next.take(), limit: self.limit }
    }

    /// Takes the result of a query. Returns the next query, or the one for the summaries of the sessions found.
    pub(super) fn found(&mut self, finds: Finds) -> Query {
        self.lines.extend(finds.sessions.into_iter().filter(|line| self.wanted.takes(line)));
        self.next = finds.next;
        if self.next.is_some() && self.lines.len() < self.limit && self.looks < LOOKS_MAX {
            return self.look();
        }
        Query::Summaries(self.lines.iter().map(|line| line.id).collect())
    }

    /// Writes the list, once the summaries of its sessions are known.
    pub(super) fn json(&self, summaries: &[(SessionId, SessionSummary)]) -> Value {
        let sessions: Vec<_> = self.lines.iter().map(|line| self.one(line, summaries)).collect();
        let last = self.lines.last().map(|line| Rfc3339(line.last_at));
        // The page sends both back; our cursor is the second.
        let next = self.next.as_ref().map(|next| json!({"updated_at": last, "id": next}));
        json!({"count": sessions.len(), "sessions": sessions, "next_cursor": next})
    }

    fn one(&self, line: &SessionLine, summaries: &[(SessionId, SessionSummary)]) -> Value {
        let summary =
            summaries.iter().find(|(id, _)| *id == line.id).map(|(_, summary)| summary.clone()).unwrap_or_default();
        let line = ConversationRow {
            id: line.id,
            folder: line.folder.as_deref(),
            title: line.title.as_deref().or(summary.heading.as_deref()),
            model: summary.model.as_deref(),
            mode: modes::name(summary.mode.as_deref().unwrap_or_default(), summary.other_tools),
            is_over: line.is_over,
            messages: summary.messages,
            created_at: line.started_at,
            updated_at: summary.last_at.unwrap_or(line.last_at),
        };
        line.json(self.page)
    }
}
