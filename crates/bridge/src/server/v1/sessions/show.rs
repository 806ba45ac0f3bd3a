//! `GET /v1/sessions/{id}`: one conversation as it is.

use askbridge_peers::json::SessionJson;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::{shown, visible};
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

pub(crate) async fn show(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    Ok(json(StatusCode::OK, &shown(&app, session).await?))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showSession", "Sessions", "Shows one session as it is.")
        .text("*Callers that may see it.* `cursor` is where to follow from, to miss nothing that this view does not show.")
        .returns::<SessionJson>(200, "The session.")
        .refuses(&["unknown_session"]);
}
