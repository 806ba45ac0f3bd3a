//! Decides who is rung when: after a grace, on every channel of everyone who may decide, unless that person is present,
//! has snoozed the ask or has quiet hours; again as often as reminders are set; many at once as one summary. A machine
//! without I/O: the bridge tells it what happened, carries its effects out and reports what became of them.
//!
//! Within the grace an ask costs one entry in one ordered set, however many channels there are, because nearly all asks
//! are answered in it. Each channel sends one message at a time, so a channel that is down holds a set of ids and
//! nothing else.

mod news;
mod queue;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::Audience;
use askbridge_core::ids::{AskId, PersonId, SessionId, Timestamp};
use askbridge_core::rules::asks::Hours;

use crate::news::{News, NewsKind};
use crate::wire::Fate;
use queue::{Queue, SINGLE_MAX};

/// If more asks than become a summary end their grace within this time, they are waited for, so that a burst rings once.
const GATHER: Duration = Duration::from_secs(5);
/// How long the first of a burst waits for the others at most.
const GATHER_MAX: Duration = Duration::from_secs(10);
/// How often it is looked whether the burst is over.
const GATHER_LOOK: Duration = Duration::from_secs(1);

/// When people are rung.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingOptions {
    /// How long an ask waits before it rings.
    pub grace: Duration,
    /// How long after each ring the next one follows. After the last of them there is none.
    pub remind: Vec<Duration>,
}

impl Default for RingOptions {
    fn default() -> Self {
        let remind = vec![Duration::from_secs(10 * 60), Duration::from_secs(60 * 60)];
        Self { grace: Duration::from_secs(15), remind }
    }
}

/// A channel's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub String);

/// What the machine knows of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelTerms {
    pub person: PersonId,
    /// Asks from before then do not ring here.
    pub added_at: Timestamp,
    /// When only urgent asks ring.
    pub quiet: Option<Hours>,
    /// What it tells of besides asks.
    pub tells: BTreeSet<NewsKind>,
    /// The person was told before a restart that it does not work.
    pub is_broken: bool,
}

/// What the machine knows of an open ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAsk {
    pub id: AskId,
    pub at: Timestamp,
    pub audience: Audience,
    pub is_urgent: bool,
}

/// How often an ask has rung on a channel, and when last. Known from before a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    pub times: u8,
    pub last: Timestamp,
}

/// Why an ask does not ring now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// The person looks at the card.
    Looking,
    /// The person works at a terminal of this machine.
    Present,
    /// The person has snoozed the ask.
    Snoozed,
    /// An answer waits for its undo time to pass.
    Proposed,
    /// It is within the channel's quiet hours.
    Quiet,
}

/// What the bridge knows of people at this moment.
pub trait Surroundings {
    /// Has a person said that they are away? Then nothing waits for the grace.
    fn is_away(&self) -> bool;
    /// Whether this person, as this channel reaches them, is present for this ask, or has snoozed it.
    fn held(&self, channel: &ChannelId, person: &PersonId, ask: AskId) -> Option<Held>;
    /// Whether this person is there at all, whatever they look at, or in that session over this channel's own client.
    fn is_present(&self, channel: &ChannelId, person: &PersonId, session: Option<SessionId>) -> bool;
    /// The minute of the day in the operator's time zone.
    fn minute(&self) -> u16;
}

/// What the bridge has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ring a channel for these asks, as one message. Report back with [`Ringer::rang`].
    Ring { channel: ChannelId, asks: Arc<[AskId]>, nth: u8 },
    /// An ask that rang here is settled: take the message back. Report back with [`Ringer::closed`].
    Close { channel: ChannelId, ask: AskId },
    /// This ask does not ring here now. Said once for each reason.
    Hold { channel: ChannelId, ask: AskId, why: Held },
    /// Tell of these, as one message. Report back with [`Ringer::told`].
    Tell { channel: ChannelId, news: Vec<News> },
    /// A channel does not work any longer. Said once.
    Broken { channel: ChannelId, why: String },
    /// A channel that was [`Effect::Broken`] works again.
    Works { channel: ChannelId },
}

/// An open ask, and where it rang.
#[derive(Debug)]
struct Known {
    ask: OpenAsk,
    due_at: Timestamp,
    rung: BTreeMap<ChannelId, Rung>,
}

/// The machine.
#[derive(Debug, Default)]
pub struct Ringer {
    options: RingOptions,
    channels: BTreeMap<ChannelId, Queue>,
    open: BTreeMap<AskId, Known>,
    in_grace: BTreeSet<(Timestamp, AskId)>,
    reminders: BTreeSet<(Timestamp, AskId, ChannelId)>,
}

impl Ringer {
    pub fn new(options: RingOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Is there any channel? Without one the bridge need not tell of asks.
    pub fn has_channels(&self) -> bool {
        !self.channels.is_empty()
    }

    /// How many asks are open, as far as the machine was told.
    pub fn open_asks(&self) -> usize {
        self.open.len()
    }

    /// The open asks of these sessions.
    pub fn open_in(&self, is_one: impl Fn(SessionId) -> bool) -> Vec<AskId> {
        self.open.keys().filter(|ask| is_one(ask.session)).copied().collect()
    }

    /// Adds a channel, or changes its terms.
    pub fn set_channel(&mut self, id: ChannelId, terms: ChannelTerms) {
        match self.channels.get_mut(&id) {
            Some(queue) => queue.change(terms),
            None => drop(self.channels.insert(id, Queue::new(terms))),
        }
    }

    pub fn remove_channel(&mut self, id: &ChannelId) {
        self.channels.remove(id);
        self.reminders.retain(|(_, _, channel)| channel != id);
    }

    /// An ask is open. `rung` is where it rang before a restart.
    pub fn opened(&mut self, ask: OpenAsk, rung: BTreeMap<ChannelId, Rung>, around: &impl Surroundings) {
        if self.open.contains_key(&ask.id) {
            return;
        }
        for (channel, rung) in &rung {
            self.remind(ask.id, channel, *rung);
        }
        let due_at = if around.is_away() { ask.at } else { ask.at.plus(self.options.grace) };
        self.in_grace.insert((due_at, ask.id));
        self.open.insert(ask.id, Known { ask, due_at, rung });
    }

    /// A person said that they are away: what waits for its grace rings at the next [`Ringer::poll`].
    pub fn away(&mut self) {
        for (_, id) in std::mem::take(&mut self.in_grace) {
            if let Some(known) = self.open.get_mut(&id) {
                known.due_at = known.ask.at;
                self.in_grace.insert((known.due_at, id));
            }
        }
    }

    /// An ask is settled, or gone. It rings nowhere any more; where it rang, the message is taken back.
    pub fn settled(&mut self, id: AskId) {
        let Some(known) = self.open.remove(&id) else { return };
        // Nearly all are settled in the grace: then no queue knows them.
        if !self.in_grace.remove(&(known.due_at, id)) {
            self.channels.values_mut().for_each(|queue| queue.forget(id));
        }
        for channel in known.rung.keys() {
            if let Some(queue) = self.channels.get_mut(channel) {
                queue.to_close.push_back(id);
            }
        }
    }

    /// People came or went: who was present when it was last looked may not be.
    pub fn look_again(&mut self) {
        self.channels.values_mut().for_each(Queue::look_again);
    }

    /// Takes messages about settled asks back, as far as that is due.
    pub fn close(&mut self, now: Timestamp) -> Vec<Effect> {
        self.channels.iter_mut().filter_map(|(id, queue)| queue.close_next(id, now)).collect()
    }

    /// Moves what is due to its channels. Can one of them ring now? Then [`Ringer::poll`] has something to do for which it
    /// matters who is present, and to find that out takes reads of the disk.
    pub fn is_due(&mut self, now: Timestamp) -> bool {
        self.end_of_grace(now);
        self.due_reminders(now);
        self.channels.values().any(|queue| queue.is_due(now))
    }

    /// Returns what is to be done now.
    pub fn poll(&mut self, now: Timestamp, around: &impl Surroundings) -> Vec<Effect> {
        self.end_of_grace(now);
        self.due_reminders(now);
        let mut effects: Vec<Effect> = Vec::new();
        for (id, queue) in &mut self.channels {
            let urgent = |ask| self.open.get(&ask).is_some_and(|known| known.ask.is_urgent);
            let times = |ask| {
                let rung = self.open.get(&ask).and_then(|known| known.rung.get(id));
                rung.map_or(0, |rung| rung.times)
            };
            queue.poll(id, now, around, urgent, times, &mut effects);
        }
        share(&mut effects);
        effects
    }

    /// Moves the asks whose grace is over to the channels of those who may decide them.
    fn end_of_grace(&mut self, now: Timestamp) {
        if self.grace_ends(now).is_none_or(|at| at > now) {
            return;
        }
        while let Some((due_at, id)) = self.in_grace.first().copied().filter(|(due_at, _)| *due_at <= now) {
            self.in_grace.remove(&(due_at, id));
            let Some(known) = self.open.get(&id) else { continue };
            for (channel, queue) in &mut self.channels {
                let is_new = known.ask.at >= queue.terms.added_at && !known.rung.contains_key(channel);
                if is_new && is_for(&known.ask.audience, &queue.terms.person) {
                    queue.waiting.insert(id);
                }
            }
        }
    }

    /// When the next asks ring whose grace is over. In a burst that is when no more are about to end theirs.
    fn grace_ends(&self, now: Timestamp) -> Option<Timestamp> {
        let first = self.in_grace.first()?.0;
        let last_of = |at| (at, AskId { session: SessionId(u128::MAX), number: u32::MAX });
        let waited = first.plus(GATHER_MAX);
        if first > now || waited <= now {
            return Some(first);
        }
        let soon = self.in_grace.range((Bound::Excluded(last_of(now)), Bound::Included(last_of(now.plus(GATHER)))));
        let is_a_burst = soon.take(SINGLE_MAX + 1).count() > SINGLE_MAX;
        let has_urgent = || self.in_grace.iter().take_while(|(at, _)| *at <= now).any(|(_, ask)| self.is_urgent(*ask));
        if is_a_burst && !has_urgent() { Some(now.plus(GATHER_LOOK).min(waited)) } else { Some(first) }
    }

    fn is_urgent(&self, ask: AskId) -> bool {
        self.open.get(&ask).is_some_and(|known| known.ask.is_urgent)
    }

    fn due_reminders(&mut self, now: Timestamp) {
        while let Some(due) = self.reminders.first().filter(|(at, ..)| *at <= now).cloned() {
            self.reminders.remove(&due);
            let (_, id, channel) = due;
            if let Some(queue) = self.channels.get_mut(&channel).filter(|_| self.open.contains_key(&id)) {
                queue.waiting.insert(id);
            }
        }
    }

    /// Reports what became of [`Effect::Ring`]. Returns whether the channel works, if that is news.
    pub fn rang(&mut self, channel: &ChannelId, asks: &[AskId], fate: &Fate, now: Timestamp) -> Option<Effect> {
        let queue = self.channels.get_mut(channel)?;
        let health = queue.report(channel, fate, now);
        if !matches!(fate, Fate::Sent { .. }) {
            queue.failed(asks);
            return health;
        }
        queue.rings.push_back(now);
        for &id in asks {
            queue.forget(id);
            match self.open.get_mut(&id) {
                Some(known) => {
                    let times = known.rung.get(channel).map_or(0, |rung| rung.times).saturating_add(1);
                    known.rung.insert(channel.clone(), Rung { times, last: now });
                    if let Some(after) = self.options.remind.get(usize::from(times) - 1) {
                        self.reminders.insert((now.plus(*after), id, channel.clone()));
                    }
                }
                // It was settled while the message was on its way.
                None => queue.to_close.push_back(id),
            }
        }
        health
    }

    /// A message about an ask that is over is still out there, from before a restart.
    pub fn take_back(&mut self, channel: &ChannelId, ask: AskId) {
        if let Some(queue) = self.channels.get_mut(channel).filter(|queue| !queue.to_close.contains(&ask)) {
            queue.to_close.push_back(ask);
        }
    }

    /// Reports that [`Effect::Ring`] was not carried out, because none of its asks was open any longer.
    pub fn idle(&mut self, channel: &ChannelId) {
        if let Some(queue) = self.channels.get_mut(channel) {
            queue.idle();
        }
    }

    /// Reports what became of [`Effect::Close`]. Returns whether the channel works, if that is news.
    pub fn closed(&mut self, channel: &ChannelId, ask: AskId, fate: &Fate, now: Timestamp) -> Option<Effect> {
        let queue = self.channels.get_mut(channel)?;
        // A close that needed no request says nothing about the channel.
        let health = queue.report(channel, fate, now);
        if matches!(fate, Fate::Later { .. }) && queue.may_try_closing_again() {
            queue.to_close.push_front(ask);
        }
        health
    }

    /// When to call [`Ringer::poll`] next, if nothing else happens.
    pub fn next_at(&self, now: Timestamp) -> Option<Timestamp> {
        let grace = self.grace_ends(now);
        let reminder = self.reminders.first().map(|(at, ..)| *at);
        let queues = self.channels.values().filter_map(|queue| queue.next_at(now));
        grace.into_iter().chain(reminder).chain(queues).min()
    }

    fn remind(&mut self, id: AskId, channel: &ChannelId, rung: Rung) {
        if let Some(after) = self.options.remind.get(usize::from(rung.times.saturating_sub(1))) {
            self.reminders.insert((rung.last.plus(*after), id, channel.clone()));
        }
    }
}

/// Most channels ring for the same asks: a summary of thousands is in memory once.
fn share(effects: &mut [Effect]) {
    let mut last: Option<Arc<[AskId]>> = None;
    for effect in effects {
        let Effect::Ring { asks, .. } = effect else { continue };
        match &last {
            Some(known) if known == asks => *asks = Arc::clone(known),
            _ => last = Some(Arc::clone(asks)),
        }
    }
}

fn is_for(audience: &Audience, person: &PersonId) -> bool {
    match audience {
        Audience::Everyone => true,
        Audience::Only(people) => people.contains(person),
    }
}
