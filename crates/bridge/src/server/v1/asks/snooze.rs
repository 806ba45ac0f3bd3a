//! `POST /v1/asks/{id}/snooze` and `GET /v1/snoozes`: hides an ask from the person for a while.

use askbridge_core::limits;
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::{AskRef, Wish};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::super::paging::Page;
use super::{ask_id, span};
use crate::auth::Caller;
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// For how long not to show an ask.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewSnooze {
    /// Missing: show it again.
    #[schemars(range(min = 1, max = limits::SNOOZE_MAX.as_secs()))]
    seconds: Option<f64>,
}

/// An ask that its person does not want to see for a while.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Snooze")]
struct SnoozeJson {
    ask: String,
    /// `null`: it is shown.
    until: Option<Rfc3339>,
}

pub(crate) async fn snooze(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(NewSnooze { seconds }): Json<NewSnooze>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let time = span(seconds)?;
    let receipt = app.gate().grant(&caller, HTTP, Wish::Snooze { ask: AskRef::Id(ask), time }).await?;
    Ok(json(StatusCode::OK, &SnoozeJson { ask: ask.to_string(), until: receipt.until.map(Rfc3339) }))
}

pub(crate) async fn snoozes(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ListSnoozes)?;
    let snoozed = app.handle.snoozes_of(&caller).await?.into_iter();
    let items = snoozed.map(|(ask, until)| SnoozeJson { ask: ask.to_string(), until: Some(Rfc3339(until)) });
    Ok(json(StatusCode::OK, &Page { items: items.collect(), next: None }))
}

pub(crate) fn snooze_doc(op: &mut Operation<'_>) {
    op.is("snooze", "Asks", "Hides an ask from your inbox for a while.")
        .text("*People.* Hides the ask on all your devices, and on no one else's. The ask stays open, and its deadline is unchanged.")
        .may_have_body::<NewSnooze>(example!({"seconds": 3600}))
        .returns::<SnoozeJson>(200, "Until when.")
        .refuses(&["forbidden", "unknown_ask"]);
}

pub(crate) fn snoozes_doc(op: &mut Operation<'_>) {
    op.is("listSnoozes", "Asks", "Lists what you do not want to see for a while.")
        .text("*People.*")
        .returns::<Page<SnoozeJson>>(200, "All of them, on one page.")
        .refuses(&["forbidden"]);
}
