//! `/v1/rings`: what was rung, and what became of it. `/v1/tickets`: decides by the button of a notification.
//! `/v1/web-push`: the key with which a page subscribes.

use askbridge_core::ids::Timestamp;
use askbridge_peers::json::{Rfc3339, RingJson, RingState};
use askbridge_peers::wish::Rejection;
use askbridge_ringing::news::NewsKind;
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::record::{Ring, RingState as Recorded};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json as example;

use super::paging::Page;
use crate::auth::Caller;
use crate::ringing::{Along, Redeemed, delivered, redeem, waiting_for_owner, web_push_keys};
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::body::{Json, json};
use crate::server::docs::Operation;
use crate::server::identify::{Remote, address_of};
use crate::server::problem::Trouble;

/// Rings that the log shows.
const LOG_MAX: usize = 200;
/// Asks that the log lists of one ring. Beyond: it says how many more there are.
const LISTED_MAX: usize = 20;

/// A ring as the API shows it.
pub(crate) fn ring_json(ring: Ring, with_asks: bool) -> RingJson {
    let about = if ring.asks.is_empty() { Some(ring.about.map_or("test", NewsKind::name)) } else { None };
    let at = |at: Option<i64>| at.map(|at| Rfc3339(Timestamp(at)));
    RingJson {
        channel: ring.channel_name,
        kind: ring.kind,
        person: ring.person,
        state: state_json(ring.state),
        at: Rfc3339(Timestamp(ring.at)),
        rang_at: at(ring.rang_at),
        delivered_at: at(ring.delivered_at),
        seen_at: at(ring.seen_at),
        about,
        why: ring.why,
        times: ring.times,
        asks: ring.asks.iter().take(if with_asks { LISTED_MAX } else { 0 }).map(ToString::to_string).collect(),
        more: ring.asks.len().checked_sub(LISTED_MAX).filter(|more| with_asks && *more > 0),
    }
}

pub(crate) fn state_json(state: Recorded) -> RingState {
    match state {
        Recorded::Suppressed => RingState::Suppressed,
        Recorded::Sending => RingState::Sending,
        Recorded::Failed => RingState::Failed,
        Recorded::Sent => RingState::Sent,
        Recorded::Delivered => RingState::Delivered,
        Recorded::Seen => RingState::Seen,
        Recorded::Answered => RingState::Answered,
        Recorded::Closed => RingState::Closed,
    }
}

pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::KeepChannels)?;
    let is_theirs = |ring: &Ring| app.handle.may(&caller, Right::KeepChannelOf(&ring.person));
    let rings = app.ringing().rings.lock().log(is_theirs, LOG_MAX);
    let items = rings.into_iter().map(|ring| ring_json(ring, true)).collect();
    Ok(json(StatusCode::OK, &Page { items, next: None }))
}

/// The key with which a page subscribes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebPushKey")]
struct KeyJson {
    /// For `pushManager.subscribe({applicationServerKey})`.
    key: String,
}

pub(crate) async fn push_key(State(app): State<App>, caller: Caller) -> Result<Response, Trouble> {
    app.handle.check(&caller, Right::KeepChannels)?;
    let keys = web_push_keys(&app.handle).await.map_err(Rejection::Down)?;
    Ok(json(StatusCode::OK, &KeyJson { key: keys.public().to_owned() }))
}

/// A ticket, from the button of a notification.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct UsedTicket {
    ticket: String,
    /// A browser says under the receipt of a notification that it showed it. Without it, the person tapped it.
    #[serde(default)]
    shown: bool,
}

/// What a ticket did.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TicketUsed")]
struct UsedJson {
    /// What the notification was about, if an ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    ask: Option<String>,
    /// How many asks wait for the person now, for the number on the app's icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u32>,
}

/// Needs no token: the ticket is the secret.
pub(crate) async fn use_ticket(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    Json(UsedTicket { ticket, shown }): Json<UsedTicket>,
) -> Result<Response, Trouble> {
    let from = address_of(remote.as_ref().map(|Extension(remote)| remote));
    let ticket = Ticket(ticket);
    let redeemed = match shown {
        true => delivered(&app, &ticket).await,
        false => redeem(&app, None, &ticket, Along::default()).await,
    };
    match redeemed {
        Redeemed::Counted { ask } | Redeemed::Again { ask } => {
            let waiting = waiting_for_owner(&app, &ticket).await;
            Ok(json(StatusCode::OK, &UsedJson { ask: Some(ask.to_string()), waiting }).into_response())
        }
        Redeemed::Seen { ask } => {
            let ask = ask.map(|ask| ask.to_string());
            Ok(json(StatusCode::OK, &UsedJson { ask, waiting: None }).into_response())
        }
        Redeemed::Refused { why } => {
            let too_fast = |retry_after| Trouble::from(Rejection::TooFast { retry_after });
            app.failures.take(&from, app.handle.now()).map_err(too_fast)?;
            Err(Trouble::new(409, "ticket_refused", why))
        }
    }
}

pub(crate) fn list_doc(op: &mut Operation<'_>) {
    op.is("listRings", "Channels", "Lists what was rung, newest first, and what became of it.")
        .text("*People, their own; this machine, all.* The last 200.")
        .returns::<Page<RingJson>>(200, "On one page.")
        .refuses(&["forbidden"]);
}

pub(crate) fn push_key_doc(op: &mut Operation<'_>) {
    op.is("webPushKey", "Channels", "Returns the key with which a page subscribes to Web Push.")
        .text("*People.*")
        .returns::<KeyJson>(200, "Our public key.")
        .refuses(&["forbidden", "down"]);
}

pub(crate) fn use_ticket_doc(op: &mut Operation<'_>) {
    op.is("useTicket", "Channels", "Decides by the button of a notification.")
        .text("*Anyone with the ticket*, which stands for one decision of one person about one ask. Used again, it says the same. The receipt of a notification decides nothing: it says that it was shown, or seen.")
        .open_to_all()
        .body::<UsedTicket>(example!({"ticket": "9f3b2c71d0a84e6bb1c5f2087d6e4a90"}))
        .returns::<UsedJson>(200, "It counts, or counted before.")
        .refuses(&["ticket_refused", "too_fast"]);
}
