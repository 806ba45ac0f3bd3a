//! `POST /v1/sessions/{id}/configure`: changes the settings of a running conversation.

use askbridge_peers::json::{SessionChanges, SessionJson};
use askbridge_peers::wish::Wish;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json as example;

use super::{shown, visible};
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

pub(crate) async fn configure(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(changes): Json<SessionChanges>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let wish = Wish::Configure { session, settings: Box::new(changes.into()) };
    app.gate().grant(&caller, HTTP, wish).await?;
    Ok(json(StatusCode::OK, &shown(&app, session).await?))
}

pub(crate) fn configure_doc(op: &mut Operation<'_>) {
    op.is("configure", "Sessions", "Changes a conversation while it goes on.")
        .text(
            "*Its owner, operators, this machine; the permission mode only operators and this machine.* Model and \
             permission mode reach an agent that we run.",
        )
        .may_have_body::<SessionChanges>(example!({"permission_mode": "plan"}))
        .returns::<SessionJson>(200, "The session as it is now.")
        .refuses(&["forbidden", "unknown_session", "session_closed"]);
}
