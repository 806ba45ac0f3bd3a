//! `POST /v1/asks/{id}/withdraw`: the asker no longer needs an answer.

use askbridge_peers::json::AskJson;
use askbridge_peers::wish::{AskRef, Wish};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as example;

use super::ask_id;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// Why an ask is withdrawn.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewWithdrawal {
    /// People read it.
    why: Option<String>,
}

pub(crate) async fn withdraw(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(NewWithdrawal { why }): Json<NewWithdrawal>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let why = why.unwrap_or_else(|| "the agent no longer needs it".to_owned());
    app.gate().grant(&caller, HTTP, Wish::Withdraw { ask: AskRef::Id(ask), why }).await?;
    Ok(json(StatusCode::OK, &AskJson::of(&app.handle.ask(ask).await?)))
}

pub(crate) fn withdraw_doc(op: &mut Operation<'_>) {
    op.is("withdraw", "Asks", "Takes an ask back: the asker no longer needs an answer.")
        .text("*The asker, operators, this machine.*")
        .may_have_body::<NewWithdrawal>(example!({"why": "the build was cancelled"}))
        .returns::<AskJson>(200, "Withdrawn.")
        .refuses(&["forbidden", "unknown_ask", "already_decided", "not_open", "gone"]);
}
