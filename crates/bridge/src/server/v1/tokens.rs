//! `/v1/tokens`: lists the holders of tokens, and makes tokens for agents. People's tokens are made by pairing.

use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::Unattended;
use askbridge_peers::json::Rfc3339;
use askbridge_peers::told::Own;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::asks::WaitQuery;
use super::connections::withdraw_open;
use super::paging::Page;
use super::taps::tap_request;
use crate::auth::{Caller, TokenInfo, TokenRole, TokensError};
use crate::runtime::{Right, down};
use crate::server::app::App;
use crate::server::body::{Json, json as answer};
use crate::server::docs::Operation;
use crate::server::identify::Remote;
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::taps::{Purpose, tapped};

/// An agent's token to be made.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewToken {
    /// Who holds it, for people to read: 1 to 64 characters.
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[A-Za-z0-9]+$"))]
    name: String,
    /// No person attends what asks with it: where no rule decides, its asks are settled without one.
    unattended: Option<UnattendedRun>,
}

/// `deny`: everything is denied in words. `answer`: questions get the recommended option or else the first, and everything
/// else is denied.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum UnattendedRun {
    Deny,
    Answer,
}

/// Makes a token for an agent: it may ask, and read what it asked.
pub(crate) async fn create(
    State(app): State<App>,
    caller: Caller,
    Json(NewToken { name, unattended }): Json<NewToken>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::MakeToken)?;
    let made = app.tokens.make(&name, "agent", TokenRole::Agent, app.handle.clock.now()).await;
    let (token, info) = made.map_err(|error| trouble(&error))?;
    if let Some(how) = unattended {
        let how = match how {
            UnattendedRun::Deny => Unattended::Deny,
            UnattendedRun::Answer => Unattended::Answer,
        };
        app.handle.leave_unattended(&info.id, how).await?;
    }
    Ok(answer(StatusCode::CREATED, &TokenJson { token: Some(token.reveal()), ..TokenJson::of(&info) }))
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::ListTokens)?;
    let tokens = app.tokens.list();
    let used_at = |info: &TokenInfo| app.tokens.used_at(&info.id).map(Rfc3339);
    let items = tokens.iter().map(|info| TokenJson { last_used_at: used_at(info), ..TokenJson::of(info) }).collect();
    Ok(answer(StatusCode::OK, &Page { items, next: None }))
}

pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Caller,
    remote: Option<Extension<Remote>>,
    Path(id): Path<String>,
    Query(waiting): Query<WaitQuery>,
) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::RevokeToken)?;
    let mut people = app.tokens.list().into_iter().filter(|info| info.role.decides());
    // Otherwise an agent that reads the token file could revoke every device.
    if let Some(info) = people.find(|info| info.id == id && app.tokens.taps_are_needed()) {
        let TokenInfo { id, name, device, .. } = (*info).clone();
        let purpose = Purpose::Revoke { id, name, device };
        tapped(&app, tap_request(&app, &caller, remote, purpose)?, waiting.span()?).await?;
    }
    let revoked = app.tokens.revoke(&id).await.map_err(|error| trouble(&error))?;
    drop_channels(&app, &id).await?;
    withdraw_open(&app, &revoked).await?;
    app.handle.forget_unattended(&id).await;
    app.handle.tell_own(revoked.connected_by.as_ref().unwrap_or(&revoked.name), &Own::Devices);
    Ok(answer(StatusCode::OK, &TokenJson::of(&revoked)))
}

/// Removes the channels that a revoked device added: they ring and decide as it did.
pub(super) async fn drop_channels(app: &App, id: &str) -> Result<(), Trouble> {
    let dropped = app.ringing().channels.remove_of(&app.handle, &format!("tok_{id}")).await;
    dropped.map_err(down)?;
    app.ringing().changed();
    Ok(())
}

/// Who holds a token.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Token")]
struct TokenJson<'a> {
    /// Names the token for revoking; not a secret.
    id: &'a str,
    name: &'a str,
    device: &'a str,
    role: TokenRole,
    made_at: Rfc3339,
    /// When it was last used; up to a minute before a kill of the server may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Rfc3339>,
    /// The person whose device connected this machine. Only of machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    connected_by: Option<&'a str>,
    /// The token itself, shown once, when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl<'a> TokenJson<'a> {
    fn of(info: &'a TokenInfo) -> Self {
        let TokenInfo { id, name, device, role, made_at, .. } = info;
        let connected_by = info.connected_by.as_deref();
        Self {
            id,
            name,
            device,
            role: *role,
            made_at: Rfc3339(Timestamp(*made_at)),
            last_used_at: None,
            connected_by,
            token: None,
        }
    }
}

pub(super) fn trouble(error: &TokensError) -> Trouble {
    match error {
        TokensError::Unknown(_) => Trouble::new(404, "unknown_token", error.to_string()),
        TokensError::InUse => Trouble::new(422, "bad_request", error.to_string()),
        TokensError::BadName => Trouble::new(422, "bad_request", error.to_string()),
        TokensError::TooManyMachines => Trouble::new(403, "forbidden", error.to_string()),
        TokensError::Shelf(_) => down(error).into(),
    }
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("makeToken", "Callers", "Makes a token for an agent: it may ask, and read what it asked.")
        .text("*This machine.* People's tokens are made by pairing.")
        .body::<NewToken>(json!({"name": "ci"}))
        .returns::<TokenJson<'_>>(201, "Made. `token` is shown this once.")
        .refuses(&["forbidden"]);
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listTokens", "Callers", "Lists who holds a token; never the tokens.")
        .text("*This machine.*")
        .returns::<Page<TokenJson<'_>>>(200, "All of them, on one page.")
        .refuses(&["forbidden"]);
}

pub(crate) fn revoke_doc(op: &mut Operation<'_>) {
    op.is("revokeToken", "Callers", "Makes the holder of a token a stranger, on open sockets too.")
        .text(
            "*This machine.* A person's token needs a tap on one of their devices: without `wait`, or when that is over, the answer is \
             `tap_needed`; call again. A person's own devices send each other away with `DELETE /v1/devices/{id}`.",
        )
        .query::<WaitQuery>()
        .returns::<TokenJson<'_>>(200, "Revoked.")
        .refuses(&["forbidden", "unknown_token", "no_device_left", "tap_needed", "tap_denied", "tap_expired", "too_fast"]);
}
