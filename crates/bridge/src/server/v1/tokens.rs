//! `/v1/tokens`: who holds a token; tokens for agents. People's tokens are made by pairing.

use askbridge_core::ids::Timestamp;
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::Rejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::{Action, Caller, TokenInfo, TokenRole, TokensError};
use crate::runtime::chain;
use crate::server::app::App;
use crate::server::body::{Json, json as answer};
use crate::server::problem::Trouble;

#[derive(Deserialize)]
pub(crate) struct Making {
    name: String,
}

/// Makes a token for an agent: it may ask, and read what it asked.
pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(Making { name }): Json<Making>,
) -> Result<Response, Trouble> {
    caller.may(Action::Administer, None)?;
    let made = app.tokens.make(&name, "agent", TokenRole::Agent, app.handle.clock.now()).await;
    let (token, info) = made.map_err(|error| trouble(&error))?;
    let mut body = shown(&info);
    body["token"] = json!(token.reveal());
    Ok(answer(StatusCode::CREATED, &body))
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    caller.may(Action::Administer, None)?;
    let items: Vec<_> = app.tokens.list().iter().map(|info| shown(info)).collect();
    Ok(answer(StatusCode::OK, &json!({"items": items, "next": null})))
}

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Trouble> {
    caller.may(Action::Administer, None)?;
    let revoked = app.tokens.revoke(&id).await.map_err(|error| trouble(&error))?;
    Ok(answer(StatusCode::OK, &shown(&revoked)))
}

fn shown(info: &TokenInfo) -> Value {
    json!({
        "id": info.id,
        "name": info.name,
        "device": info.device,
        "role": info.role,
        "made_at": Rfc3339(Timestamp(info.made_at)),
    })
}

pub(super) fn trouble(error: &TokensError) -> Trouble {
    match error {
        TokensError::Unknown(_) => Trouble::new(404, "unknown_token", error.to_string()),
        TokensError::BadName => Trouble::new(422, "bad_request", error.to_string()),
        TokensError::Shelf(_) => Rejection::Down(chain(error)).into(),
    }
}
