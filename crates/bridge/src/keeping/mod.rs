//! How long things are kept: what may go is forgotten, and the room it took is given back.
//!
//! - `prune` looks through sessions, the oldest first, and forgets those that may go, a few at a time.
//! - `retention` does that now and then, as the settings say; the default is to keep everything.
//! - `shrink` gives free room back to the disk, in small steps, while others write.

mod prune;
mod retention;
mod shrink;

pub use retention::{Retention, keep};

pub(crate) use prune::{By, Pruned, Wanted, prune, quiet_enough};
