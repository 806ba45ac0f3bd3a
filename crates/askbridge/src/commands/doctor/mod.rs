//! `askbridge doctor`: checks the installation, and says what to type where something is wrong.
//!
//! Each check is a file in `checks/` and a row in `checks/mod.rs`.

mod args;
mod checks;
mod finding;
mod patient;

pub(crate) use args::{Args, run};
