//! `POST /v1/asks/{id}/answer|dismiss|extend|draft|undo`: a person decides.

use askbridge_core::ids::{AskId, Raw};
use askbridge_core::limits;
use askbridge_core::terms::Wait;
use askbridge_peers::json::{Answering, AskJson};
use askbridge_peers::wish::{AskRef, Wish};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as example;

use super::{ask_id, span};
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{AnyJson, Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// `{"answers": {question: label | [labels] | text}, "notes"?}`, or `{"decision": …}`; either with `undo_seconds`.
pub(crate) async fn answer(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(answering): Json<Answering>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let (reply, undo) = answering.reply().map_err(|error| Trouble::new(422, "bad_request", error.to_string()))?;
    decide(&app, &caller, ask, Wish::Answer { ask: AskRef::Id(ask), reply, undo }).await
}

/// Words on closing an ask.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewDismissal {
    /// What the agent is told along with it.
    words: Option<String>,
}

pub(crate) async fn dismiss(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(NewDismissal { words }): Json<NewDismissal>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    decide(&app, &caller, ask, Wish::Dismiss { ask: AskRef::Id(ask), words }).await
}

/// How much longer to wait than was said before.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewDeadline {
    /// Missing: wait for ever.
    #[schemars(range(min = 1, max = limits::WAIT_MAX.as_secs()))]
    seconds: Option<f64>,
}

pub(crate) async fn extend(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Json(NewDeadline { seconds }): Json<NewDeadline>,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let wait = span(seconds)?.map_or(Wait::Forever, Wait::For);
    decide(&app, &caller, ask, Wish::Extend { ask: AskRef::Id(ask), wait }).await
}

pub(crate) async fn undo(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    decide(&app, &caller, ask, Wish::Undo { ask: AskRef::Id(ask) }).await
}

/// Stores a draft. Any JSON; the person's other devices get it unchanged.
pub(crate) async fn draft(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    AnyJson(draft): AnyJson,
) -> Result<Response, Trouble> {
    let ask = ask_id(&id)?;
    let draft = Raw::from(draft.to_string());
    app.gate().grant(&caller, HTTP, Wish::Draft { ask: AskRef::Id(ask), draft }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// 200 when the decision counts (also when it was made before), 202 when it came late and goes to the agent as a
/// message.
async fn decide(app: &App, caller: &Caller, ask: AskId, wish: Wish) -> Result<Response, Trouble> {
    let receipt = app.gate().grant(caller, HTTP, wish).await?;
    let status = if receipt.late { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(json(status, &AskJson::of(&app.handle.ask(ask).await?)))
}

pub(crate) fn answer_doc(op: &mut Operation<'_>) {
    decision(op.is("answer", "Asks", "Answers."))
        .text(
            "*People.* Questions take `answers`, and perhaps `notes`; everything else takes a `decision` and what goes \
             with it. A text that is no label is free text. With a quorum the state may still be `open` afterwards, with \
             an undo time it is `proposed` until `undo_until`. The undo time is the longer of the ask's own and \
             `undo_seconds`, and ends at the deadline at the latest. A bot's ruling counts at once.",
        )
        .body::<Answering>(example!({"answers": {"Deploy now?": "Yes"}}))
        .returns::<AskJson>(202, "Too late: it goes to the agent as a message.")
        .refuses(&["answer_does_not_fit", "already_decided", "gone"]);
}

pub(crate) fn dismiss_doc(op: &mut Operation<'_>) {
    decision(op.is("dismiss", "Asks", "Closes an ask without an answer."))
        .text("*People.*")
        .may_have_body::<NewDismissal>(example!({"words": "ask me tomorrow"}))
        .refuses(&["already_decided", "not_open", "gone"]);
}

pub(crate) fn extend_doc(op: &mut Operation<'_>) {
    decision(op.is("extend", "Asks", "Moves the deadline."))
        .text("*People.*")
        .may_have_body::<NewDeadline>(example!({"seconds": 600}))
        .refuses(&["already_decided", "not_open", "gone"]);
}

pub(crate) fn undo_doc(op: &mut Operation<'_>) {
    decision(op.is("undo", "Asks", "Takes an answer back, within the undo time."))
        .text(
            "*The person who answered.* Where several people have to agree and do not yet, a person can take back \
             their own vote at any time.",
        )
        .refuses(&["nothing_to_undo", "already_decided", "not_open", "gone"]);
}

pub(crate) fn draft_doc(op: &mut Operation<'_>) {
    op.is("draft", "Asks", "Keeps what was half written.")
        .text("*People.* Any JSON; shown on the person's other devices, kept for 30 days, never delivered.")
        .body::<serde_json::Value>(example!({"text": "Pos"}))
        .returns_nothing(204, "Kept.")
        .refuses(&["forbidden", "unknown_ask", "not_open", "gone", "already_decided"]);
}

fn decision<'a, 'b>(op: &'a mut Operation<'b>) -> &'a mut Operation<'b> {
    op.returns::<AskJson>(200, "It counts, or it was so already.").refuses(&["forbidden", "unknown_ask"])
}
