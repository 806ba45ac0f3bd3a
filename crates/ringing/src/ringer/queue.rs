//! One channel's queue: what waits to be rung there, and when it may be.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};

use super::{ChannelId, ChannelTerms, Effect, Held, Surroundings};
use crate::wire::Fate;

/// More asks than this at once become one summary.
const SINGLE_MAX: usize = 3;
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
    /// A message is on its way.
    is_busy: bool,
    tries: u32,
    not_before: Option<Timestamp>,
}

impl Queue {
    pub(super) fn new(terms: ChannelTerms) -> Self {
        Self {
            terms,
            waiting: BTreeSet::new(),
            to_close: VecDeque::new(),
            rings: VecDeque::new(),
            held: BTreeMap::new(),
            failures: BTreeMap::new(),
            is_busy: false,
            tries: 0,
            not_before: None,
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
        if let Some(ask) = self.to_close.pop_front() {
            self.is_busy = true;
            effects.push(Effect::Close { channel: id.clone(), ask });
            return;
        }
        let is_quiet = self.terms.quiet.is_some_and(|hours| hours.contain(around.minute()));
        let mut ready = Vec::new();
        for &ask in &self.waiting {
            let quiet = (is_quiet && !is_urgent(ask)).then_some(Held::Quiet);
            match quiet.or_else(|| around.held(&self.terms.person, ask)) {
                None => ready.push(ask),
                Some(why) => {
                    self.not_before = Some(now.plus(HELD_AGAIN));
                    if self.held.insert(ask, why.clone()).as_ref() != Some(&why) {
                        effects.push(Effect::Hold { channel: id.clone(), ask, why });
                    }
                }
            }
        }
        while self.rings.front().is_some_and(|at| at.plus(RATE_SPAN) <= now) {
            self.rings.pop_front();
        }
        if ready.is_empty() {
            return;
        }
        if let Some(oldest) = self.rings.front().filter(|_| self.rings.len() >= RATE_MAX) {
            self.not_before = Some(oldest.plus(RATE_SPAN));
            return;
        }
        // A reminder and a first ring are not told in one message.
        let nth = ready.iter().map(|ask| times(*ask)).min().unwrap_or_default();
        ready.retain(|ask| times(*ask) == nth);
        if ready.len() <= SINGLE_MAX {
            ready.sort_by_key(|ask| self.failures.get(ask).copied().unwrap_or_default());
            ready.truncate(1);
        }
        ready.truncate(SUMMARY_MAX);
        self.is_busy = true;
        self.not_before = None;
        effects.push(Effect::Ring { channel: id.clone(), asks: ready, nth });
    }

    /// Changed terms may mean that it works now.
    pub(super) fn change(&mut self, terms: ChannelTerms) {
        if self.terms != terms {
            (self.not_before, self.tries) = (None, 0);
        }
        self.terms = terms;
    }

    /// The next message is about another ask, if one waits: one that the service never takes must not hold up the others.
    pub(super) fn failed(&mut self, asks: &[AskId]) {
        for ask in asks.iter().filter(|ask| self.waiting.contains(ask)) {
            *self.failures.entry(*ask).or_default() += 1;
        }
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

    /// A message arrived, or did not.
    pub(super) fn report(&mut self, fate: &Fate, now: Timestamp) {
        self.is_busy = false;
        let wait = match fate {
            Fate::Sent { .. } => {
                self.tries = 0;
                return;
            }
            Fate::Later { after, .. } => {
                self.tries = self.tries.saturating_add(1);
                let doubled = RETRY_FIRST.saturating_mul(1 << (self.tries - 1).min(16)).min(RETRY_MAX);
                after.unwrap_or_default().max(doubled)
            }
            Fate::Refused { .. } | Fate::Gone { .. } => REFUSED_AGAIN,
        };
        self.not_before = Some(now.plus(wait));
    }

    pub(super) fn next_at(&self, now: Timestamp) -> Option<Timestamp> {
        let has_work = !self.waiting.is_empty() || !self.to_close.is_empty();
        (has_work && !self.is_busy).then(|| self.not_before.unwrap_or(now))
    }
}
