//! What was rung: in memory, and on the shelf under the first ask and the channel.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_journal::shelf::{Expect, Item, Revision, Shelf, ShelfError};
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::record::{Action, Ring, RingState};
use askbridge_ringing::ringer::{ChannelId, Rung};

use super::Ringing;
use crate::runtime::Handle;

pub(super) const PREFIX: &str = "ring/";
/// How long a ring is kept after its last change.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Rings in memory that nothing more can become of. Beyond: the oldest of them are only on the shelf. Those of open asks
/// stay, because what has rung must not ring again; how many asks may be open is limited elsewhere.
const OVER_IN_MEMORY_MAX: usize = 20_000;
/// Changes of rings that are stored at the same time.
const WRITERS: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Rings {
    by_key: BTreeMap<Arc<str>, Ring>,
    by_ask: HashMap<AskId, Vec<Arc<str>>>,
    /// How many asks of a summary, from its first on, are known to be over.
    over_up_to: HashMap<Arc<str>, usize>,
    by_ticket: HashMap<String, String>,
    /// How many nothing more can become of.
    over: usize,
    /// At which revision of the shelf each is known, where several nodes share it.
    revisions: HashMap<Arc<str>, Revision>,
}

/// Two changes of one ring are stored in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct Writers([tokio::sync::Mutex<()>; WRITERS]);

impl Writers {
    async fn of(&self, key: &str) -> tokio::sync::MutexGuard<'_, ()> {
        let sum = key.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        self.0[sum % WRITERS].lock().await
    }
}

/// Names a ring: the first of its asks, and its channel.
pub(super) fn key(ask: AskId, channel: &str) -> String {
    format!("{ask}/{channel}")
}

impl Rings {
    pub(super) fn insert(&mut self, key: &str, ring: Ring) {
        // One text for all: a summary is listed under each of its asks.
        let name: Arc<str> = self.by_key.get_key_value(key).map_or_else(|| key.into(), |(name, _)| Arc::clone(name));
        for ask in &*ring.asks {
            let keys = self.by_ask.entry(*ask).or_default();
            if !keys.contains(&name) {
                keys.push(Arc::clone(&name));
            }
        }
        self.by_ticket.extend(ring.tickets.iter().map(|ticket| (ticket.hash.clone(), key.to_owned())));
        self.over += usize::from(is_over(&ring));
        let before = self.by_key.insert(name, ring);
        self.over -= usize::from(before.is_some_and(|before| is_over(&before)));
        if self.over > OVER_IN_MEMORY_MAX {
            self.forget_oldest();
        }
    }

    /// Forgets a tenth of those that nothing more can become of, so that this is seldom done.
    fn forget_oldest(&mut self) {
        let over = self.by_key.iter().filter(|(_, ring)| is_over(ring));
        let mut by_age: Vec<_> = over.map(|(key, ring)| (ring.at, Arc::clone(key))).collect();
        by_age.sort_unstable();
        for (_, key) in by_age.into_iter().take(OVER_IN_MEMORY_MAX / 10) {
            let Some(ring) = self.by_key.remove(&key) else { continue };
            self.over -= 1;
            ring.tickets.iter().for_each(|ticket| drop(self.by_ticket.remove(&ticket.hash)));
            self.over_up_to.remove(&key);
            for ask in &*ring.asks {
                if let Some(keys) = self.by_ask.get_mut(ask) {
                    keys.retain(|known| *known != key);
                    if keys.is_empty() {
                        self.by_ask.remove(ask);
                    }
                }
            }
        }
    }

    /// Notes at which revision of the shelf a ring is known. Returns whether that is news.
    fn is_as_of(&mut self, key: &str, revision: Revision) -> bool {
        if self.revisions.len() > 2 * OVER_IN_MEMORY_MAX {
            let by_key = &self.by_key;
            self.revisions.retain(|key, _| by_key.contains_key(&**key));
        }
        match self.revisions.get_mut(key) {
            Some(known) if *known >= revision => false,
            Some(known) => {
                *known = revision;
                true
            }
            None => {
                self.revisions.insert(key.into(), revision);
                true
            }
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Ring> {
        self.by_key.get(key)
    }

    /// The rings of an ask, oldest first.
    pub(crate) fn of(&self, ask: AskId) -> Vec<Ring> {
        let keys = self.by_ask.get(&ask).into_iter().flatten();
        let mut rings: Vec<_> = keys.filter_map(|key| self.by_key.get(key).cloned()).collect();
        rings.sort_by_key(|ring| ring.at);
        rings
    }

    /// All rings, newest first.
    pub(crate) fn log(&self, keep: impl Fn(&Ring) -> bool, max: usize) -> Vec<Ring> {
        let mut rings: Vec<_> = self.by_key.values().filter(|ring| keep(ring)).cloned().collect();
        rings.sort_by_key(|ring| std::cmp::Reverse(ring.at));
        rings.truncate(max);
        rings
    }

    /// The ring of a ticket, and what the ticket stands for.
    pub(super) fn find(&self, ticket: &Ticket) -> Option<(String, Ring, Action)> {
        let hash = ticket.hash();
        let key = self.by_ticket.get(&hash)?;
        let ring = self.by_key.get(&**key)?;
        let action = ring.tickets.iter().find(|known| known.hash == hash)?.action;
        Some((key.clone(), ring.clone(), action))
    }

    /// The ring whose message has this name on this channel.
    pub(super) fn by_reference(&self, channel: &str, reference: &str) -> Option<String> {
        let named = |ring: &Ring| ring.channel == channel && ring.reference.as_deref() == Some(reference);
        self.by_key.iter().rev().find(|(_, ring)| named(ring)).map(|(key, _)| key.to_string())
    }

    /// Where an ask has rung, for the machine. A ring that was on its way when the server stopped counts: nothing shows
    /// that the service did not take it, and a reminder follows.
    pub(super) fn rung(&self, ask: AskId) -> BTreeMap<ChannelId, Rung> {
        let keys = self.by_ask.get(&ask).into_iter().flatten();
        let rings = keys.filter_map(|key| self.by_key.get(key));
        let rung = rings.map(|ring| {
            let did_ring = !matches!(ring.state, RingState::Failed | RingState::Suppressed);
            let times = if did_ring { ring.times } else { ring.times.saturating_sub(1) };
            let last = if ring.state == RingState::Sending { ring.at } else { ring.rang_at.unwrap_or(ring.at) };
            (ChannelId(ring.channel.clone()), Rung { times, last: Timestamp(last) })
        });
        rung.filter(|(_, rung)| rung.times > 0).collect()
    }

    /// Rings about asks that are on their way, or that are out there without a name, by their keys.
    pub(super) fn doubtful(&self) -> Vec<(String, Ring)> {
        let is_doubtful = |ring: &Ring| ring.state == RingState::Sending || (ring.reference.is_none() && ring.is_out());
        let doubtful = self.by_key.iter().filter(|(_, ring)| is_doubtful(ring) && !ring.asks.is_empty());
        doubtful.map(|(key, ring)| (key.to_string(), ring.clone())).collect()
    }

    /// Messages that are out there, one for each ask that they are about.
    pub(super) fn out(&self) -> Vec<(ChannelId, AskId)> {
        let out = self.by_key.values().filter(|ring| ring.is_out());
        let each = out.flat_map(|ring| ring.asks.iter().map(|ask| (ChannelId(ring.channel.clone()), *ask)));
        each.collect()
    }

    /// The rings of a person about an ask.
    fn keys_of(&self, person: &str, ask: AskId) -> Vec<String> {
        let keys = self.by_ask.get(&ask).into_iter().flatten();
        let theirs = keys.filter(|key| self.by_key.get(*key).is_some_and(|ring| ring.person == person));
        theirs.map(ToString::to_string).collect()
    }

    /// The asks of a ring that are not known to be over yet.
    pub(super) fn maybe_open(&self, key: &str) -> (usize, Arc<[AskId]>) {
        let asks = self.by_key.get(key).map(|ring| Arc::clone(&ring.asks)).unwrap_or_else(|| [].into());
        (self.over_up_to.get(key).copied().unwrap_or_default(), asks)
    }

    /// The first so many asks of a ring are over.
    pub(super) fn are_over(&mut self, key: &str, count: usize) {
        if let Some((name, _)) = self.by_key.get_key_value(key) {
            self.over_up_to.insert(Arc::clone(name), count);
        }
    }
}

/// Can nothing more become of it, and is it not needed to know what has rung?
fn is_over(ring: &Ring) -> bool {
    ring.state.is_final() || ring.asks.is_empty()
}

impl Ringing {
    pub(super) async fn load_rings(&self, handle: &Handle) -> Result<(), ShelfError> {
        let items = handle.store.list(PREFIX, handle.now()).await?;
        let mut rings = self.rings.lock();
        for item in items {
            let (Some(key), Ok(ring)) = (item.key.strip_prefix(PREFIX), serde_json::from_slice(&item.value)) else {
                continue;
            };
            rings.insert(key, ring);
        }
        Ok(())
    }

    /// Takes in a ring that another node stored. What this node stored since is newer.
    pub(crate) fn learn(&self, key: &str, revision: Revision, item: Option<&Item>) {
        let Some(Ok(ring)) = item.map(|item| serde_json::from_slice(&item.value)) else { return };
        let mut rings = self.rings.lock();
        if rings.is_as_of(key, revision) {
            rings.insert(key, ring);
            drop(rings);
            self.rang.notify_waiters();
        }
    }

    /// Stores a ring. Returns when it is on disk.
    pub(super) async fn keep(&self, handle: &Handle, key: &str, ring: Ring) -> Result<(), ShelfError> {
        let _turn = self.writers.of(key).await;
        self.put(handle, key, ring).await
    }

    /// Changes a ring as it is now, whatever became of it meanwhile. `change` returns whether there is news.
    pub(super) async fn change(
        &self,
        handle: &Handle,
        key: &str,
        change: impl FnOnce(&mut Ring) -> bool,
    ) -> Result<(), ShelfError> {
        let _turn = self.writers.of(key).await;
        let Some(mut ring) = self.rings.lock().get(key).cloned() else { return Ok(()) };
        if !change(&mut ring) {
            return Ok(());
        }
        self.put(handle, key, ring).await
    }

    /// Notes that a person sees an ask now, on a page: what rang for them before was seen.
    pub(crate) async fn seen(&self, handle: &Handle, person: &str, ask: AskId) -> Result<(), ShelfError> {
        let keys = self.rings.lock().keys_of(person, ask);
        for key in keys {
            let at = handle.now().0;
            self.change(handle, &key, |ring| ring.seen(at)).await?;
        }
        Ok(())
    }

    async fn put(&self, handle: &Handle, key: &str, ring: Ring) -> Result<(), ShelfError> {
        let value = serde_json::to_vec(&ring).expect("a ring has text keys");
        let now = handle.now();
        let expires = Some(now.plus(KEPT_FOR));
        let revision = handle.store.put(&format!("{PREFIX}{key}"), &value, Expect::Any, expires, now).await?;
        let mut rings = self.rings.lock();
        if !handle.nodes.is_alone() {
            rings.is_as_of(key, revision);
        }
        rings.insert(key, ring);
        drop(rings);
        self.rang.notify_waiters();
        Ok(())
    }
}
