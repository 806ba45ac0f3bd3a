//! What is told besides asks. It waits in its channel's queue, behind what rings, and in the same quiet hours.

use std::collections::VecDeque;

use askbridge_core::ids::{SessionId, Timestamp};

use super::{ChannelId, Effect, Ringer, Surroundings, is_for};
use crate::news::{News, NewsKind};
use crate::wire::Fate;

/// Notices that wait on one channel. Beyond: the oldest is left out.
const WAITING_MAX: usize = 20;
/// Notices in one message.
const TOGETHER_MAX: usize = 5;
/// How often one message of them is tried.
const TRIES_MAX: u32 = 5;

/// The notices of one channel.
#[derive(Debug, Default)]
pub(super) struct NewsQueue {
    waiting: VecDeque<(Timestamp, News)>,
    tries: u32,
}

impl NewsQueue {
    /// Returns what is to be told now, at most a few at once. What is of no use to a person who is there is left out.
    pub(super) fn take(&mut self, now: Timestamp, is_present: impl Fn(Option<SessionId>) -> bool) -> Vec<News> {
        let mut taken = Vec::new();
        while taken.len() < TOGETHER_MAX
            && let Some((_, news)) = self.waiting.pop_front_if(|(at, _)| *at <= now)
        {
            if !(news.kind.is_for_the_absent() && is_present(news.session)) {
                taken.push(news);
            }
        }
        taken
    }

    pub(super) fn next_at(&self) -> Option<Timestamp> {
        self.waiting.front().map(|(at, _)| *at)
    }

    fn add(&mut self, at: Timestamp, news: News) {
        let place = self.waiting.partition_point(|(other, _)| *other <= at);
        self.waiting.insert(place, (at, news));
        if self.waiting.len() > WAITING_MAX {
            self.waiting.pop_front();
        }
    }
}

impl Ringer {
    /// Does any channel tell of this?
    pub fn tells(&self, kind: NewsKind) -> bool {
        self.channels.values().any(|queue| queue.terms.tells.contains(&kind))
    }

    /// Tells of something over every channel that tells of its kind and that `may_tell`. What is of no use to a person who
    /// is there waits for the grace, so that they can go on before it is told.
    pub fn happened(&mut self, news: &News, may_tell: impl Fn(&ChannelId) -> bool, around: &impl Surroundings) {
        let waits = news.kind.is_for_the_absent() && !around.is_away();
        let at = if waits { news.at.plus(self.options.grace) } else { news.at };
        for (id, queue) in &mut self.channels {
            let is_told = queue.terms.tells.contains(&news.kind) && is_for(&news.audience, &queue.terms.person);
            if is_told && may_tell(id) {
                queue.news.add(at, news.clone());
            }
        }
    }

    /// A person said something in this session, or it began to ask: that it stopped is no news any longer.
    pub fn goes_on(&mut self, session: SessionId) {
        for queue in self.channels.values_mut() {
            queue.news.waiting.retain(|(_, news)| news.session != Some(session) || !news.kind.is_for_the_absent());
        }
    }

    /// Reports what became of [`Effect::Tell`].
    pub fn told(&mut self, channel: &ChannelId, news: Vec<News>, fate: &Fate, now: Timestamp) -> Option<Effect> {
        let queue = self.channels.get_mut(channel)?;
        let health = queue.report(channel, fate, now);
        match fate {
            Fate::Sent { .. } => {
                queue.rings.push_back(now);
                queue.news.tries = 0;
            }
            Fate::Later { .. } if queue.news.tries < TRIES_MAX => {
                queue.news.tries += 1;
                news.into_iter().rev().for_each(|news| queue.news.waiting.push_front((now, news)));
            }
            Fate::Later { .. } | Fate::Refused { .. } | Fate::Gone { .. } => queue.news.tries = 0,
        }
        health
    }
}
