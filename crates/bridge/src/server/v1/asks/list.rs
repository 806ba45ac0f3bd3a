//! `GET /v1/asks`: the inbox, and history.

use askbridge_core::limits;
use askbridge_core::view::AskView;
use askbridge_journal::index::{AskFilter, Order, State as Stage, StateFilter};
use askbridge_peers::json::AskJson;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::paging::{Page, Paging};
use crate::auth::Caller;
use crate::runtime::{has_votes, of_known};
use crate::server::app::App;
use crate::server::body::{json_written, written};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::query::Query;

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Wanted {
    /// `open` (the default), `late` (over, and can still be answered), `over`, `all`, or one state by name.
    #[schemars(with = "Option<Wished>")]
    state: Option<String>,
    /// Only asks of this session.
    #[schemars(regex(pattern = "^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$"))]
    session: Option<String>,
    /// Words of the headline.
    #[schemars(length(max = 1000))]
    q: Option<String>,
    /// `newest` (the default) or `longest_waiting`.
    #[schemars(with = "Option<Ordered>")]
    order: Option<String>,
    /// What an earlier page gave as `next`.
    #[schemars(regex(pattern = "^pg_[0-9a-f]{1,15}$"))]
    after: Option<String>,
    /// How many on one page: 100 if it is not said, at most 500.
    #[schemars(range(max = limits::PAGE_MAX))]
    limit: Option<usize>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
#[expect(dead_code, reason = "a shape, never a value")]
enum Wished {
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

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
#[expect(dead_code, reason = "a shape, never a value")]
enum Ordered {
    Newest,
    LongestWaiting,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Trouble> {
    let filter = filter(&app, &caller, &wanted)?;
    let paging = Paging { after: wanted.after, limit: wanted.limit };
    let (after, limit) = (paging.after()?, paging.limit());
    // A page is long: what can be done beside everybody else is done there.
    let listed = app.handle.look_up(move |index| {
        let found = index.asks(&filter, after, limit + 1)?;
        let page: Page<AskView> = Page::of(found, limit, |known| known.page_key(), |known| of_known(&known));
        Ok(match page.items.iter().any(has_votes) {
            true => Listed::Unfinished(page),
            false => Listed::Whole(shown(&page)),
        })
    });
    let body = match listed.await? {
        Listed::Whole(body) => body,
        Listed::Unfinished(mut page) => {
            app.handle.with_votes(&mut page.items).await?;
            shown(&page)
        }
    };
    Ok(json_written(StatusCode::OK, body))
}

/// What a lookup found.
enum Listed {
    Whole(Vec<u8>),
    /// Sessions have to be asked before it can be shown.
    Unfinished(Page<AskView>),
}

fn shown(page: &Page<AskView>) -> Vec<u8> {
    written(&Page { items: page.items.iter().map(AskJson::of).collect(), next: page.next.clone() })
}

/// What somebody sees who wants nothing in particular.
pub(crate) async fn first_page(app: &App, caller: &Caller) -> Result<Response, Trouble> {
    list(State(app.clone()), caller.clone(), Query(Wanted::default())).await
}

fn filter(app: &App, caller: &Caller, wanted: &Wanted) -> Result<AskFilter, Trouble> {
    let bad = |why: String| Trouble::new(422, "bad_request", why);
    let states = match wanted.state.as_deref() {
        None | Some("open") => StateFilter::Open,
        Some("late") => StateFilter::Late,
        Some("over") => StateFilter::Over,
        Some("all") => StateFilter::All,
        Some("proposed") => StateFilter::One(Stage::Proposed),
        Some("answered") => StateFilter::One(Stage::Answered),
        Some("dismissed") => StateFilter::One(Stage::Dismissed),
        Some("expired") => StateFilter::One(Stage::Expired),
        Some("ruled") => StateFilter::One(Stage::Ruled),
        Some("withdrawn") => StateFilter::One(Stage::Withdrawn),
        Some("overtaken") => StateFilter::One(Stage::Overtaken),
        Some(other) => return Err(bad(format!("`{other}` is not a state; try open, late, over or all"))),
    };
    let order = match wanted.order.as_deref() {
        None | Some("newest") => Order::NewestFirst,
        Some("longest_waiting") => Order::LongestWaitingFirst,
        Some(other) => return Err(bad(format!("`{other}` is not an order; try newest or longest_waiting"))),
    };
    let session = wanted.session.as_deref().map(str::parse).transpose();
    let session = session.map_err(|_| bad("`session` is not a session's id".to_owned()))?;
    if wanted.q.as_ref().is_some_and(|words| words.len() > limits::LABEL_BYTES_MAX) {
        return Err(bad("`q` is too long".to_owned()));
    }
    Ok(AskFilter { states, order, session, search: wanted.q.clone(), ..app.handle.visible_to(caller) })
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listAsks", "Asks", "Lists asks: the inbox, and history.")
        .text("*Everyone, what they may see.*")
        .query::<Wanted>()
        .returns::<Page<AskJson>>(200, "A page.");
}
