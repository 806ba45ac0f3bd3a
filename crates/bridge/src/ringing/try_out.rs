//! Tries a channel: sends a message, and waits until the person taps it, where a tap can be heard.

use std::time::Duration;

use askbridge_ringing::channel::{Channel, Decides, Service};
use askbridge_ringing::notice::{Button, Notice, Ticket, Tone};
use askbridge_ringing::record::{Action, Ring, RingState, TicketRecord};
use askbridge_ringing::wire::Fate;
use tokio::time::timeout;

use super::deliver::{deliver_test, take_back};
use super::send::{blank, note_fate, receipt};
use crate::runtime::chain;
use crate::server::App;

/// What became of a test.
#[derive(Debug)]
pub(crate) struct TriedOut {
    pub(crate) state: RingState,
    pub(crate) why: Option<String>,
    /// Can the person show that it arrived?
    pub(crate) can_be_tapped: bool,
}

/// Sends a message over a channel, and waits so long for the tap.
pub(crate) async fn try_out(app: &App, channel: &Channel, wait: Duration) -> TriedOut {
    let key = format!("test_{:016x}/{}", app.handle.chance.u64(), channel.id);
    let body = format!("This is a test of the channel “{}”.", channel.name);
    let tag = Ticket::of(app.handle.chance.u128()).0[..24].to_owned();
    let link = app.ringing_options().and_then(|options| options.public_url.as_ref().map(|url| format!("{url}/")));
    let mut notice = Notice { link, ..Notice::saying(tag.clone(), "askbridge reaches you here".to_owned(), body) };
    let mut fresh = Vec::new();
    notice.receipt = receipt(app, channel, &mut fresh);
    if has_heard_buttons(channel) {
        let ticket = Ticket::of(app.handle.chance.u128());
        fresh.push((ticket.clone(), Action::Seen));
        notice.buttons.push(Button { label: "I see it".to_owned(), ticket, tone: Tone::Plain });
    }
    let can_be_tapped = !fresh.is_empty();
    let tickets =
        fresh.iter().map(|(ticket, action)| TicketRecord { hash: ticket.hash(), action: *action, used: false });
    let began = app.handle.now().0;
    let ring = Ring { tickets: tickets.collect(), ..blank(channel, began) };
    if let Err(error) = app.ringing().keep(&app.handle, &key, ring).await {
        return TriedOut { state: RingState::Failed, why: Some(chain(&error)), can_be_tapped };
    }
    let fate = deliver_test(app, channel, &notice).await;
    note_fate(app, channel, &key, began, &fate).await;
    if let Fate::Later { why, .. } | Fate::Refused { why } | Fate::Gone { why } = fate {
        return TriedOut { state: RingState::Failed, why: Some(why), can_be_tapped };
    }
    if can_be_tapped {
        // Without a tap in time it stays as it is.
        let _ = timeout(wait, seen(app, &key)).await;
    }
    let ring = app.ringing().rings.lock().get(&key).cloned();
    let state = ring.as_ref().map_or(RingState::Sent, |ring| ring.state);
    if let Some(ring) = ring.filter(|ring| ring.state == RingState::Seen) {
        let _ = take_back(app, channel, &ring, &tag, "You saw it: this channel works").await;
    }
    TriedOut { state, why: None, can_be_tapped }
}

/// Are this channel's buttons heard?
fn has_heard_buttons(channel: &Channel) -> bool {
    match &channel.service {
        Service::Ntfy(_) => channel.decides > Decides::Nothing,
        Service::Telegram(_) | Service::Slack(_) => true,
        // The text itself is tapped.
        Service::WebPush(_) | Service::Webhook(_) | Service::Command(_) | Service::App(_) => false,
    }
}

async fn seen(app: &App, key: &str) {
    loop {
        let mut rang = std::pin::pin!(app.ringing().rang.notified());
        rang.as_mut().enable();
        if app.ringing().rings.lock().get(key).is_none_or(|ring| ring.seen_at.is_some()) {
            return;
        }
        rang.await;
    }
}
