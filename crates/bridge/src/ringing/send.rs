//! Carries one ring out: writes the notice, stores the ring, sends it, and stores what became of it.

use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::ids::AskId;
use askbridge_core::view::{AskView, By, State};
use askbridge_ringing::channel::{Channel, Content, Decides, Service};
use askbridge_ringing::notice::{Notice, Ticket};
use askbridge_ringing::record::{Action, Ring, RingState, TicketRecord};
use askbridge_ringing::ringer::{ChannelId, Held};
use askbridge_ringing::text::{Shape, of_ask, of_many};
use askbridge_ringing::wire::Fate;
use tracing::warn;

use super::deliver::{deliver, take_back};
use super::redeem::is_known_person;
use super::rings::key;
use crate::auth::Caller;
use crate::runtime::chain;
use crate::server::App;

/// Asks that a summary names.
const NAMED_MAX: usize = 5;
/// Tickets of earlier messages that still count.
const TICKETS_MAX: usize = 36;

/// Rings one channel for these asks. `None`: none of them is open any longer.
pub(super) async fn ring_once(app: &App, channel: &ChannelId, asks: &Arc<[AskId]>, nth: u8) -> Option<Fate> {
    let Some(channel) = app.ringing().channels.get(&channel.0) else {
        return Some(Fate::Refused { why: "the channel was removed".to_owned() });
    };
    if !is_known_person(app, &channel.person) {
        return Some(Fate::Refused { why: "this person has no paired device any longer".to_owned() });
    }
    let named = match open(app, asks).await {
        Standing::Open(named) => named,
        Standing::Proposed => {
            return Some(Fate::Later { after: None, why: "an answer is about to count".to_owned() });
        }
        Standing::Over => return None,
    };
    let key = key(*asks.first()?, &channel.id);
    let before = app.ringing().rings.lock().get(&key).cloned();
    let (mut notice, mut fresh) = write(app, &channel, asks, &named, nth);
    notice.receipt = receipt(app, &channel, &mut fresh);
    let began = app.handle.now().0;
    let mut ring = Ring { asks: Arc::clone(asks), times: nth.saturating_add(1), ..blank(&channel, began) };
    if let Some(before) = before {
        // The buttons of an earlier message about the same ask still count; one that failed may have arrived all the same.
        ring.tickets = kept_tickets(before.tickets);
        (ring.reference, ring.earlier) = (before.reference, before.earlier);
        (ring.rang_at, ring.delivered_at, ring.seen_at) = (before.rang_at, before.delivered_at, before.seen_at);
    }
    let records =
        fresh.iter().map(|(ticket, action)| TicketRecord { hash: ticket.hash(), action: *action, used: false });
    ring.tickets.extend(records);
    // Stored before it is sent: after a kill in between, the record shows that it may have rung.
    if let Err(error) = app.ringing().keep(&app.handle, &key, ring).await {
        return Some(Fate::Later { after: None, why: chain(&error) });
    }
    app.ringing().remember_several(&key, &notice);
    let fate = deliver(app, &channel, &notice, (&named, asks.len()), nth).await;
    note_fate(app, &channel, &key, began, &fate).await;
    Some(fate)
}

/// Notes what became of a message that was begun at `began`.
pub(super) async fn note_fate(app: &App, channel: &Channel, key: &str, began: i64, fate: &Fate) {
    let at = app.handle.now().0;
    app.handle.meters.rang(channel.service.kind(), matches!(fate, Fate::Sent { .. }));
    change(app, key, |ring| {
        match fate {
            Fate::Sent { reference } => ring.sent(reference.clone(), began, at),
            Fate::Later { why, .. } | Fate::Refused { why } | Fate::Gone { why } => ring.failed(why.clone(), at),
        }
        true
    })
    .await;
}

/// A ring that is about to be sent.
pub(super) fn blank(channel: &Channel, at: i64) -> Ring {
    Ring {
        channel: channel.id.clone(),
        channel_name: channel.name.clone(),
        kind: channel.service.kind().to_owned(),
        person: channel.person.clone(),
        asks: [].into(),
        state: RingState::Sending,
        at,
        why: None,
        times: 1,
        rang_at: None,
        delivered_at: None,
        seen_at: None,
        about: None,
        reference: None,
        earlier: Vec::new(),
        taken_back: false,
        tickets: Vec::new(),
    }
}

/// Only a browser says that it showed a notice.
pub(super) fn receipt(app: &App, channel: &Channel, fresh: &mut Vec<(Ticket, Action)>) -> Option<Ticket> {
    let is_a_browser = matches!(channel.service, Service::WebPush(_));
    let ticket = is_a_browser.then(|| Ticket::of(app.handle.chance.u128()))?;
    fresh.push((ticket.clone(), Action::Seen));
    Some(ticket)
}

/// The tickets of the last messages. Beyond: their buttons are too old.
fn kept_tickets(mut tickets: Vec<TicketRecord>) -> Vec<TicketRecord> {
    tickets.drain(..tickets.len().saturating_sub(TICKETS_MAX));
    tickets
}

/// How the asks of a ring stand.
enum Standing {
    /// These are named in the notice.
    Open(Vec<Arc<Ask>>),
    /// None is open, and an answer of one can still be undone.
    Proposed,
    Over,
}

async fn open(app: &App, asks: &[AskId]) -> Standing {
    let (mut named, mut is_proposed) = (Vec::new(), false);
    for ask in asks {
        if named.len() == NAMED_MAX {
            break;
        }
        match app.handle.ask(*ask).await {
            Ok(view) if view.state == State::Open => named.push(view.ask),
            Ok(view) => is_proposed |= view.state == State::Proposed,
            // It is gone, with its session.
            Err(_) => {}
        }
    }
    match named.is_empty() {
        false => Standing::Open(named),
        true if is_proposed => Standing::Proposed,
        true => Standing::Over,
    }
}

fn write(app: &App, channel: &Channel, asks: &[AskId], named: &[Arc<Ask>], nth: u8) -> (Notice, Vec<(Ticket, Action)>) {
    let options = app.ringing_options();
    let shape = Shape {
        content: channel.content,
        decides: channel.decides,
        abilities: channel.service.abilities(),
        public_url: options.as_ref().and_then(|options| options.public_url.as_deref()),
    };
    let tag = tag(asks[0], channel);
    let is_reminder = nth > 0;
    if asks.len() > 1 {
        let named: Vec<_> = named.iter().map(|ask| &**ask).collect();
        return (of_many(&named, asks.len(), tag, is_reminder, shape), Vec::new());
    }
    // A tap is given on a paired device, and nowhere else.
    let is_tap = app.handle.access(named[0].id.session).is_none_or(|access| access.owner.as_str() == Caller::OURSELVES);
    let decides = if is_tap { Decides::Nothing } else { shape.decides };
    let written =
        of_ask(&named[0], tag, is_reminder, Shape { decides, ..shape }, || Ticket::of(app.handle.chance.u128()));
    (written.notice, written.tickets)
}

/// The same for every message about an ask on a channel.
pub(super) fn tag(ask: AskId, channel: &Channel) -> String {
    Ticket(key(ask, &channel.id)).hash()[..24].to_owned()
}

/// Takes the messages about a settled ask back, or makes them say what became of the ask: one of its own, and a summary
/// with others, if that was the last of them. `None`: there is none that could be.
pub(super) async fn close(app: &App, channel: &ChannelId, ask: AskId) -> Option<Fate> {
    let channel = app.ringing().channels.get(&channel.0)?;
    let rings = app.ringing().rings.lock().of(ask);
    let mut last = None;
    for ring in rings.into_iter().filter(|ring| ring.channel == channel.id && ring.is_out()) {
        last = close_ring(app, &channel, ask, ring).await.or(last);
        if matches!(last, Some(Fate::Later { .. })) {
            break;
        }
    }
    last
}

async fn close_ring(app: &App, channel: &Channel, ask: AskId, ring: Ring) -> Option<Fate> {
    let first = ring.asks.first().copied()?;
    let asks = &ring.asks;
    if is_any_open(app, &key(first, &channel.id), ask).await {
        return None;
    }
    let line = match app.handle.ask(ask).await {
        _ if channel.content == Content::Hidden => "It is decided".to_owned(),
        Ok(view) if asks.len() == 1 => outcome(&view),
        _ => "All of them are decided".to_owned(),
    };
    let fate = take_back(app, channel, &ring, &tag(first, channel), &line).await;
    // Only a failure that may pass holds the channel up.
    if matches!(fate, Fate::Later { .. }) {
        return Some(fate);
    }
    let at = app.handle.now().0;
    change(app, &key(first, &channel.id), |ring| {
        // The tap that settled it may have been noted meanwhile.
        if ring.state != RingState::Answered {
            ring.state = RingState::Closed;
        }
        (ring.why, ring.at, ring.taken_back) = (Some(line), at, true);
        true
    })
    .await;
    // Nothing is sent to a browser or an app, so that says nothing about the channel.
    (!matches!(channel.service, Service::WebPush(_) | Service::App(_))).then_some(Fate::Sent { reference: None })
}

/// Is any other ask of this ring still open? A summary goes when the last of its asks is settled. What is over stays over,
/// so each is looked at once in the end, however often this is asked.
async fn is_any_open(app: &App, key: &str, but: AskId) -> bool {
    let (from, asks) = app.ringing().rings.lock().maybe_open(key);
    for (place, other) in asks.iter().enumerate().skip(from) {
        if *other != but && app.handle.is_open(*other).await.unwrap_or(false) {
            app.ringing().rings.lock().are_over(key, place);
            return true;
        }
    }
    false
}

/// One line: what became of an ask, and by whom.
fn outcome(view: &AskView) -> String {
    let by = match &view.by {
        Some(By::Person(who)) => format!(" by {} ({})", who.person, who.device),
        Some(By::Rule { rule, .. }) => format!(" by the rule “{rule}”"),
        None => String::new(),
    };
    let what = match view.state {
        State::Answered | State::Ruled => "Decided",
        State::Dismissed => "Closed without an answer",
        State::Expired => "Nobody answered in time",
        State::Withdrawn => "No longer asked",
        State::Overtaken => "Answered in the agent's own terminal",
        State::Open | State::Proposed => "Still open",
    };
    format!("{what}{by}")
}

/// Notes that an ask does not ring now.
pub(super) async fn hold(app: &App, channel: &ChannelId, ask: AskId, why: &Held) {
    let Some(channel) = app.ringing().channels.get(&channel.0) else { return };
    let key = key(ask, &channel.id);
    if app.ringing().rings.lock().get(&key).is_some() {
        return;
    }
    let why = match why {
        Held::Looking => "you look at it",
        Held::Present => "you are at a terminal of this machine",
        Held::Snoozed => "you have snoozed it",
        Held::Quiet => "these are quiet hours",
        Held::Proposed => "an answer is about to count",
    };
    let ring = Ring {
        asks: [ask].into(),
        state: RingState::Suppressed,
        why: Some(why.to_owned()),
        times: 0,
        ..blank(&channel, app.handle.now().0)
    };
    if let Err(error) = app.ringing().keep(&app.handle, &key, ring).await {
        warn!(error = chain(&error), "Why an ask did not ring could not be stored");
    }
}

/// Changes what is known of a ring, as it is now. `change` returns whether there is news.
pub(super) async fn change(app: &App, key: &str, change: impl FnOnce(&mut Ring) -> bool) {
    if let Err(error) = app.ringing().change(&app.handle, key, change).await {
        warn!(error = chain(&error), "What became of a ring could not be stored");
    }
}
