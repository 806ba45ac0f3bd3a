//! Push notifications while no client is connected: a question waits (which the original does not push), or a turn is
//! over (which it does). One machine for all sessions, without a connection.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::event::Event;
use askbridge_core::fit::fit;
use askbridge_core::ids::{AskId, Raw, SessionId, Timestamp};
use serde_json::{Value, json};

use super::devices::{self, Device, Fate, Push};
use super::tell::{self, Usage};
use super::{ABILITIES, quirks};
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Tag};
use crate::slot::Ending;
use crate::told::{Happened, Snapshot, Told};
use crate::uuid;
use crate::wish::{Presence, Query, Receipt, Rejection, Watch, Wish};

/// Prefix of the names under which pushed asks are kept, so that a restart does not push twice.
const PUSHED: &str = "pushed/";
const BEGIN: Tag = Tag(1);
const LOOK: Tag = Tag(2);
const DEVICES: Tag = Tag(3);
/// Tag of wishes whose reply is ignored.
const NOBODY: Tag = Tag(4);
/// The first tag of the calls.
const CALLS: u64 = 100;
const TRY_AGAIN_LATER: u16 = 1013;
/// How often a push is tried. Beyond: the device is told of the next question.
const TRIES_MAX: u32 = 3;
/// Ended turns that may wait for a push. Beyond: one is left out.
const TURNS_MAX: usize = 256;

/// An ask that waits to be pushed.
struct QueuedPush {
    ask: Arc<Ask>,
    at: Timestamp,
    tries: u32,
}

impl QueuedPush {
    /// When to push it. `None`: it was tried often enough.
    fn due_at(&self) -> Option<Timestamp> {
        (self.tries < TRIES_MAX).then_some(self.at)
    }

    fn is_due(&self, now: Timestamp) -> bool {
        self.due_at().is_some_and(|at| at <= now)
    }
}

/// A push on its way to one device.
struct Sent {
    device: Device,
    asks: Vec<AskId>,
}

#[derive(Default)]
pub(super) struct Pushing {
    begun: bool,
    waiting: BTreeMap<AskId, QueuedPush>,
    /// Open asks that were pushed.
    pushed: BTreeSet<AskId>,
    /// Open asks, from the parts of a snapshot that have come so far.
    open: BTreeSet<AskId>,
    /// Turns that ended, and when to push that.
    ended: BTreeMap<SessionId, (Timestamp, Option<Raw>)>,
    /// A query for the connected clients is under way: nothing else is due until it is answered.
    is_looking: bool,
    /// What no connected client shows, until the devices are known.
    unseen: (Vec<AskId>, Vec<SessionId>),
    calls: u64,
    sent: BTreeMap<Tag, Sent>,
}

impl Pushing {
    fn asked(&mut self, ask: &Arc<Ask>, now: Timestamp) {
        let can_be_shown = fit(ask, &ABILITIES).questions().is_some();
        if can_be_shown && !self.pushed.contains(&ask.id) {
            let waiting = QueuedPush { ask: Arc::clone(ask), at: now.plus(quirks::PUSH_GRACE), tries: 0 };
            self.waiting.insert(ask.id, waiting);
        }
    }

    fn over(&mut self, ask: AskId, out: &mut Outbox) {
        self.waiting.remove(&ask);
        if self.pushed.remove(&ask) {
            out.wishes.push((NOBODY, Wish::Keep { name: format!("{PUSHED}{ask}"), thing: None }));
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot, cx: &mut Cx<'_>) {
        for view in snapshot.asks.iter().filter(|view| view.state.is_open()) {
            self.asked(&view.ask, cx.now);
            self.open.insert(view.ask.id);
        }
        if snapshot.goes_on {
            return;
        }
        let known = std::mem::take(&mut self.open);
        // Asks that were decided while this machine was not running need not be remembered.
        if !snapshot.more {
            let over: Vec<_> = self.pushed.difference(&known).copied().collect();
            over.into_iter().for_each(|ask| self.over(ask, cx.out));
        }
    }

    fn happened(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        match &*happened.event {
            Event::Asked(_) if happened.settled_at_once => {}
            Event::Asked(ask) => self.asked(ask, cx.now),
            Event::TurnEnded { usage, .. } if self.ended.len() < TURNS_MAX => {
                self.ended.insert(happened.session, (cx.now.plus(quirks::PUSH_GRACE), usage.clone()));
            }
            // A person is there, and goes on.
            Event::Said(_) => drop(self.ended.remove(&happened.session)),
            event => {
                if let Some((ask, _)) = Ending::of(event) {
                    self.over(ask, cx.out);
                }
            }
        }
    }

    /// When the next timer is due.
    fn due_at(&self) -> Option<Timestamp> {
        if self.is_looking {
            return None;
        }
        let asks = self.waiting.values().filter_map(QueuedPush::due_at);
        asks.chain(self.ended.values().map(|(at, _)| *at)).min()
    }

    /// Queries whether a client is connected that shows what is due.
    fn look(&mut self, cx: &mut Cx<'_>) {
        let asks = self.waiting.values().filter(|waiting| waiting.is_due(cx.now)).map(|waiting| waiting.ask.id.session);
        let turns = self.ended.iter().filter(|(_, (at, _))| *at <= cx.now).map(|(session, _)| *session);
        let sessions: BTreeSet<_> = asks.chain(turns).collect();
        if !self.is_looking && !sessions.is_empty() {
            self.is_looking = true;
            cx.out.queries.push((LOOK, Query::Presence(sessions.into_iter().collect())));
        }
    }

    fn looked(&mut self, presence: &[(SessionId, Presence)], cx: &mut Cx<'_>) {
        let presence: BTreeMap<_, _> = presence.iter().copied().collect();
        let (mut asks, mut turns) = (Vec::new(), Vec::new());
        for waiting in self.waiting.values_mut().filter(|waiting| waiting.is_due(cx.now)) {
            match presence.get(&waiting.ask.id.session) {
                // The connected person may leave without an answer.
                Some(Presence::Here) => waiting.at = cx.now.plus(quirks::PUSH_GRACE),
                Some(_) => asks.push(waiting.ask.id),
                // The query failed, or the session is gone.
                None => {
                    waiting.at = cx.now.plus(quirks::PUSH_GRACE);
                    waiting.tries += 1;
                }
            }
        }
        for (session, _) in self.ended.iter().filter(|(_, (at, _))| *at <= cx.now) {
            // A session without a client of prime was never one of its chats.
            if presence.get(session) == Some(&Presence::Left) {
                turns.push(*session);
            }
        }
        self.ended.retain(|session, (at, _)| *at > cx.now || turns.contains(session));
        if asks.is_empty() && turns.is_empty() {
            self.is_looking = false;
            return;
        }
        self.unseen = (asks, turns);
        cx.out.queries.push((DEVICES, Query::Kept(devices::PREFIX.to_owned())));
    }

    fn push(&mut self, kept: &[(String, Raw)], out: &mut Outbox) {
        self.is_looking = false;
        let (asks, turns) = std::mem::take(&mut self.unseen);
        let ended: Vec<_> = turns.into_iter().filter_map(|it| Some((it, self.ended.remove(&it)?.1))).collect();
        // Some may be over by now.
        let taken = asks.into_iter().filter_map(|ask| self.waiting.get_key_value(&ask));
        let asks: Vec<_> = taken.map(|(id, waiting)| (*id, Arc::clone(&waiting.ask))).collect();
        for device in devices::all(kept) {
            if let Some((_, oldest)) = asks.first() {
                let call = device.call(&question(oldest, asks.len()), Some(oldest.id.session));
                self.call(&device, call, asks.iter().map(|(id, _)| *id).collect(), out);
            }
            for (session, usage) in &ended {
                let call = device.call(&complete(*session, usage.as_ref()), Some(*session));
                self.call(&device, call, Vec::new(), out);
            }
        }
        for (id, _) in &asks {
            let Some(waiting) = self.waiting.get_mut(id) else { continue };
            waiting.tries += 1;
            waiting.at = waiting.at.plus(quirks::PUSH_AGAIN * waiting.tries);
        }
    }

    /// The devices could not be read: looks again later. That is no try, since nothing was sent.
    fn put_off(&mut self, now: Timestamp) {
        self.is_looking = false;
        let (asks, turns) = std::mem::take(&mut self.unseen);
        let later = now.plus(quirks::PUSH_AGAIN);
        for ask in asks {
            if let Some(waiting) = self.waiting.get_mut(&ask) {
                waiting.at = later;
            }
        }
        for turn in turns {
            if let Some((at, _)) = self.ended.get_mut(&turn) {
                *at = later;
            }
        }
    }

    fn call(&mut self, device: &Device, call: Box<crate::wish::OutboundCall>, asks: Vec<AskId>, out: &mut Outbox) {
        self.calls += 1;
        let tag = Tag(CALLS + self.calls);
        self.sent.insert(tag, Sent { device: device.clone(), asks });
        out.wishes.push((tag, Wish::Call(call)));
    }

    fn called(&mut self, tag: Tag, reply: &Result<Receipt, Rejection>, out: &mut Outbox) {
        let Some(Sent { device, asks }) = self.sent.remove(&tag) else { return };
        match Fate::of(reply) {
            Fate::Sent => {
                for ask in asks {
                    // One device is enough: the others are this person's too, or were tried at the same time.
                    if self.waiting.remove(&ask).is_some() && self.pushed.insert(ask) {
                        let thing = Some(Raw::from("true"));
                        out.wishes.push((NOBODY, Wish::Keep { name: format!("{PUSHED}{ask}"), thing }));
                    }
                }
            }
            Fate::Gone => out.wishes.push((NOBODY, Wish::Keep { name: device.kept_as(), thing: None })),
            // Tried again when it is due.
            Fate::Failed(_) => {}
        }
    }
}

fn question(ask: &Ask, count: usize) -> Push {
    let title = match count {
        1 => format!("Question from {}", ask.asker.agent),
        _ => format!("{count} questions wait"),
    };
    let mut data = about(ask.id.session, "ask_user_question");
    data["question_id"] = json!(tell::question_id(ask.id));
    let body = ask.body.headline().chars().take(quirks::PUSH_BODY_CHARS).collect();
    Push { title: title.chars().take(quirks::PUSH_TITLE_CHARS).collect(), body, data: Some(data) }
}

/// In the original's words.
fn complete(session: SessionId, usage: Option<&Raw>) -> Push {
    let Usage { total_cost_usd, duration_ms } = Usage::of(usage);
    let mut data = about(session, "chat_complete");
    data["status"] = json!("success");
    for (name, value) in [("costUsd", total_cost_usd.map(Value::from)), ("durationMs", duration_ms.map(Value::from))] {
        if let Some(value) = value {
            data[name] = value;
        }
    }
    let body = "The agent has finished its turn".to_owned();
    Push { title: "Chat response ready".to_owned(), body, data: Some(data) }
}

fn about(session: SessionId, kind: &str) -> Value {
    let id = uuid::of_session(session);
    json!({"type": kind, "session_id": id, "deeplink_url": format!("prime://chat/session/{id}")})
}

impl Peer for Pushing {
    fn hear(&mut self, _: Frame<'_>, _: &mut Cx<'_>) -> Result<(), Garbled> {
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Snapshot(snapshot) => self.snapshot(snapshot, cx),
            Told::Event(happened) => self.happened(happened, cx),
            _ => return,
        }
        cx.out.wake_at = self.due_at();
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let finds = || reply.as_ref().ok().and_then(|receipt| receipt.finds.clone()).unwrap_or_default();
        match tag {
            // Without the names, every open ask would be pushed again. Another machine takes this one's place soon.
            BEGIN if reply.is_err() => {
                cx.out.hang_up = Some((TRY_AGAIN_LATER, "could not read what was pushed".to_owned()));
                return;
            }
            BEGIN => {
                let names = finds().kept;
                self.pushed = names.iter().filter_map(|(name, _)| name.strip_prefix(PUSHED)?.parse().ok()).collect();
                cx.out.watches.push(Watch::Inbox { after: None });
            }
            LOOK => self.looked(&finds().presence, cx),
            DEVICES if reply.is_err() => self.put_off(cx.now),
            DEVICES => self.push(&finds().kept, cx.out),
            tag => self.called(tag, &reply, cx.out),
        }
        cx.out.wake_at = self.due_at();
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        if !std::mem::replace(&mut self.begun, true) {
            cx.out.queries.push((BEGIN, Query::Kept(PUSHED.to_owned())));
        }
        self.look(cx);
        self.due_at()
    }
}
