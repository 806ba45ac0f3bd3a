//! `askbridge answer`: a person answers on the command line.

mod args;
mod by_flags;
mod by_hand;
mod find;
mod outcome;
mod prompt;
mod questions;

pub(crate) use args::{Args, Deed, run};
pub(crate) use by_hand::deed as by_hand;
pub(crate) use find::find;
pub(crate) use outcome::{outcome, refused};
pub(crate) use prompt::Prompt;
