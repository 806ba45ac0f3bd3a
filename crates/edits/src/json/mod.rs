//! JSON as people write it: with comments, trailing commas and any indentation. It is parsed into a tree with the
//! places of its values, and changed by inserting and cutting text.

mod change;
mod plain;
mod style;
mod tree;
mod trivia;

pub(crate) use change::{add, remove, replace};
pub use plain::{BeyondJson, beyond_json};
pub(crate) use tree::{Tree, read};
