//! `GET /v1/asks`: the inbox, and history.

use std::collections::HashMap;
use std::ops::ControlFlow;

use askbridge_core::ids::AskId;
use askbridge_core::limits;
use askbridge_core::view::AskView;
use askbridge_journal::index::{AskFilter, AskRow, Index, IndexError, Order, PageKey, State as AskState, StateFilter};
use askbridge_peers::json::ListedAsk;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::paging::{Page, Paging};
use crate::auth::Caller;
use crate::runtime::{Handle, has_votes, seen_asks};
use crate::server::app::App;
use crate::server::body::{json_written, written};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::query::Query;

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ListQuery {
    /// `open` (the default), `late` (over, and can still be answered), `over`, `all`, or one state by name.
    state: Option<StateWord>,
    /// Only asks of this session.
    #[schemars(regex(pattern = "^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$"))]
    session: Option<String>,
    /// Words of the headline.
    #[schemars(length(max = 1000))]
    q: Option<String>,
    /// `newest` (the default) or `longest_waiting`.
    order: Option<OrderWord>,
    /// What an earlier page gave as `next`.
    #[schemars(regex(pattern = "^pg_[0-9a-f]{1,15}$"))]
    after: Option<String>,
    /// How many on one page: 100 if it is not said, at most 500. Large asks make a page shorter; `next` leads on.
    #[schemars(range(max = limits::PAGE_MAX))]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum StateWord {
    #[default]
    Open,
    Late,
    Over,
    All,
    Proposed,
    Answered,
    Dismissed,
    Expired,
    Ruled,
    Withdrawn,
    Overtaken,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum OrderWord {
    #[default]
    Newest,
    LongestWaiting,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(wanted): Query<ListQuery>,
) -> Result<Response, Trouble> {
    let filter = filter(&caller, &wanted)?;
    let paging = Paging { after: wanted.after, limit: wanted.limit };
    let (after, limit) = (paging.after()?, paging.limit());
    // A page takes long to make: it is made on the index's own threads.
    let handle = app.handle.clone();
    let listed = app.handle.look_up(move |index| {
        let (page, votes) = page(&handle, index, &filter, after, limit)?;
        let body = if votes.is_empty() { written(&page) } else { Vec::new() };
        Ok((page, votes, body))
    });
    let (mut page, votes, mut body) = listed.await?;
    if !votes.is_empty() {
        for (place, ask) in votes {
            page.items[place] = ListedAsk::of(&app.handle.stored_ask(ask).await?);
        }
        body = written(&page);
    }
    Ok(json_written(StatusCode::OK, body))
}

/// The asks on a page whose votes only their session holds, each with its place.
type Votes = Vec<(usize, AskId)>;

/// Makes a page. Only one ask at a time is in memory whole.
fn page(
    handle: &Handle,
    index: &Index,
    filter: &AskFilter,
    after: Option<PageKey>,
    limit: usize,
) -> Result<(Page<ListedAsk>, Votes), IndexError> {
    let mut rows = index.rows(filter, after, limit + 1)?;
    let mut more = rows.len() > limit;
    rows.truncate(limit);
    let (mut page, mut bytes, mut votes) = (Page { items: Vec::new(), next: None }, 0, Votes::new());
    let mut last = rows.last().map(AskRow::page_key);
    // Before the rows are read: this looks into the index as well.
    let marked = rows.iter().filter_map(|row| Some((row.id.session, handle.host_mark(row.id.session)?)));
    let hosts: HashMap<_, _> = marked.collect();
    index.read(&rows, |known| {
        let view = AskView { host: hosts.get(&known.row.id.session).cloned(), ..known.view() };
        if has_votes(&view) {
            votes.push((page.items.len(), view.ask.id));
        }
        let listed = ListedAsk::of(&view);
        bytes += listed.bytes();
        page.items.push(listed);
        if bytes < limits::PAGE_BYTES_MAX {
            return ControlFlow::Continue(());
        }
        let ended = Some(known.row.page_key());
        (more, last) = (more || ended != last, ended);
        ControlFlow::Break(())
    })?;
    page.next = last.filter(|_| more).map(|last| last.to_string());
    Ok((page, votes))
}

/// The page without filters.
pub(crate) async fn first_page(app: &App, caller: &Caller) -> Result<Response, Trouble> {
    list(State(app.clone()), caller.clone(), Query(ListQuery::default())).await
}

fn filter(caller: &Caller, wanted: &ListQuery) -> Result<AskFilter, Trouble> {
    let bad = |why: String| Trouble::new(422, "bad_request", why);
    let states = match wanted.state.unwrap_or_default() {
        StateWord::Open => StateFilter::Open,
        StateWord::Late => StateFilter::Late,
        StateWord::Over => StateFilter::Over,
        StateWord::All => StateFilter::All,
        StateWord::Proposed => StateFilter::One(AskState::Proposed),
        StateWord::Answered => StateFilter::One(AskState::Answered),
        StateWord::Dismissed => StateFilter::One(AskState::Dismissed),
        StateWord::Expired => StateFilter::One(AskState::Expired),
        StateWord::Ruled => StateFilter::One(AskState::Ruled),
        StateWord::Withdrawn => StateFilter::One(AskState::Withdrawn),
        StateWord::Overtaken => StateFilter::One(AskState::Overtaken),
    };
    let order = match wanted.order.unwrap_or_default() {
        OrderWord::Newest => Order::NewestFirst,
        OrderWord::LongestWaiting => Order::LongestWaitingFirst,
    };
    let session = wanted.session.as_deref().map(str::parse).transpose();
    let session = session.map_err(|_| bad("`session` is not a session's id".to_owned()))?;
    if wanted.q.as_ref().is_some_and(|words| words.len() > limits::LABEL_BYTES_MAX) {
        return Err(bad("`q` is too long".to_owned()));
    }
    Ok(AskFilter { states, order, session, search: wanted.q.clone(), ..seen_asks(caller) })
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listAsks", "Asks", "Lists asks: the inbox, and history.")
        .text(
            "*Everyone, what they may see.* An ask of more than 16 KiB is shortened here and carries `truncated`; \
             `GET /v1/asks/{id}` shows it whole.",
        )
        .query::<ListQuery>()
        .returns::<Page<ListedAsk>>(200, "A page.");
}
