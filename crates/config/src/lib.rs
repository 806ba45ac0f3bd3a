//! Settings: one table of keys, read from a file, the environment and flags, each value with where it came from.
//!
//! Whoever calls brings the environment and the name of the file; nothing here looks for them. [`Config::resolve`] says who
//! wins, `keys` is the table, `kind` what a value may be, [`spans`] how people write time.

mod file;
mod flags;
mod keys;
mod kind;
mod nearest;
mod reference;
mod resolve;
mod rules;
pub mod spans;
mod waits;

pub use file::{Contents, read_file, read_text};
pub use flags::{Flags, ForEveryone, ForServer};
pub use keys::{Key, Whose, misspelt};
pub use kind::{Kind, bytes, dialect_at, items};
pub use reference::page as reference;
pub use resolve::{Config, Found, Given, Problem, Source};
pub use rules::Ruled;
pub use waits::patience;
