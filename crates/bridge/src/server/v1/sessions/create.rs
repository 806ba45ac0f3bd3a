//! `POST /v1/sessions`: starts a conversation that asks may belong to.

use askbridge_peers::json::{NewSession, SessionJson};
use askbridge_peers::wish::Rejection;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json as example;

use super::shown;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewSession>,
) -> Result<Response, Trouble> {
    if let Some(workflow) = new.hosting.workflow.clone() {
        let folder = new.folder.as_ref().or(new.cwd.as_ref()).cloned();
        app.handle.check_workflow(folder.as_deref(), &workflow).await?;
    }
    let receipt = app.gate().grant(&caller, HTTP, new.wish().map_err(Rejection::Refused)?).await?;
    let session = receipt.session.expect("a session that was started has an id");
    Ok(json(StatusCode::CREATED, &shown(&app, session).await?))
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("startSession", "Sessions", "Starts a session.")
        .text("*Agents, operators, this machine.* Its terms hold for its asks unless those say otherwise.")
        .may_have_body::<NewSession>(example!({"agent": "ci", "title": "Nightly build", "timeout_seconds": 3600}))
        .returns::<SessionJson>(201, "Started.")
        .refuses(&["forbidden", "no_claude", "unknown_node", "host_down"]);
}
