//! TOML, changed by putting text in and cutting text out.
//!
//! A library that reads a document and writes it again would rewrite line ends; this reads where the sections and
//! entries are and leaves the rest alone. What is ours is written as sections at the end. Things in inline tables are
//! not touched: whoever asks for that is refused.

mod change;
mod layout;

pub(crate) use change::{add, remove, replace};
pub(crate) use layout::{Layout, Seg, read};
