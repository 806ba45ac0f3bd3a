//! A lease: the right to do something that only one node may do at a time.
//!
//! It is an item on the shared shelf that its holder renews. The holder counts from before a renewal was sent, the others
//! from after they saw it change, so the holder has stopped before another begins. A holder that is stopped in the middle
//! (SIGSTOP, a sleeping laptop) may act once more when it wakes: what must happen once is guarded on the shelf as well.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_journal::shelf::{Expect, Revision, Shelf, ShelfError};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tracing::{debug, info};

use super::nodes::Nodes;
use super::record::run_name;
use crate::runtime::{Store, chain};

const PREFIX: &str = "lease/";

/// A lease that this node tries to hold.
#[derive(Debug)]
pub(crate) struct Lease {
    key: String,
    store: Store,
    nodes: Nodes,
    /// Until when it is held.
    until: Option<Instant>,
    /// The revision that another holder wrote last, and when this node first saw it.
    other: Option<(Revision, Instant)>,
}

#[derive(Serialize, Deserialize)]
struct LeaseItem {
    holder: String,
    run: String,
}

impl Lease {
    pub(crate) fn new(what: &str, store: Store, nodes: Nodes) -> Self {
        Self { key: format!("{PREFIX}{what}"), store, nodes, until: None, other: None }
    }

    /// How much longer it is held. `None`: it is not.
    pub(crate) fn left(&self) -> Option<Duration> {
        let left = self.until?.checked_duration_since(Instant::now())?;
        (!left.is_zero()).then_some(left)
    }

    /// Takes or renews it, if that is possible. To be called every [`limits::NODE_RENEWS_EVERY`].
    pub(crate) async fn renew(&mut self, now: Timestamp) {
        if self.nodes.is_clock_off() {
            // Another node's clock is better. This one lets go by not renewing.
            return;
        }
        let begun = Instant::now();
        match self.try_to(now).await {
            Ok(true) => {
                if self.left().is_none() {
                    info!(lease = self.key, "This node holds the lease now");
                }
                self.until = Some(begun + limits::LEASE_HELD);
            }
            Ok(false) => self.until = None,
            Err(ShelfError::Conflict { .. }) => {
                // Another node was faster. If that was a renewal of ours whose reply was lost, the next one finds it.
                debug!(lease = self.key, "Another node was faster");
            }
            Err(error) => debug!(lease = self.key, error = chain(&error), "Could not renew a lease"),
        }
    }

    /// Lets it go, so that another node need not wait until it expires.
    pub(crate) async fn release(&mut self, now: Timestamp) {
        if self.until.take().is_none() {
            return;
        }
        let mine = self.store.get(&self.key, now).await.ok().flatten().filter(|item| self.is_mine(&item.value));
        if let Some(item) = mine {
            // Otherwise it expires.
            let _ = self.store.delete(&self.key, Expect::Revision(item.revision)).await;
        }
    }

    async fn try_to(&mut self, now: Timestamp) -> Result<bool, ShelfError> {
        let expect = match self.store.get(&self.key, now).await? {
            None => Expect::Absent,
            Some(item) if self.is_mine(&item.value) => Expect::Revision(item.revision),
            Some(item) => {
                let (revision, seen) = *self.other.get_or_insert((item.revision, Instant::now()));
                if revision != item.revision {
                    self.other = Some((item.revision, Instant::now()));
                    return Ok(false);
                }
                if seen.elapsed() < limits::LEASE_LOST_AFTER {
                    return Ok(false);
                }
                Expect::Revision(item.revision)
            }
        };
        let mine = LeaseItem { holder: self.nodes.here().to_string(), run: run_name(self.nodes.run()) };
        let value = serde_json::to_vec(&mine).expect("texts are JSON");
        self.store.put(&self.key, &value, expect, None, now).await?;
        self.other = None;
        Ok(true)
    }

    fn is_mine(&self, value: &[u8]) -> bool {
        serde_json::from_slice::<LeaseItem>(value).is_ok_and(|item| item.run == run_name(self.nodes.run()))
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::{NodeId, StableNodeId};
    use askbridge_journal::Memory;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn lease(store: &Store, id: u64) -> Lease {
        Lease::new("ringing", store.clone(), Nodes::new(StableNodeId(id), NodeId(id), false))
    }

    #[tokio::test(start_paused = true)]
    async fn one_node_at_a_time_holds_it() {
        let store = Store::from(Memory::new(1).unwrap());
        let (mut one, mut two) = (lease(&store, 1), lease(&store, 2));
        one.renew(NOW).await;
        two.renew(NOW).await;
        assert!(one.left().is_some() && two.left().is_none());
        // As long as it is renewed, the other waits.
        for _ in 0..20 {
            tokio::time::advance(limits::NODE_RENEWS_EVERY).await;
            one.renew(NOW).await;
            two.renew(NOW).await;
            assert!(one.left().is_some() && two.left().is_none());
        }
        // The holder sleeps: it has stopped before the other begins.
        let mut stopped_first = false;
        for _ in 0..20 {
            tokio::time::advance(limits::NODE_RENEWS_EVERY).await;
            two.renew(NOW).await;
            assert!(one.left().is_none() || two.left().is_none());
            stopped_first |= one.left().is_none() && two.left().is_none();
        }
        assert!(stopped_first && two.left().is_some());
        one.renew(NOW).await;
        assert!(one.left().is_none(), "it wakes, and another holds it");
        two.release(NOW).await;
        one.renew(NOW).await;
        assert!(one.left().is_some() && two.left().is_none(), "it was let go, so there is no wait");
    }

    #[tokio::test(start_paused = true)]
    async fn another_run_of_the_same_node_is_another_holder() {
        let store = Store::from(Memory::new(1).unwrap());
        let mut former = lease(&store, 1);
        former.renew(NOW).await;
        let mut next = Lease::new("ringing", store.clone(), Nodes::new(StableNodeId(1), NodeId(9), false));
        next.renew(NOW).await;
        assert!(next.left().is_none());
    }
}
