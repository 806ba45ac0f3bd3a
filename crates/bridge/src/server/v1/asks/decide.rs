//! `POST /v1/asks/{id}/answer|dismiss|extend|draft|undo`: a person decides.

use std::time::Duration;

use askbridge_core::ids::{AskId, Raw};
use askbridge_core::terms::Wait;
use askbridge_peers::json::{Answering, AskJson};
use askbridge_peers::wish::{AskRef, Wish};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::ask_id;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::problem::Trouble;

/// The language of these addresses, in `via`.
const VIA: &str = "http";

/// `{"answers": {question: label | [labels] | text}, "notes"?}`, or `{"decision": …}`.
pub(crate) async fn answer(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(answering): Json<Answering>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let reply = answering.reply().map_err(|error| Trouble::new(422, "bad_request", error.to_string()))?;
    decide(&app, &caller, ask, Wish::Answer { ask: AskRef::Id(ask), reply }).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Words {
    words: Option<String>,
}

pub(crate) async fn dismiss(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(Words { words }): Json<Words>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    decide(&app, &caller, ask, Wish::Dismiss { ask: AskRef::Id(ask), words }).await
}

#[derive(Debug, Deserialize)]
pub(crate) struct Extending {
    /// Missing: wait for ever.
    seconds: Option<f64>,
}

pub(crate) async fn extend(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(Extending { seconds }): Json<Extending>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let wait = match seconds.map(Duration::try_from_secs_f64) {
        None => Wait::Forever,
        Some(Ok(more)) => Wait::For(more),
        Some(Err(_)) => return Err(Trouble::new(422, "bad_request", "`seconds` has to be a number above 0")),
    };
    decide(&app, &caller, ask, Wish::Extend { ask: AskRef::Id(ask), wait }).await
}

pub(crate) async fn undo(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    decide(&app, &caller, ask, Wish::Undo { ask: AskRef::Id(ask) }).await
}

/// Keeps what was half written. Any JSON; it is shown on the person's other devices as it is.
pub(crate) async fn draft(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(draft): Json<serde_json::Value>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let draft = Raw::from(draft.to_string());
    app.handle.grant(&caller, VIA, Wish::Draft { ask: AskRef::Id(ask), draft }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// 200 when it counts (also when it was so already), 202 when it goes to the agent as a message because it came late.
async fn decide(app: &App, caller: &Caller, ask: AskId, wish: Wish) -> Result<Response, Trouble> {
    let receipt = app.handle.grant(caller, VIA, wish).await?;
    let status = if receipt.late { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(json(status, &AskJson::of(&app.handle.ask(ask).await?)))
}
