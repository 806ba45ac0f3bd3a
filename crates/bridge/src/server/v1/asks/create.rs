//! `POST /v1/asks`: a program asks. With `?wait=SECONDS` it also waits for the answer.

use std::time::Duration;

use askbridge_core::ids::AskId;
use askbridge_core::limits;
use askbridge_peers::doors::http::{self, AskError, Asking, NewAsk};
use askbridge_peers::json::AskJson;
use askbridge_peers::wish::{AskWish, Rejection};
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::json;

use super::gone::{held, respond_or_withdraw};
use super::show::{AskerWaitQuery, Shown, respond};
use crate::auth::Caller;
use crate::runtime::{CreatedAsk, Listen};
use crate::server::app::App;
use crate::server::aside::aside;
use crate::server::body::Text;
use crate::server::docs::Operation;
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::v1::HTTP;

pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Query(waiting): Query<AskerWaitQuery>,
    Attempt(key): Attempt,
    Text(body): Text,
) -> Result<Response, Trouble> {
    let wait = waiting.span()?;
    let wish = Box::new(http::ask(&body, &Asking { key: key.as_deref() }).map_err(trouble)?);
    if waiting.withdraws()? {
        let held = held(app, move |app, connection| async move {
            let (ask, asked, status) = granted(&app, &caller, wish, wait).await?;
            respond_or_withdraw(app, &caller, Shown { ask, asked, wait, status }, connection).await
        });
        // Boxed, because it is rare and large.
        return Box::pin(held).await;
    }
    aside(Box::pin(async move {
        let (ask, asked, status) = granted(&app, &caller, wish, wait).await?;
        respond(app, &caller, Shown { ask, asked, wait, status }).await
    }))
    .await
}

async fn granted(
    app: &App,
    caller: &Caller,
    wish: Box<AskWish>,
    wait: Duration,
) -> Result<(AskId, Option<CreatedAsk>, StatusCode), Rejection> {
    let listen = if wait.is_zero() { Listen::No } else { Listen::ForTheEnd };
    let (receipt, asked) = app.gate().ask_shown(caller, HTTP, wish, listen).await?;
    let ask = receipt.ask.expect("an ask that was granted has an id");
    Ok((ask, asked, if receipt.news { StatusCode::CREATED } else { StatusCode::OK }))
}

/// The asker's idempotency key for this attempt, if it sent one.
pub(crate) struct Attempt(Option<String>);

impl<S: Sync> FromRequestParts<S> for Attempt {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Trouble> {
        match parts.headers.get("idempotency-key").map(|key| key.to_str()) {
            None => Ok(Self(None)),
            Some(Ok(key)) if !key.is_empty() && key.len() <= limits::LABEL_BYTES_MAX => Ok(Self(Some(key.to_owned()))),
            Some(_) => Err(Trouble::new(422, "bad_request", "Idempotency-Key has to be printable ASCII")),
        }
    }
}

fn trouble(error: AskError) -> Trouble {
    match error {
        AskError::NotJson => Trouble::new(400, "not_json", error.to_string()),
        _ => Trouble::new(422, "bad_request", error.to_string()),
    }
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("ask", "Asks", "Asks.")
        .text(
            "*Agents, operators, this machine.* The answer is fetched with `GET /v1/asks/{id}`, or waited for right here.",
        )
        .query::<AskerWaitQuery>()
        .header(
            "idempotency-key",
            "Asking again with the same key is the same ask. Printable ASCII.",
            json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": limits::LABEL_BYTES_MAX}),
        )
        .body::<NewAsk<'static>>(json!({
            "questions": [{"question": "Deploy now?", "header": "Deploy", "options": [{"label": "Yes"}, {"label": "No"}]}],
            "agent": "ci",
            "timeout_seconds": 3600,
        }))
        .returns::<AskJson>(201, "Asked.")
        .returns::<AskJson>(200, "Asked before with this key.")
        .refuses(&["forbidden", "unknown_session", "ask_open", "session_closed", "session_moved_on", "session_full"])
        .refuses(&["already_started", "too_many_asks", "too_much_open"]);
}

#[cfg(test)]
mod tests;
