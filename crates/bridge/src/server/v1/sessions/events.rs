//! `GET /v1/sessions/{id}/events`: what happened in a conversation, in order.

use askbridge_core::ids::Position;
use askbridge_core::limits;
use askbridge_journal::journal::Journal;
use askbridge_peers::dialects::native::EventRecord;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::visible;
use crate::auth::Caller;
use crate::runtime::down;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::query::Query;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct After {
    /// The position of the last entry that is known.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    after: Option<u64>,
    /// The position of the first entry that is known: what came before it is wanted, the end of it first. The largest
    /// number means the end of the session.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    before: Option<u64>,
    /// How many entries: 100 if it is not said, at most 500. Large ones make a page shorter.
    #[schemars(range(max = limits::PAGE_MAX))]
    limit: Option<usize>,
}

/// What happened in a session, in order.
#[derive(Serialize, JsonSchema)]
struct Entries {
    items: Vec<EntryJson>,
    /// The `after` of the next page, or with `before` the `before` of the one in front. `null`: this is all there is so far.
    next: Option<u64>,
}

/// What was recorded in one go.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
struct EntryJson {
    position: u64,
    /// Milliseconds since 1970.
    at: i64,
    #[schemars(with = "Vec<EventRecord>")]
    events: Vec<Box<RawValue>>,
}

pub(crate) async fn events(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Query(wanted): Query<After>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let limit = wanted.limit.unwrap_or(limits::PAGE_DEFAULT).clamp(1, limits::PAGE_MAX);
    let store = &app.handle.store;
    let read = match (wanted.after, wanted.before) {
        (Some(_), Some(_)) => return Err(Trouble::new(422, "bad_request", "`after` or `before`, not both")),
        (after, None) => store.read(session, None, after.map(Position), limit).await,
        (None, before) => store.read_back(session, before.map(Position), limit).await,
    };
    let stored = read.map_err(down)?;
    let last = if wanted.before.is_some() { stored.first() } else { stored.last() };
    let bytes: usize = stored.iter().map(|stored| stored.entry.bytes()).sum();
    let is_full = stored.len() == limit || bytes >= limits::READ_BYTES_MAX;
    let next = last.filter(|_| is_full).map(|last| last.position.0);
    let stored = app.handle.shown(session, stored).await?;
    let items = stored.iter().map(|stored| EntryJson {
        position: stored.position.0,
        at: stored.entry.at.0,
        events: stored.entry.events.iter().filter_map(|written| raw(&written.json)).collect(),
    });
    Ok(json(StatusCode::OK, &Entries { items: items.collect(), next }))
}

fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

pub(crate) fn events_doc(op: &mut Operation<'_>) {
    op.is("listEvents", "Sessions", "Returns what happened in a session, in order, as it was recorded.")
        .text("*Callers that may see it.*")
        .query::<After>()
        .returns::<Entries>(200, "Entries, in order; `next` leads to the next page.")
        .refuses(&["unknown_session"]);
}
