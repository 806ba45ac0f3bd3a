//! `POST /v1/sessions/{id}/messages`: sends a message to the agent. `202`: it is on disk, and will be delivered.

use askbridge_peers::wish::Wish;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::visible;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// Something to say to the agent.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewMessage {
    text: String,
    /// The ask that this is about.
    about: Option<String>,
}

/// A message that was taken.
#[derive(Serialize, JsonSchema)]
struct TakenMessage {
    id: Option<String>,
    session: String,
}

pub(crate) async fn say(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(saying): Json<NewMessage>,
) -> Result<Response, Trouble> {
    let session = visible(&app, &caller, &id)?;
    let about = saying.about.map(|ask| ask.parse()).transpose();
    let about = about.map_err(|_| Trouble::new(422, "bad_request", "`about` is not an ask's id"))?;
    let wish = Wish::Say { session, text: saying.text, about, client_id: None };
    let receipt = app.gate().grant(&caller, HTTP, wish).await?;
    let session = receipt.session.unwrap_or(session).to_string();
    Ok(json(StatusCode::ACCEPTED, &TakenMessage { id: receipt.message.map(|message| message.to_string()), session }))
}

pub(crate) fn say_doc(op: &mut Operation<'_>) {
    op.is("say", "Sessions", "Says something to the agent.")
        .text("*Callers that may talk in it.* `202`: it is on disk, and will be said; while an ask is open, its terms say when.")
        .body::<NewMessage>(example!({"text": "Take the smaller one."}))
        .returns::<TakenMessage>(202, "Taken.")
        .refuses(&["forbidden", "unknown_session", "session_closed", "messages_refused", "too_many_messages", "too_large"]);
}
