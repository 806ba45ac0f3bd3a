//! `POST /v1/asks/{id}/withdraw`: whoever asked no longer wants to know.

use askbridge_peers::json::AskJson;
use askbridge_peers::wish::{AskRef, Wish};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use super::ask_id;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::problem::Trouble;

#[derive(Debug, Deserialize)]
pub(crate) struct Why {
    why: Option<String>,
}

pub(crate) async fn withdraw(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(Why { why }): Json<Why>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let why = why.unwrap_or_else(|| "the agent no longer needs it".to_owned());
    app.handle.grant(&caller, "http", Wish::Withdraw { ask: AskRef::Id(ask), why }).await?;
    Ok(json(StatusCode::OK, &AskJson::of(&app.handle.ask(ask).await?)))
}
