//! TOML, changed by inserting and cutting text.
//!
//! A library that parses and rewrites a document would change line endings; this finds the sections and entries and
//! keeps the rest. Our parts are written as sections at the end. Inline tables are not changed: a part that would be in
//! one is refused.

mod change;
mod layout;

pub(crate) use change::{add, remove, replace};
pub(crate) use layout::{Layout, Seg, read};
