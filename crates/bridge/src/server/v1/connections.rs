//! `POST /v1/connections`: a machine on the network wants to ask here. `DELETE`: a connected machine takes itself off.

use askbridge_core::intent::Intent;
use askbridge_core::limits::{PAGE_MAX, TOKEN_USES_EVERY};
use askbridge_core::view::By;
use askbridge_journal::index::{AskFilter, StateFilter};
use askbridge_peers::told::Own;
use askbridge_peers::wish::Rejection;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;
use tracing::{info, warn};

use super::asks::WaitQuery;
use super::tokens::trouble;
use crate::auth::{Caller, TokenInfo, TokensError, checked_name, party_of, read_digest};
use crate::runtime::{Right, chain};
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::identify::{Remote, address_of};
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::taps::{GivenTap, TapRequest, forget, given};

/// A machine that wants to ask here.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewConnection {
    /// What people read on its cards: 1 to 64 characters.
    #[schemars(length(min = 1, max = 64), regex(pattern = "\\S"))]
    name: String,
    /// The SHA-256 of a token that the machine made itself, `ab_` and 64 random hexadecimal digits, in hexadecimal. The token
    /// counts once the tap is given.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    token_sha256: String,
}

/// A machine that may ask here.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Connection")]
struct ConnectionJson<'a> {
    /// For revoking it; not a secret.
    id: &'a str,
    /// What people read on its cards.
    name: &'a str,
}

pub(crate) async fn create(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    Query(waiting): Query<WaitQuery>,
    Json(NewConnection { name, token_sha256 }): Json<NewConnection>,
) -> Result<Response, Trouble> {
    let bad = |detail: &str| Trouble::new(422, "bad_request", detail);
    let hash = read_digest(&token_sha256).ok_or_else(|| bad("`token_sha256` is 64 hexadecimal digits"))?;
    let name = checked_name(&name).map_err(|error| trouble(&error))?.to_owned();
    if let Some(known) = app.tokens.machine(&hash) {
        return Ok(connected(&known));
    }
    // Otherwise a program that has read the hash of a person's token could have it replaced by a machine's.
    if app.tokens.is_known(&hash) {
        return Err(trouble(&TokensError::InUse));
    }
    if !app.tokens.someone_was_paired() {
        let why = "no device is paired there yet that could agree to this; pair one first, with `askbridge pair` on that machine";
        return Err(Trouble::new(403, "no_device_left", why));
    }
    let from = address_of(remote.as_ref().map(|Extension(remote)| remote));
    let request = TapRequest::by_a_machine(name.clone(), token_sha256.clone(), from);
    let polls = app.taps.machines.polls(&token_sha256);
    let given = given(&app, request, waiting.span()?).await;
    if given.is_err() {
        // No tap was opened for it, so nothing is remembered of it.
        drop(polls);
        app.taps.machines.forget(&token_sha256);
    }
    let ask = match given? {
        GivenTap::In(ask) => ask,
        GivenTap::None => return Err(Trouble::new(403, "tap_expired", "no paired device agreed to this")),
        // Unlike a process of this machine, a stranger does not learn what the devices are called.
        GivenTap::NotYet(_, code) => {
            let shown = code.as_ref().map(|code| format!(", which shows the code {code}")).unwrap_or_default();
            let why = format!("this needs a tap on a paired device{shown}");
            let mut needed = Trouble::new(403, "tap_needed", why);
            needed.0.tap_code = code;
            return Err(needed);
        }
    };
    let by = match app.handle.ask(ask).await?.by {
        Some(By::Person(who)) => Some(who.person.to_string()),
        _ => None,
    };
    let made = app.tokens.connect(hash, &name, by, app.handle.clock.now()).await;
    let made = made.map_err(|error| trouble(&error))?;
    // Only now: a kill before this leaves the tap to be used by the machine's next request.
    forget(&app, ask).await;
    info!(token.id = made.id, "A machine is connected");
    tell(&app, &made);
    Ok(connected(&made))
}

/// A machine is removed by its own token: that takes rights from the caller alone.
pub(crate) async fn delete(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::Disconnect)?;
    let id = caller.party.as_str().strip_prefix("tok_").unwrap_or_default();
    let revoked = app.tokens.revoke(id).await.map_err(|error| trouble(&error))?;
    info!(token.id = revoked.id, "A machine took itself off");
    withdraw_open(&app, &revoked).await?;
    tell(&app, &revoked);
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn connected(info: &TokenInfo) -> Response {
    json(StatusCode::CREATED, &ConnectionJson { id: &info.id, name: &info.name })
}

/// Withdraws what a machine that was revoked had open: nobody can fetch the answers any more. Nothing happens for other
/// tokens.
pub(super) async fn withdraw_open(app: &App, revoked: &TokenInfo) -> Result<(), Trouble> {
    if !revoked.is_a_machine() {
        return Ok(());
    }
    let mine = AskFilter { states: StateFilter::Open, party: Some(party_of(&revoked.id)), ..AskFilter::default() };
    let mut after = None;
    loop {
        let filter = mine.clone();
        let page = app.handle.look_up(move |index| index.rows(&filter, after, PAGE_MAX)).await?;
        for row in &page {
            let why = "the agent's token was revoked".to_owned();
            match app.handle.submit(row.id.session, vec![Intent::Withdraw { ask: row.id, why }]).await {
                // It was answered, or its hook was faster.
                Ok(_) | Err(Rejection::Refused(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        match page.last() {
            Some(last) if page.len() == PAGE_MAX => after = Some(last.page_key()),
            _ => return Ok(()),
        }
    }
}

/// Shows it in the list of the person who agreed to it.
fn tell(app: &App, info: &TokenInfo) {
    if let Some(person) = &info.connected_by {
        app.handle.tell_own(person, &Own::Devices);
    }
}

/// Stores now and then when tokens were last used, until the server stops.
pub(crate) async fn note_uses(app: App) {
    loop {
        let is_over = tokio::select! {
            biased;
            () = app.stop.cancelled() => true,
            () = tokio::time::sleep(TOKEN_USES_EVERY) => false,
        };
        if let Err(error) = app.tokens.note_uses(app.handle.clock.now()).await {
            warn!(error = chain(&error), "Could not store when tokens were last used");
        }
        if is_over {
            return;
        }
    }
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("connectMachine", "Callers", "Asks a person's devices to let another machine ask here.")
        .text(
            "Open to all: what it needs is a tap on a paired device. Without `wait`, or when that is over, the answer is \
             `tap_needed`; call again with the same body. A machine that does not call again for 20 seconds takes its request back. \
             `tap_code` of that answer is a code of six digits, which the tap shows as well. The server draws it for each tap, so that \
             nobody can make a request that shows the same as another one. A request that was taken back gets another code.",
        )
        .open_to_all()
        .query::<WaitQuery>()
        .body::<NewConnection>(example!({"name": "laptop", "token_sha256": "0".repeat(64)}))
        .returns::<ConnectionJson<'_>>(201, "Connected: the token may ask, never decide.")
        .refuses(&["no_device_left", "tap_needed", "tap_denied", "tap_expired", "too_fast", "down"]);
}

pub(crate) fn delete_doc(op: &mut Operation<'_>) {
    op.is("disconnectMachine", "Callers", "Makes the token of the machine that calls worthless.")
        .text("*Connected machines.* People revoke one with `DELETE /v1/devices/{id}`, this machine with `DELETE /v1/tokens/{id}`.")
        .returns_nothing(204, "It is a stranger now.")
        .refuses(&["forbidden"]);
}
