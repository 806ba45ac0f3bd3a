//! `askbridge digest`: what rules and bots decided without a person, by rule, and how to correct it.

mod args;
mod groups;
mod report;

pub(crate) use args::{Args, run};
pub(crate) use groups::Groups;
pub(crate) use report::{as_json, in_words};
