//! `POST /v1/sessions`: a conversation that asks may belong to.

use std::time::Duration;

use askbridge_core::event::Settings;
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{Wait, WhileOpen, Wishes};
use askbridge_peers::doors::http;
use askbridge_peers::json::{NewSession, SessionJson};
use askbridge_peers::listing::hosted_door;
use askbridge_peers::wish::{Receipt, Rejection, Wish};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json as example;

use super::agent;
use super::shown;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(new): Json<NewSession>,
) -> Result<Response, Trouble> {
    let receipt = start(&app, &caller, http::NAME, new).await?;
    let session = receipt.session.expect("a session that was started has an id");
    Ok(json(StatusCode::CREATED, &shown(&app, session).await?))
}

/// Starts a session, whoever wishes it in whichever language.
pub(crate) async fn start(app: &App, caller: &Caller, via: &str, new: NewSession) -> Result<Receipt, Rejection> {
    let bad = |why: &str| Rejection::Refused(Refusal::BadRequest(why.to_owned()));
    let seconds = |value: Option<f64>, max: Duration| {
        let span = value.map(Duration::try_from_secs_f64).transpose();
        span.ok().filter(|span| span.is_none_or(|span| span <= max))
    };
    let wait = seconds(new.timeout_seconds, limits::WAIT_MAX);
    let wait = wait.ok_or_else(|| bad("`timeout_seconds` is a number of seconds, at most a year"))?;
    let undo = seconds(new.undo_seconds, limits::UNDO_MAX);
    let undo = undo.ok_or_else(|| bad("`undo_seconds` is a number of seconds, at most 60"))?;
    let messages = match new.messages.as_deref() {
        None => None,
        Some("hold") => Some(WhileOpen::Hold),
        Some("cancel_turn") => Some(WhileOpen::CancelTurn),
        Some("refuse") => Some(WhileOpen::Refuse),
        Some("pass_on") => Some(WhileOpen::PassOn),
        Some(_) => return Err(bad("`messages` is hold, cancel_turn, refuse or pass_on")),
    };
    let mut settings = Settings {
        title: new.title,
        folder: new.folder.or(new.cwd),
        branch: new.branch,
        wishes: Wishes { wait: wait.map(Wait::For), undo, messages, parallel: new.parallel, ..Wishes::default() },
        ..Settings::default()
    };
    let mut door = http::NAME;
    if let Some(hosted) = new.agent.as_deref().and_then(hosted_door) {
        agent::host(app, caller, hosted, new.hosting, &mut settings).await?;
        door = hosted;
    }
    let agent = new.agent.unwrap_or_else(|| caller.name.to_string());
    app.handle.grant(caller, via, Wish::Start { session: None, door, agent, settings: Box::new(settings) }).await
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("startSession", "Sessions", "Starts a session.")
        .text("*Agents, operators, this machine.* Its terms hold for its asks unless those say otherwise.")
        .may_have_body::<NewSession>(example!({"agent": "ci", "title": "Nightly build", "timeout_seconds": 3600}))
        .returns::<SessionJson>(201, "Started.")
        .refuses(&["forbidden", "no_claude"]);
}
