//! `POST /v1/pair`: redeems a link for a device's token. `POST /v1/pairings`: makes a link or a token, on this machine.

use askbridge_peers::told::Own;
use askbridge_peers::wish::Rejection;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::asks::WaitQuery;
use crate::auth::{
    Ancestry, LinkMadeBy, PairingError, Secret, TokenRole, checked_name, make_link, redeem as redeem_link,
};
use crate::runtime::down;
use crate::server::app::App;
use crate::server::body::{Json, json as answer};
use crate::server::docs::Operation;
use crate::server::identify::{Remote, address_of};
use crate::server::problem::Trouble;
use crate::server::query::Query;
use crate::server::taps::{Purpose, TapRequest, tapped};

/// A link's secret, to become a device.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewDevice {
    /// What stands behind `#pair=` in the link.
    secret: String,
    /// What the person calls this device.
    device: Option<String>,
}

/// A device that was paired.
#[derive(Serialize, JsonSchema)]
struct Device<'a> {
    /// Shown this once; kept here only as a hash.
    token: &'a str,
    name: &'a str,
    device: &'a str,
}

/// What was made for a person: a link's secret, or the token itself.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pairing")]
#[serde(untagged)]
enum PairingJson<'a> {
    Link {
        secret: &'a str,
        name: &'a str,
        /// What the link begins with, before `/#pair=`, if the server was told; otherwise it is the server's own address.
        public_url: Option<&'a str>,
    },
    Token {
        token: &'a str,
        id: &'a str,
        name: &'a str,
    },
}

/// The roles that are paired, or get a token in the same way.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum PersonRole {
    Person,
    Operator,
    Bot,
}

pub(crate) async fn redeem(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    Json(NewDevice { secret, device }): Json<NewDevice>,
) -> Result<Response, Trouble> {
    let from = address_of(remote.as_ref().map(|Extension(remote)| remote));
    let now = app.handle.clock.now();
    let too_fast = |retry_after| Trouble::from(Rejection::TooFast { retry_after });
    let device = device.unwrap_or_else(|| "browser".to_owned());
    let paired = redeem_link(&app.handle.store, &app.tokens, Secret::from(secret), &device, now).await;
    match paired {
        Ok(paired) => {
            let (token, info) = (paired.token.reveal(), &paired.info);
            app.handle.tell_own(&info.name, &Own::Devices);
            Ok(answer(StatusCode::CREATED, &Device { token, name: &info.name, device: &info.device }))
        }
        Err(error @ (PairingError::UsedOrOld | PairingError::NotTheFirst)) => {
            app.failures.take(&from, now).map_err(too_fast)?;
            Err(Trouble::new(410, "pairing_used", error.to_string()))
        }
        Err(error) => Err(down(error).into()),
    }
}

/// A link or a token to be made for a person.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewPairing {
    /// The person; without it, the user of this machine.
    name: Option<String>,
    /// `operator` (the default), `person`, or `bot`: a program that answers under its own name. A bot has no device, only a token.
    role: Option<PersonRole>,
    device: Option<String>,
    /// A script vouches that a person runs it.
    #[serde(default)]
    i_am_a_person: bool,
    /// Make the token itself, not a link.
    #[serde(default)]
    token: bool,
}

pub(crate) async fn create(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    Query(waiting): Query<WaitQuery>,
    Json(pairing): Json<NewPairing>,
) -> Result<Response, Trouble> {
    let Some(Extension(Remote::Local(peer))) = remote else {
        let detail = "people are paired on the machine itself: run `askbridge pair` in a terminal there";
        return Err(Trouble::new(403, "forbidden", detail));
    };
    match (app.agents.ancestry(peer.process()?.pid), pairing.i_am_a_person) {
        (Ancestry::LoginTerminal | Ancestry::VouchedTerminal | Ancestry::UnprovenTerminal, _)
        | (Ancestry::NoTerminal, true) => {}
        (Ancestry::NoTerminal, false) => {
            let detail = "this is not a terminal; a script that a person runs says `--yes-i-am-a-person`";
            return Err(Trouble::new(403, "forbidden", detail));
        }
        (Ancestry::BelowAnAgent | Ancestry::Unknown, _) => {
            let detail = "an agent may ask but never decide, and neither may anything that it starts";
            return Err(Trouble::new(403, "agent_may_not_decide", detail));
        }
    }
    let role = match pairing.role {
        None | Some(PersonRole::Operator) => TokenRole::Operator,
        Some(PersonRole::Person) => TokenRole::Person,
        Some(PersonRole::Bot) if pairing.token => TokenRole::Bot,
        Some(PersonRole::Bot) => {
            return Err(Trouble::new(422, "bad_request", "a bot has a token, and no device to pair"));
        }
    };
    // If it were the first, there would be no device to give the tap for a person's.
    if role == TokenRole::Bot && !app.tokens.someone_was_paired() {
        let detail = "pair a device of your own first, with `askbridge pair`; it then agrees to the bot";
        return Err(Trouble::new(403, "forbidden", detail));
    }
    let name = pairing.name.unwrap_or_else(|| peer.user.to_string());
    // Before anything is stored or asked: the tap goes to the person whose name the token will have.
    let name = checked_name(&name).map_err(|error| super::tokens::trouble(&error))?.to_owned();
    // The first device needs no tap. Of several at once, one is the first; for a link that is decided when it is
    // opened.
    let is_first = match pairing.token && role != TokenRole::Bot {
        true => app.tokens.be_first(app.handle.clock.now()).await.map_err(|error| Trouble::from(down(error)))?,
        false => !app.tokens.someone_was_paired(),
    };
    if !is_first && app.tokens.taps_are_needed() {
        let purpose = Purpose::Pair { name: name.clone(), role };
        tapped(&app, TapRequest::by_process(&app, &peer, purpose)?, waiting.span()?).await?;
    }
    let made_by = if is_first { LinkMadeBy::ThisMachine } else { LinkMadeBy::ATap };
    let now = app.handle.clock.now();
    let body = if pairing.token {
        let device = pairing.device.unwrap_or_else(|| if role == TokenRole::Bot { "bot" } else { "token" }.to_owned());
        let made = app.tokens.make(&name, &device, role, now).await;
        let (token, info) = made.map_err(|error| super::tokens::trouble(&error))?;
        json!(PairingJson::Token { token: token.reveal(), id: &info.id, name: &info.name })
    } else {
        let secret = make_link(&app.handle.store, &app.handle.chance, &name, role, made_by, now).await;
        let secret = secret.map_err(|error| Trouble::from(down(error)))?;
        json!(PairingJson::Link { secret: secret.reveal(), name: &name, public_url: app.origins.public_url() })
    };
    Ok(answer(StatusCode::CREATED, &body))
}

pub(crate) fn redeem_doc(op: &mut Operation<'_>) {
    op.is("pair", "Callers", "Makes a device of a pairing link.")
        .text("The secret is enough. It works once, within ten minutes.")
        .open_to_all()
        .body::<NewDevice>(json!({"secret": "pair_…", "device": "phone"}))
        .returns::<Device<'_>>(201, "Paired.")
        .refuses(&["pairing_used", "too_fast", "down"]);
}

pub(crate) fn create_doc(op: &mut Operation<'_>) {
    op.is("makePairing", "Callers", "Makes a link, or a token, for a person.")
        .text(
            "*A person at this machine, on the local socket only.* Once a device was paired, a further one needs a tap on one of that \
             person's devices: without `wait`, or when that is over, the answer is `tap_needed`; call again.",
        )
        .only_here()
        .query::<WaitQuery>()
        .may_have_body::<NewPairing>(json!({"name": "ada", "role": "person"}))
        .returns::<PairingJson<'_>>(201, "Made.")
        .refuses(&["agent_may_not_decide", "no_device_left", "tap_needed", "tap_denied", "tap_expired", "too_fast"]);
}
