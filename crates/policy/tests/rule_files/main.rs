//! One table of Claude's rule strings and calls, run through our rules and through the real CLI's own.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod claude;
mod cookbook;
mod evasions;
mod indexed;
mod limits;
mod ours;
mod projects;
mod reading;
mod remembering;
mod risks;
mod shells;
mod table;
