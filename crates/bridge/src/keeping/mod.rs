//! How long data is kept: forgets old conversations, and returns the disk space.
//!
//! - `prune` goes through the sessions, oldest first, and forgets those that may go, a few at a time.
//! - `retention` does that periodically, as configured; the default is to keep everything.
//! - `shrink` returns free space to the disk, in small steps between other writes.

mod prune;
mod retention;
mod shrink;

pub use retention::{Retention, keep};

pub(crate) use prune::{By, PruneScope, Pruned, prune, quiet_enough};
