//! JSON as people write it: with comments, trailing commas and any indentation. Read into a tree that knows its places;
//! changed by putting text in and cutting text out.

mod change;
mod plain;
mod style;
mod tree;
mod trivia;

pub(crate) use change::{add, remove, replace};
pub use plain::{BeyondJson, beyond_json};
pub(crate) use tree::{Tree, read};
