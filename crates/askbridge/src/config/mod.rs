//! Settings: one table of keys, read from a file, the environment and flags, each value with where it came from.

mod file;
mod flags;
mod keys;
mod kind;
mod nearest;
mod reference;
mod resolve;
mod rules;

pub(crate) use file::read_file;
pub(crate) use flags::{Flags, ForEveryone, ForServer};
pub(crate) use keys::misspelt;
pub(crate) use kind::{Kind, bytes, dialect_at, items};
pub(crate) use reference::page as reference;
pub(crate) use resolve::{Config, Found, Given, Problem, Source};
