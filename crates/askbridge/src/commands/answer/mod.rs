//! `askbridge answer`: a person decides, here.

mod args;
mod by_flags;
mod by_hand;
mod find;
mod outcome;
mod prompt;
mod questions;

pub(crate) use args::{Args, run};
