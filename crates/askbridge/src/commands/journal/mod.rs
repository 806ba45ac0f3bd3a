//! `askbridge journal`: looks the journal over, writes all of it as text, copies it, puts a copy back, forgets what is old.

mod args;
mod copies;
mod prune;
mod report;

pub(crate) use args::{Args, run};
