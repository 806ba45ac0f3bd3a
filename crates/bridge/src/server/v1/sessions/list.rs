//! `GET /v1/sessions`: conversations, newest first.

use askbridge_journal::index::{AskFilter, AskRow, Index, IndexError, SessionRow, SessionState, StateFilter};
use askbridge_peers::json::{HostJson, Rfc3339, SessionState as StateWord};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::paging::{Page, Paging};
use crate::auth::Caller;
use crate::runtime::Handle;
use crate::runtime::seen_sessions;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::query::Query;

/// A conversation in a list.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionListed {
    id: String,
    state: StateWord,
    agent: String,
    door: String,
    /// The node that runs its agent. Left out unless several share the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<HostJson>,
    title: Option<String>,
    folder: Option<String>,
    branch: Option<String>,
    waiting_for_person: bool,
    open_asks: u32,
    /// What was asked last in it. `null`: nothing yet.
    headline: Option<String>,
    /// One thing was asked in it, and nothing more.
    single_ask: bool,
    started_at: Rfc3339,
    last_activity: Rfc3339,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(paging): Query<Paging>,
) -> Result<Response, Trouble> {
    let (after, limit) = (paging.after()?, paging.limit());
    let filter = seen_sessions(&caller);
    let look = move |index: &Index| {
        let rows = index.sessions(&filter, after, limit + 1)?;
        let rows = rows.into_iter().map(|row| {
            // Two rows: the last ask, and whether there is another.
            let filter = AskFilter { session: Some(row.id), states: StateFilter::All, ..AskFilter::default() };
            let asks = index.rows(&filter, None, 2)?;
            Ok((row, asks))
        });
        rows.collect::<Result<Vec<_>, IndexError>>()
    };
    let found = app.handle.look_up(look).await?;
    Ok(json(StatusCode::OK, &Page::of(found, limit, |(row, _)| row.page_key(), |found| listed(&app.handle, found))))
}

fn listed(handle: &Handle, (row, asks): (SessionRow, Vec<AskRow>)) -> SessionListed {
    SessionListed {
        single_ask: asks.len() == 1,
        headline: asks.into_iter().next().map(|ask| ask.headline),
        id: row.id.to_string(),
        host: handle.host_mark(row.id).as_deref().map(HostJson::from),
        state: match row.state {
            SessionState::Running => StateWord::Active,
            SessionState::Closed => StateWord::Closed,
            SessionState::Continued => StateWord::Continued,
        },
        agent: row.agent,
        door: row.door,
        title: row.title,
        folder: row.folder,
        branch: row.branch,
        waiting_for_person: row.open_asks > 0,
        open_asks: row.open_asks,
        started_at: Rfc3339(row.started_at),
        last_activity: Rfc3339(row.last_at),
    }
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listSessions", "Sessions", "Lists sessions, newest first.")
        .text("*Everyone, what they may see.*")
        .query::<Paging>()
        .returns::<Page<SessionListed>>(200, "A page.");
}
