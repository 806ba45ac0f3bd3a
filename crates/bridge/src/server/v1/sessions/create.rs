//! `POST /v1/sessions`: a conversation that asks may belong to.

use std::time::Duration;

use askbridge_core::event::Settings;
use askbridge_core::limits;
use askbridge_core::terms::{Wait, WhileOpen, Wishes};
use askbridge_peers::doors::{claude, http};
use askbridge_peers::json::SessionJson;
use askbridge_peers::wish::Wish;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as example;

use super::agent::{self, Hosting};
use super::shown;
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::problem::Trouble;

/// A session to be started. Everything may be left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "NewSession")]
pub(crate) struct Starting {
    /// `claude`: one that we run. Anything else names a program that asks by itself, for people to read. Without it: the
    /// token's name.
    agent: Option<String>,
    title: Option<String>,
    #[serde(alias = "cwd")]
    folder: Option<String>,
    branch: Option<String>,
    #[schemars(range(min = 0, max = limits::WAIT_MAX.as_secs()))]
    /// How long asks of this session wait, unless they say otherwise. Missing: for ever.
    timeout_seconds: Option<f64>,
    #[schemars(range(min = 0, max = limits::UNDO_MAX.as_secs()))]
    /// How long an answer can be taken back before it counts.
    undo_seconds: Option<f64>,
    /// What a message does while an ask is open: `hold`, `cancel_turn`, `refuse` or `pass_on`.
    #[schemars(with = "Option<Messages>")]
    messages: Option<String>,
    /// May several asks be open at once?
    parallel: Option<bool>,
    #[serde(flatten)]
    hosted: Hosting,
}

/// What a message does while an ask is open.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "a shape, never a value")]
enum Messages {
    Hold,
    CancelTurn,
    Refuse,
    PassOn,
}

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(starting): Json<Starting>,
) -> Result<Response, Trouble> {
    let bad = |why: &str| Trouble::new(422, "bad_request", why);
    let seconds = |value: Option<f64>, max: Duration| {
        let span = value.map(Duration::try_from_secs_f64).transpose();
        span.ok().filter(|span| span.is_none_or(|span| span <= max))
    };
    let wait = seconds(starting.timeout_seconds, limits::WAIT_MAX);
    let wait = wait.ok_or_else(|| bad("`timeout_seconds` is a number of seconds, at most a year"))?;
    let undo = seconds(starting.undo_seconds, limits::UNDO_MAX);
    let undo = undo.ok_or_else(|| bad("`undo_seconds` is a number of seconds, at most 60"))?;
    let messages = match starting.messages.as_deref() {
        None => None,
        Some("hold") => Some(WhileOpen::Hold),
        Some("cancel_turn") => Some(WhileOpen::CancelTurn),
        Some("refuse") => Some(WhileOpen::Refuse),
        Some("pass_on") => Some(WhileOpen::PassOn),
        Some(_) => return Err(bad("`messages` is hold, cancel_turn, refuse or pass_on")),
    };
    let mut settings = Settings {
        title: starting.title,
        folder: starting.folder,
        branch: starting.branch,
        wishes: Wishes { wait: wait.map(Wait::For), undo, messages, parallel: starting.parallel, ..Wishes::default() },
        ..Settings::default()
    };
    let mut door = http::NAME;
    if starting.agent.as_deref() == Some(claude::NAME) {
        agent::host(&app, &caller, starting.hosted, &mut settings).await?;
        door = claude::NAME;
    }
    let wish = Wish::Start {
        session: None,
        door,
        agent: starting.agent.unwrap_or_else(|| caller.name.to_string()),
        settings: Box::new(settings),
    };
    let receipt = app.handle.grant(&caller, http::NAME, wish).await?;
    let session = receipt.session.expect("a session that was started has an id");
    Ok(json(StatusCode::CREATED, &shown(&app, session).await?))
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("startSession", "Sessions", "Starts a session.")
        .text("*Agents, operators, this machine.* Its terms hold for its asks unless those say otherwise.")
        .may_have_body::<Starting>(example!({"agent": "ci", "title": "Nightly build", "timeout_seconds": 3600}))
        .returns::<SessionJson>(201, "Started.")
        .refuses(&["forbidden", "no_claude"]);
}
