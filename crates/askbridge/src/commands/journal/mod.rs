//! `askbridge journal`: verifies, exports, backs up, restores and prunes the journal.

mod args;
mod copies;
mod prune;
mod remote;
mod report;

pub(crate) use args::{Args, run};
