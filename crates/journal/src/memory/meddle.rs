//! The hook through which a simulation injects faults into appends.

use std::fmt::Debug;
use std::sync::Arc;

use askbridge_core::ids::Position;

use crate::entry::Entry;
use crate::journal::{AppendError, Guard};

/// Stores an entry, as the journal would without the hook.
pub type StoreIt<'a> = dyn Fn(&Arc<Entry>, Guard) -> Result<Position, AppendError> + 'a;

/// Decides the outcome of each append: a full disk, a lost acknowledgement, a process that dies.
pub trait Meddle: Debug + Send + Sync {
    /// Returns what the writer is told, or `None` if it never gets a reply.
    fn append(&self, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> Option<Result<Position, AppendError>>;

    /// Do several bridges share this journal, as the nodes of a cluster do?
    fn shares(&self) -> bool;
}
