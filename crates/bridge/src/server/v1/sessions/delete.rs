//! `DELETE /v1/sessions/{id}`: forgets a conversation, for good.

use askbridge_journal::Forgotten;
use askbridge_peers::wish::{Removed, Wish};
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

/// How much was forgotten.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Forgotten")]
pub(crate) struct ForgottenJson {
    /// More than one, if the conversation had grown so long that it went on as other sessions.
    sessions: u64,
    entries: u64,
    /// Of what was written down. The disk gets its room back a little later.
    bytes: u64,
}

impl From<Forgotten> for ForgottenJson {
    fn from(Forgotten { sessions, entries, bytes }: Forgotten) -> Self {
        Self { sessions, entries, bytes }
    }
}

pub(crate) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let receipt = app.gate().grant(&caller, HTTP, Wish::Forget { session }).await?;
    let removed = receipt.removed.expect("a conversation that was forgotten was counted");
    let Removed { sessions, entries, bytes } = *removed;
    Ok(json(StatusCode::OK, &ForgottenJson { sessions, entries, bytes }))
}

pub(crate) fn delete_doc(op: &mut Operation<'_>) {
    op.is("deleteSession", "Sessions", "Forgets a conversation, for good.")
        .text(
            "*Operators, and terminals of this machine.* All sessions that it went on as go with it, and the drafts, snoozes \
             and files about it. The journal keeps when that was, who wanted it, and a digest of what went. Refused while \
             something in it is unfinished; `detail` says what. Everyone who is connected hears `gone`.",
        )
        .returns::<ForgottenJson>(200, "It is gone.")
        .refuses(&["forbidden", "unknown_session", "session_unfinished"]);
}
