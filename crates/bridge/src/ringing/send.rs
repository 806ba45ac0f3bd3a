//! Carries one ring out: writes the notice, stores the ring, sends it, and stores what became of it.

use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::ids::AskId;
use askbridge_core::view::{AskView, By, State};
use askbridge_ringing::channel::{Channel, Content, Decides};
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
pub(super) async fn ring_once(app: &App, channel: &ChannelId, asks: &[AskId], nth: u8) -> Option<Fate> {
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
    let (notice, fresh) = write(app, &channel, asks, &named, nth);
    let mut ring = Ring {
        channel: channel.id.clone(),
        channel_name: channel.name.clone(),
        kind: channel.service.kind().to_owned(),
        person: channel.person.clone(),
        asks: asks.iter().map(ToString::to_string).collect(),
        state: RingState::Sending,
        at: app.handle.now().0,
        why: None,
        times: nth.saturating_add(1),
        reference: before.as_ref().and_then(|before| before.reference.clone()),
        // The buttons of an earlier message about the same ask still count.
        tickets: before.filter(|before| before.state != RingState::Failed).map(kept_tickets).unwrap_or_default(),
    };
    let records =
        fresh.iter().map(|(ticket, action)| TicketRecord { hash: ticket.hash(), action: *action, used: false });
    ring.tickets.extend(records);
    // Stored before it is sent: after a kill in between, the record shows that it may have rung.
    if let Err(error) = app.ringing().keep(&app.handle, &key, ring.clone()).await {
        return Some(Fate::Later { after: None, why: chain(&error) });
    }
    app.ringing().remember_several(&key, &notice);
    let fate = deliver(app, &channel, &notice, named.first().filter(|_| asks.len() == 1)).await;
    (ring.state, ring.why) = match &fate {
        Fate::Sent { reference } => {
            ring.reference = reference.clone().or(ring.reference);
            (RingState::Sent, None)
        }
        Fate::Later { why, .. } | Fate::Refused { why } | Fate::Gone { why } => (RingState::Failed, Some(why.clone())),
    };
    ring.at = app.handle.now().0;
    app.handle.meters.rang(channel.service.kind(), matches!(fate, Fate::Sent { .. }));
    store(app, &key, ring).await;
    Some(fate)
}

/// The tickets of the last messages. Beyond: their buttons are too old.
fn kept_tickets(before: Ring) -> Vec<TicketRecord> {
    let mut tickets = before.tickets;
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
fn tag(ask: AskId, channel: &Channel) -> String {
    Ticket(key(ask, &channel.id)).hash()[..24].to_owned()
}

/// Takes the message about a settled ask back, or makes it say what became of the ask.
pub(super) async fn close(app: &App, channel: &ChannelId, ask: AskId) -> Fate {
    let done = Fate::Sent { reference: None };
    let Some(channel) = app.ringing().channels.get(&channel.0) else { return done };
    let ring = app.ringing().rings.lock().of(ask).into_iter().find(|ring| ring.channel == channel.id);
    let Some(mut ring) = ring.filter(|ring| matches!(ring.state, RingState::Sent | RingState::Answered)) else {
        return done;
    };
    let asks: Vec<AskId> = ring.asks.iter().filter_map(|ask| ask.parse().ok()).collect();
    let Some(first) = asks.first().copied() else { return done };
    // A summary goes when the last of its asks is settled.
    for other in asks.iter().filter(|other| **other != ask) {
        if app.handle.is_open(*other).await.unwrap_or(false) {
            return done;
        }
    }
    let line = match app.handle.ask(ask).await {
        _ if channel.content == Content::Hidden => "It is decided".to_owned(),
        Ok(view) if asks.len() == 1 => outcome(&view),
        _ => "All of them are decided".to_owned(),
    };
    let fate = take_back(app, &channel, &ring, &tag(first, &channel), &line).await;
    if !matches!(fate, Fate::Later { .. }) {
        // The tap that settled it may have been noted meanwhile.
        let now = app.ringing().rings.lock().get(&key(first, &channel.id)).map(|ring| ring.state);
        ring.state = if now == Some(RingState::Answered) { RingState::Answered } else { RingState::Closed };
        ring.why = Some(line);
        ring.at = app.handle.now().0;
        store(app, &key(first, &channel.id), ring).await;
    }
    // Only a failure that may pass holds the channel up.
    if matches!(fate, Fate::Later { .. }) { fate } else { done }
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
        Held::Present => "you are at a terminal of this machine",
        Held::Snoozed => "you have snoozed it",
        Held::Quiet => "these are quiet hours",
        Held::Proposed => "an answer is about to count",
    };
    let ring = Ring {
        channel: channel.id.clone(),
        channel_name: channel.name.clone(),
        kind: channel.service.kind().to_owned(),
        person: channel.person.clone(),
        asks: vec![ask.to_string()],
        state: RingState::Suppressed,
        at: app.handle.now().0,
        why: Some(why.to_owned()),
        times: 0,
        reference: None,
        tickets: Vec::new(),
    };
    store(app, &key, ring).await;
}

pub(super) async fn store(app: &App, key: &str, ring: Ring) {
    if let Err(error) = app.ringing().keep(&app.handle, key, ring).await {
        warn!(error = chain(&error), "What became of a ring could not be stored");
    }
}
