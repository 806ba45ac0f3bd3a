//! Small values on the shelf: the newest counts, and a failure of the shelf is a rejection.

use askbridge_core::ids::Timestamp;
use askbridge_journal::shelf::{Expect, Item, Shelf};
use askbridge_peers::wish::Rejection;

use super::error::down;
use super::handle::Handle;

impl Handle {
    /// Stores a value.
    pub(crate) async fn shelve(&self, key: &str, value: &[u8], expires_at: Option<Timestamp>) -> Result<(), Rejection> {
        self.store.put(key, value, Expect::Any, expires_at, self.clock.now()).await.map(drop).map_err(down)
    }

    /// Removes a value, if there is one.
    pub(super) async fn unshelve(&self, key: &str) -> Result<(), Rejection> {
        self.store.delete(key, Expect::Any).await.map_err(down)
    }

    /// Returns the values whose keys begin with `prefix`.
    pub(crate) async fn shelved(&self, prefix: &str) -> Result<Vec<Item>, Rejection> {
        self.store.list(prefix, self.clock.now()).await.map_err(down)
    }
}
