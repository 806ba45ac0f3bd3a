//! One channel's queue: what waits to be rung there, and when it may be.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};

use super::news::NewsQueue;
use super::{ChannelId, ChannelTerms, Effect, Held, Surroundings};
use crate::wire::Fate;

/// More asks than this at once become one summary.
pub(super) const SINGLE_MAX: usize = 3;
/// Asks in one summary: they are stored in one record. Beyond: the rest is in the next one.
const SUMMARY_MAX: usize = 10_000;
/// How often it is tried to take a message back.
const CLOSE_TRIES_MAX: u32 = 3;
/// Messages that one channel is sent within [`RATE_SPAN`]. Beyond: what is due waits, and becomes one summary.
const RATE_MAX: usize = 6;
const RATE_SPAN: Duration = Duration::from_secs(60);
/// How soon a person who was present is looked for again.
const HELD_AGAIN: Duration = Duration::from_secs(15);
/// The first and the longest wait after a failure; it doubles in between.
const RETRY_FIRST: Duration = Duration::from_secs(2);
const RETRY_MAX: Duration = Duration::from_secs(300);
/// The wait after the service refused our settings: only a person can change that.
const REFUSED_AGAIN: Duration = Duration::from_secs(900);
/// After so many failures in a row, about half a minute, the person is told that the channel does not work.
const BROKEN_AFTER: u32 = 5;

#[derive(Debug)]
pub(super) struct Queue {
    pub(super) terms: ChannelTerms,
    pub(super) waiting: BTreeSet<AskId>,
    pub(super) to_close: VecDeque<AskId>,
    /// When it rang, within the last [`RATE_SPAN`].
    pub(super) rings: VecDeque<Timestamp>,
    /// Which of the waiting asks were said to be held, and why.
    held: BTreeMap<AskId, Held>,
    /// How often each waiting ask failed.
    failures: BTreeMap<AskId, u32>,
    /// The first ask of the last message that failed. A ring is stored under its first ask, so what is tried again stays one.
    lead: Option<AskId>,
    /// What is told besides asks.
    pub(super) news: NewsQueue,
    /// A message is on its way.
    is_busy: bool,
    tries: u32,
    /// Nothing is sent before then, because the service failed.
    not_before: Option<Timestamp>,
    /// What waits is not looked at before then: it was held, or too much was sent.
    look_at: Option<Timestamp>,
    /// The person was told that the channel does not work.
    is_broken: bool,
}

impl Queue {
    pub(super) fn new(terms: ChannelTerms) -> Self {
        Self {
            is_broken: terms.is_broken,
            terms,
            waiting: BTreeSet::new(),
            to_close: VecDeque::new(),
            rings: VecDeque::new(),
            held: BTreeMap::new(),
            failures: BTreeMap::new(),
            lead: None,
            news: NewsQueue::default(),
            is_busy: false,
            tries: 0,
            not_before: None,
            look_at: None,
        }
    }

    pub(super) fn forget(&mut self, ask: AskId) {
        self.waiting.remove(&ask);
        self.held.remove(&ask);
        self.failures.remove(&ask);
    }

    pub(super) fn poll(
        &mut self,
        id: &ChannelId,
        now: Timestamp,
        around: &impl Surroundings,
        is_urgent: impl Fn(AskId) -> bool,
        times: impl Fn(AskId) -> u8,
        effects: &mut Vec<Effect>,
    ) {
        if self.is_busy || self.not_before.is_some_and(|at| at > now) {
            return;
        }
        self.not_before = None;
        if let Some(close) = self.close_next(id, now) {
            effects.push(close);
            return;
        }
        if self.look_at.is_some_and(|at| at > now) {
            return;
        }
        self.look_at = None;
        let is_quiet = self.terms.quiet.is_some_and(|hours| hours.contain(around.minute()));
        let mut ready = Vec::new();
        for &ask in &self.waiting {
            let quiet = (is_quiet && !is_urgent(ask)).then_some(Held::Quiet);
            match quiet.or_else(|| around.held(id, &self.terms.person, ask)) {
                None => ready.push(ask),
                Some(why) => {
                    self.look_at = Some(now.plus(HELD_AGAIN));
                    if self.held.insert(ask, why.clone()).as_ref() != Some(&why) {
                        effects.push(Effect::Hold { channel: id.clone(), ask, why });
                    }
                }
            }
        }
        while self.rings.front().is_some_and(|at| at.plus(RATE_SPAN) <= now) {
            self.rings.pop_front();
        }
        let has_news = self.news.next_at().is_some_and(|at| at <= now);
        if ready.is_empty() && !has_news {
            return;
        }
        if let Some(oldest) = self.rings.front().filter(|_| self.rings.len() >= RATE_MAX) {
            self.look_at = Some(oldest.plus(RATE_SPAN));
            return;
        }
        if ready.is_empty() {
            if is_quiet {
                self.look_at = Some(now.plus(HELD_AGAIN));
                return;
            }
            let news = self.news.take(now, |session| around.is_present(id, &self.terms.person, session));
            if !news.is_empty() {
                self.is_busy = true;
                effects.push(Effect::Tell { channel: id.clone(), news });
            }
            return;
        }
        // A reminder and a first ring are not told in one message.
        let nth = ready.iter().map(|ask| times(*ask)).min().unwrap_or_default();
        ready.retain(|ask| times(*ask) == nth);
        if ready.len() <= SINGLE_MAX {
            ready.sort_by_key(|ask| self.failures.get(ask).copied().unwrap_or_default());
            ready.truncate(1);
        }
        if ready.len() > SINGLE_MAX
            && let Some(at) = ready.iter().position(|ask| Some(*ask) == self.lead)
        {
            ready[..=at].rotate_right(1);
        }
        ready.truncate(SUMMARY_MAX);
        self.is_busy = true;
        self.look_at = None;
        effects.push(Effect::Ring { channel: id.clone(), asks: ready.into(), nth });
    }

    /// Is there anything to look at, for which it matters who is present?
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        let may_send = !self.is_busy && self.not_before.is_none_or(|at| at <= now) && self.to_close.is_empty();
        let has_work = !self.waiting.is_empty() || self.news.next_at().is_some_and(|at| at <= now);
        may_send && has_work && self.look_at.is_none_or(|at| at <= now)
    }

    /// Takes back the next message about a settled ask, whoever is present.
    pub(super) fn close_next(&mut self, id: &ChannelId, now: Timestamp) -> Option<Effect> {
        if self.is_busy || self.not_before.is_some_and(|at| at > now) {
            return None;
        }
        let ask = self.to_close.pop_front()?;
        self.is_busy = true;
        Some(Effect::Close { channel: id.clone(), ask })
    }

    /// Changed terms may mean that it works now. That it was noted as broken is no change.
    pub(super) fn change(&mut self, terms: ChannelTerms) {
        let terms = ChannelTerms { is_broken: self.terms.is_broken, ..terms };
        if self.terms != terms {
            (self.not_before, self.look_at, self.tries) = (None, None, 0);
        }
        self.terms = terms;
    }

    /// People came or went: what was held is looked at now.
    pub(super) fn look_again(&mut self) {
        self.look_at = None;
    }

    /// The next message is about another ask, if one waits: one that the service never takes must not hold up the others.
    /// A summary names all that wait, so nothing is noted of its asks.
    pub(super) fn failed(&mut self, asks: &[AskId]) {
        self.lead = asks.first().copied();
        if let [ask] = asks
            && self.waiting.contains(ask)
        {
            *self.failures.entry(*ask).or_default() += 1;
        }
    }

    #[cfg(test)]
    pub(super) fn notes_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    /// A message that cannot be taken back must not keep the others from being sent.
    pub(super) fn may_try_closing_again(&mut self) -> bool {
        let may = self.tries < CLOSE_TRIES_MAX;
        if !may {
            self.tries = 0;
        }
        may
    }

    /// Nothing is on its way any longer.
    pub(super) fn idle(&mut self) {
        self.is_busy = false;
    }

    /// A message arrived, or did not. Returns whether the channel works, if that is news.
    pub(super) fn report(&mut self, id: &ChannelId, fate: &Fate, now: Timestamp) -> Option<Effect> {
        self.is_busy = false;
        let wait = match fate {
            Fate::Sent { .. } => {
                self.tries = 0;
                let was_broken = std::mem::replace(&mut self.is_broken, false);
                return was_broken.then(|| Effect::Works { channel: id.clone() });
            }
            Fate::Later { after, .. } => {
                self.tries = self.tries.saturating_add(1);
                let doubled = RETRY_FIRST.saturating_mul(1 << (self.tries - 1).min(16)).min(RETRY_MAX);
                after.unwrap_or_default().max(doubled)
            }
            Fate::Refused { .. } | Fate::Gone { .. } => REFUSED_AGAIN,
        };
        self.not_before = Some(now.plus(wait));
        let why = match fate {
            Fate::Later { why, .. } if self.tries >= BROKEN_AFTER => why,
            Fate::Refused { why } | Fate::Gone { why } => why,
            Fate::Later { .. } | Fate::Sent { .. } => return None,
        };
        let was_broken = std::mem::replace(&mut self.is_broken, true);
        (!was_broken).then(|| Effect::Broken { channel: id.clone(), why: why.clone() })
    }

    pub(super) fn next_at(&self, now: Timestamp) -> Option<Timestamp> {
        if self.is_busy {
            return None;
        }
        let earliest = self.not_before.unwrap_or(now);
        let closing = (!self.to_close.is_empty()).then_some(earliest);
        let ringing = (!self.waiting.is_empty()).then_some(now);
        let looking = ringing.into_iter().chain(self.news.next_at()).min();
        let looking = looking.map(|at| at.max(earliest).max(self.look_at.unwrap_or(at)));
        closing.into_iter().chain(looking).min()
    }
}
