//! `POST /v1/sessions/{id}/configure`: changes what can be changed about a conversation while it goes on.

use askbridge_core::event::Settings;
use askbridge_core::ids::SessionId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::doors::http;
use askbridge_peers::json::{SessionChanges, SessionJson};
use askbridge_peers::wish::{Receipt, Rejection, Wish};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json as example;

use super::{shown, visible};
use crate::auth::{Action, Caller};
use crate::hosts::Launch;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

pub(crate) async fn configure(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(changes): Json<SessionChanges>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    change(&app, &caller, http::NAME, session, changes).await?;
    Ok(json(StatusCode::OK, &shown(&app, session).await?))
}

/// Changes a session, whoever wishes it in whichever language.
pub(crate) async fn change(
    app: &App,
    caller: &Caller,
    via: &str,
    session: SessionId,
    changes: SessionChanges,
) -> Result<Receipt, Rejection> {
    if let Some(mode) = &changes.permission_mode {
        // What an agent may do without asking is not for an agent to say, least of all for the one in question.
        caller.may(Action::RunAgent, None)?;
        let is_root = app.hosts().is_some_and(|hosts| hosts.is_root_without_a_sandbox());
        let checked = Launch::default().check(Some(mode), is_root);
        checked.map_err(|error| Refusal::BadRequest(error.to_string()))?;
    }
    let settings = Box::new(Settings {
        title: changes.title,
        branch: changes.branch,
        model: changes.model,
        mode: changes.permission_mode,
        ..Settings::default()
    });
    app.handle.grant(caller, via, Wish::Configure { session, settings }).await
}

pub(crate) fn configure_doc(op: &mut Operation<'_>) {
    op.is("configure", "Sessions", "Changes a conversation while it goes on.")
        .text(
            "*Whoever started it, operators, this machine; the permission mode only operators and this machine.* Model and \
             permission mode reach an agent that we run.",
        )
        .may_have_body::<SessionChanges>(example!({"permission_mode": "plan"}))
        .returns::<SessionJson>(200, "The session as it is now.")
        .refuses(&["forbidden", "unknown_session", "session_closed"]);
}
