//! The shelf: small shared items with revisions and expiry, such as tokens, devices, drafts, grants and push
//! subscriptions.

use std::future::Future;
use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use futures_util::Stream;

use crate::fault::Fault;

/// Grows with every change of the shelf; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// One item on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub key: String,
    pub value: Arc<[u8]>,
    pub revision: Revision,
    /// From then on the item is not found.
    pub expires_at: Option<Timestamp>,
}

/// What must be stored for a change to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Any,
    /// Nothing, or an expired item.
    Absent,
    Revision(Revision),
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum ShelfError {
    #[error("`{key}` was changed by someone else")]
    Conflict { key: String },
    #[error("`{key}` is too large to be stored ({bytes} bytes)")]
    TooLarge { key: String, bytes: usize },
    #[error("the shelf is open for reading only")]
    ReadOnly(#[source] Fault),
    #[error("the shelf is down")]
    Down(#[source] Fault),
}

/// A shared map from text to bytes. Reads see every change that was acknowledged before.
///
/// The caller passes the time in: an item that has expired at `now` is not found.
pub trait Shelf: Clone + Send + Sync + 'static {
    fn get(&self, key: &str, now: Timestamp) -> impl Future<Output = Result<Option<Item>, ShelfError>> + Send;

    /// Stores a value under a key. Of several puts with the same expectation, one succeeds.
    fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> impl Future<Output = Result<Revision, ShelfError>> + Send;

    /// Removes a key. Removing an absent key succeeds, unless a revision was expected.
    fn delete(&self, key: &str, expect: Expect) -> impl Future<Output = Result<(), ShelfError>> + Send;

    /// Returns the items whose key begins with `prefix`, ordered by key.
    fn list(&self, prefix: &str, now: Timestamp) -> impl Future<Output = Result<Vec<Item>, ShelfError>> + Send;

    /// Removes and returns an item: of any number of callers, one gets it.
    fn take(&self, key: &str, now: Timestamp) -> impl Future<Output = Result<Option<Item>, ShelfError>> + Send;

    /// Removes expired items. Returns how many.
    fn sweep(&self, now: Timestamp) -> impl Future<Output = Result<usize, ShelfError>> + Send;
}

/// What happened to one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfChange {
    pub key: String,
    pub revision: Revision,
    /// What is there now, expired or not; `None` if it was removed.
    pub item: Option<Item>,
}

/// What a watcher of a shelf is told.
#[derive(Debug, Clone)]
pub enum Watched {
    Changed(ShelfChange),
    /// Everything that was acknowledged before the watch began has been told. Told again after each interruption.
    CaughtUp,
    /// The servers cannot be reached, so changes may come late. The watch goes on by itself and misses nothing.
    Interrupted(Fault),
}

/// A [`Shelf`] that tells of its changes.
pub trait WatchShelf: Shelf {
    /// Tells of every key below `prefix` that changed after a revision; after revision zero, of all that are there.
    ///
    /// - No change is missed: what is told last of a key is what is there. Of several changes in quick succession, the
    ///   earlier ones may be left out.
    /// - Revisions of one key grow. A key may be told again with the revision that was told last.
    /// - An item that expires is not a change; its removal by [`Shelf::sweep`] is.
    /// - A revision above zero is one that this process was told. On a shelf of one machine, what was removed before the
    ///   process started is not known.
    /// - Ends when the store is closed.
    fn watch(&self, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + 'static;
}

impl Item {
    pub(crate) fn is_there(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|at| at > now)
    }
}
