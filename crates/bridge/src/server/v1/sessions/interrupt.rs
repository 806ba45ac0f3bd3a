//! `POST /v1/sessions/{id}/interrupt`: stops the agent's turn. Its open asks are withdrawn.

use askbridge_peers::wish::Wish;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::visible;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// A turn that is being stopped.
#[derive(Serialize, JsonSchema)]
struct Interrupted {
    session: String,
}

pub(crate) async fn interrupt(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    app.gate().grant(&caller, HTTP, Wish::Interrupt { session }).await?;
    Ok(json(StatusCode::ACCEPTED, &Interrupted { session: session.to_string() }))
}

pub(crate) fn interrupt_doc(op: &mut Operation<'_>) {
    op.is("interrupt", "Sessions", "Stops the agent's turn.")
        .text("*Callers that may talk in it.* Its open asks are withdrawn.")
        .returns::<Interrupted>(202, "It will stop.")
        .refuses(&["forbidden", "unknown_session", "session_closed"]);
}
