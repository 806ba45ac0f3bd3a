//! `POST /v1/sessions/{id}/close`: ends a conversation. Its agent's process is ended, and its open asks are withdrawn.

use askbridge_peers::json::SessionJson;
use askbridge_peers::wish::Wish;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as example;

use super::{shown, visible};
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// Why it ends.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CloseSession {
    why: Option<String>,
}

pub(crate) async fn close(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(closing): Json<CloseSession>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    app.gate().grant(&caller, HTTP, Wish::Close { session, why: closing.why }).await?;
    Ok(json(StatusCode::OK, &shown(&app, session).await?))
}

pub(crate) fn close_doc(op: &mut Operation<'_>) {
    op.is("closeSession", "Sessions", "Ends a conversation.")
        .text("*Its owner, operators, this machine.* Its agent's process ends, and its open asks are withdrawn.")
        .may_have_body::<CloseSession>(example!({"why": "done"}))
        .returns::<SessionJson>(200, "The session as it is now.")
        .refuses(&["forbidden", "unknown_session", "session_closed"]);
}
