//! Copies of a store: made while a server works on it, and put where a server can work on them.
//!
//! A copy is the journal and the shelf in one file. The index is no part of it: it is built again from the journal.

mod copy;
mod error;
mod restore;

pub use copy::{Progress, backup};
pub use error::BackupError;
pub use restore::{Existing, Restored, accept, restore};
