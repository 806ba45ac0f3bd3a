//! `GET /v1/sessions/{id}`: one conversation as it is.

use askbridge_core::refusal::Refusal;
use askbridge_peers::json::SessionJson;
use askbridge_peers::wish::Rejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::session_id;
use crate::auth::{Action, Caller};
use crate::server::app::App;
use crate::server::body::json;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

pub(crate) async fn show(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let session = session_id(&id)?;
    // Whoever may not know of it learns the same as for one that does not exist.
    let may = app.handle.guarded(&caller, Action::See, session);
    may.map_err(|_| Rejection::Refused(Refusal::UnknownSession(session)))?;
    // The cursor first: what happens after it is followed, what happened before is in the view.
    let cursor = app.handle.cursor();
    let view = app.handle.session(session).await?;
    Ok(json(StatusCode::OK, &SessionJson::of(&view, Some(cursor))))
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("showSession", "Sessions", "Shows one session as it is.")
        .text("*Whoever may see it.* `cursor` is where to follow from, to miss nothing that this view does not show.")
        .returns::<SessionJson>(200, "The session.")
        .refuses(&["unknown_session"]);
}
