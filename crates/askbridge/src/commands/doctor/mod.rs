//! `askbridge doctor`: is everything as it should be, and if not, what to type.
//!
//! Each check is a file in `checks/` and a row in `checks/mod.rs`.

mod args;
mod checks;
mod finding;
mod patient;

pub(crate) use args::{Args, run};
