//! What was rung: in memory, and on the shelf under the first ask and the channel.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::record::{Action, Ring, RingState};
use askbridge_ringing::ringer::{ChannelId, Rung};

use super::Ringing;
use crate::runtime::Handle;

const PREFIX: &str = "ring/";
/// How long a ring is kept after its last change.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Rings in memory. Beyond: the oldest are only on the shelf, and their buttons say that they are too old.
const IN_MEMORY_MAX: usize = 20_000;

#[derive(Debug, Default)]
pub(crate) struct Rings {
    by_key: BTreeMap<String, Ring>,
    by_ask: HashMap<AskId, Vec<String>>,
    by_ticket: HashMap<String, String>,
}

/// Names a ring: the first of its asks, and its channel.
pub(super) fn key(ask: AskId, channel: &str) -> String {
    format!("{ask}/{channel}")
}

impl Rings {
    pub(super) fn insert(&mut self, key: &str, ring: Ring) {
        for ask in ring.asks.iter().filter_map(|ask| ask.parse().ok()) {
            let keys = self.by_ask.entry(ask).or_default();
            if !keys.iter().any(|known| known == key) {
                keys.push(key.to_owned());
            }
        }
        self.by_ticket.extend(ring.tickets.iter().map(|ticket| (ticket.hash.clone(), key.to_owned())));
        self.by_key.insert(key.to_owned(), ring);
        if self.by_key.len() > IN_MEMORY_MAX {
            self.forget_oldest();
        }
    }

    /// Forgets a tenth of the rings, so that this is seldom done.
    fn forget_oldest(&mut self) {
        let mut by_age: Vec<_> = self.by_key.iter().map(|(key, ring)| (ring.at, key.clone())).collect();
        by_age.sort_unstable();
        for (_, key) in by_age.into_iter().take(IN_MEMORY_MAX / 10) {
            let Some(ring) = self.by_key.remove(&key) else { continue };
            ring.tickets.iter().for_each(|ticket| drop(self.by_ticket.remove(&ticket.hash)));
            for ask in ring.asks.iter().filter_map(|ask| ask.parse::<AskId>().ok()) {
                if let Some(keys) = self.by_ask.get_mut(&ask) {
                    keys.retain(|known| *known != key);
                }
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
        let ring = self.by_key.get(key)?;
        let action = ring.tickets.iter().find(|known| known.hash == hash)?.action;
        Some((key.clone(), ring.clone(), action))
    }

    /// The ring whose message has this name on this channel.
    pub(super) fn by_reference(&self, channel: &str, reference: &str) -> Option<String> {
        let named = |ring: &Ring| ring.channel == channel && ring.reference.as_deref() == Some(reference);
        self.by_key.iter().rev().find(|(_, ring)| named(ring)).map(|(key, _)| key.clone())
    }

    /// Where an ask has rung, for the machine. A ring that was on its way when the server stopped counts: nothing shows
    /// that the service did not take it, and a reminder follows.
    pub(super) fn rung(&self, ask: AskId) -> BTreeMap<ChannelId, Rung> {
        let rung = self
            .of(ask)
            .into_iter()
            .filter(|ring| !matches!(ring.state, RingState::Suppressed | RingState::Failed) || ring.times > 1);
        let rung = rung.map(|ring| {
            let times = if matches!(ring.state, RingState::Failed | RingState::Suppressed) {
                ring.times - 1
            } else {
                ring.times
            };
            (ChannelId(ring.channel), Rung { times, last: Timestamp(ring.at) })
        });
        rung.filter(|(_, rung)| rung.times > 0).collect()
    }
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

    /// Stores a ring. Returns when it is on disk.
    pub(super) async fn keep(&self, handle: &Handle, key: &str, ring: Ring) -> Result<(), ShelfError> {
        let value = serde_json::to_vec(&ring).expect("a ring has text keys");
        let now = handle.now();
        let expires = Some(now.plus(KEPT_FOR));
        handle.store.put(&format!("{PREFIX}{key}"), &value, Expect::Any, expires, now).await?;
        self.rings.lock().insert(key, ring);
        Ok(())
    }
}
