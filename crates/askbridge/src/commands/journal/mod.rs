//! `askbridge journal`: looks the journal over, writes all of it as text, copies it, puts a copy back.

mod args;
mod copies;
mod report;

pub(crate) use args::{Args, run};
