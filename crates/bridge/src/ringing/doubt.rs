//! Rings that were on their way when the server was killed: nothing on our disk shows whether the service took them.
//!
//! A service that can be asked is asked. One that tells repeated messages apart, or puts one in the place of the other,
//! is sent it again. Where neither holds it is left as it is: a second ring is worse than one that a reminder follows.

use askbridge_core::ids::Timestamp;
use askbridge_ringing::channel::{Channel, Service};
use askbridge_ringing::ntfy;
use askbridge_ringing::record::{Ring, RingState};
use futures_util::future::join_all;

use super::deliver::{call, response};
use super::send::{change, tag};
use crate::server::App;

const WHY: &str = "the server stopped while it was sent";

/// Finds out what became of them, before anything rings. Each channel has one on its way at most.
pub(super) async fn settle(app: &App) {
    let doubtful = app.ringing().rings.lock().doubtful();
    join_all(doubtful.into_iter().map(|(key, ring)| look(app, key, ring))).await;
}

async fn look(app: &App, key: String, ring: Ring) {
    let Some(channel) = app.ringing().channels.get(&ring.channel) else { return };
    let Some(found) = found(app, &channel, &ring).await else { return };
    let at = app.handle.now().0;
    change(app, &key, |ring| {
        match found {
            // A tap proves that it was taken, and does not say under which name.
            Found::Taken { reference } if ring.state == RingState::Sending || ring.reference.is_none() => {
                ring.sent(Some(reference), ring.at, at);
            }
            Found::Not if ring.state == RingState::Sending => ring.failed(WHY.to_owned(), at),
            _ => return false,
        }
        true
    })
    .await;
}

/// What a service says about a message.
enum Found {
    /// It has it, under this name.
    Taken { reference: String },
    /// It does not have it, or sending it again does no harm.
    Not,
}

/// `None`: nothing says so, and it must not be sent twice.
async fn found(app: &App, channel: &Channel, ring: &Ring) -> Option<Found> {
    match &channel.service {
        Service::Ntfy(it) => {
            let first = *ring.asks.first()?;
            let answered = call(app, channel, ntfy::look(it, Timestamp(ring.at)), None).await.ok()?;
            let reference = tag(first, channel);
            let is_taken = ntfy::took(&response(&answered), &reference)?;
            Some(if is_taken { Found::Taken { reference } } else { Found::Not })
        }
        // The same `webhook-id` is the same post; a notification with the same tag takes the place of the first.
        Service::Webhook(_) | Service::WebPush(_) => Some(Found::Not),
        Service::Telegram(_) | Service::Slack(_) | Service::Command(_) | Service::App(_) => None,
    }
}
