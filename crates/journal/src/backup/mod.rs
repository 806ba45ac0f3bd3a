//! Backups of a store: made while a server runs, and restored where a server can use them.
//!
//! A copy is the journal and the shelf in one file, without the index, which is rebuilt from the journal.

mod copy;
mod error;
mod restore;

pub use copy::{Progress, backup};
pub use error::BackupError;
pub use restore::{Existing, Restored, accept, restore};
