//! Small shared things with revisions and expiry: tokens, devices, drafts, grants, push subscriptions.

use std::future::Future;
use std::sync::Arc;

use askbridge_core::ids::Timestamp;

use crate::fault::Fault;

/// Grows with every change of the shelf; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// One thing on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub key: String,
    pub value: Arc<[u8]>,
    pub revision: Revision,
    /// From then on it is as if it were not there.
    pub expires_at: Option<Timestamp>,
}

/// What has to be there for a change to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    Any,
    /// Nothing, or something that has expired.
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
/// Time is the caller's: what has expired at `now` is not there.
pub trait Shelf: Clone + Send + Sync + 'static {
    fn get(&self, key: &str, now: Timestamp) -> impl Future<Output = Result<Option<Item>, ShelfError>> + Send;

    /// Puts a value under a key. Of several puts that expect the same, one succeeds.
    fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> impl Future<Output = Result<Revision, ShelfError>> + Send;

    /// Removes a key. What is not there is removed already, unless a revision was expected.
    fn delete(&self, key: &str, expect: Expect) -> impl Future<Output = Result<(), ShelfError>> + Send;

    /// Returns what begins with `prefix`, ordered by key.
    fn list(&self, prefix: &str, now: Timestamp) -> impl Future<Output = Result<Vec<Item>, ShelfError>> + Send;

    /// Takes a thing from the shelf: of any number of takers, one gets it.
    fn take(&self, key: &str, now: Timestamp) -> impl Future<Output = Result<Option<Item>, ShelfError>> + Send;

    /// Removes what has expired. Returns how many things that were.
    fn sweep(&self, now: Timestamp) -> impl Future<Output = Result<usize, ShelfError>> + Send;
}

impl Item {
    pub(crate) fn is_there(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|at| at > now)
    }
}
