//! Where a simulation stands between a bridge and its journal.

use std::fmt::Debug;
use std::sync::Arc;

use askbridge_core::ids::Position;

use crate::entry::Entry;
use crate::journal::{AppendError, Guard};

/// Really stores an entry, as the journal would have without anybody in between.
pub type StoreIt<'a> = dyn Fn(&Arc<Entry>, Guard) -> Result<Position, AppendError> + 'a;

/// Decides what becomes of each append: a full disk, an acknowledgement that is lost, a process that dies.
pub trait Meddle: Debug + Send + Sync {
    /// Returns what the writer is told, or nothing if it is never told anything again.
    fn append(&self, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> Option<Result<Position, AppendError>>;

    /// Do several bridges share this journal, as the nodes of a cluster do?
    fn shares(&self) -> bool;
}
