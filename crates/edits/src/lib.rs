//! Careful changes to other programs' settings, and their undo.
//!
//! Another program's file is changed by inserting and cutting text: every byte that is not ours stays, with its order,
//! comments, indentation and line endings. [`apply`] and [`strip`] are functions of text alone; [`install()`] and
//! [`uninstall()`] do the same to files, one at a time, with a backup and a receipt, so that undoing restores the
//! original bytes.
//!
//! - [`Part`] says what is ours, and how to recognise it.
//! - `json/` and `toml/` parse a text into a tree with places, and insert or remove one value.
//! - `edit.rs` applies the parts, for both formats (`entry.rs`, `handlers.rs`, `values.rs`), and checks the result
//!   before it is written.
//! - `file.rs` holds a file: links are followed, it is locked, its mode is kept, and it is replaced atomically.
//! - `receipt.rs` remembers what was there before.

mod diff;
mod doc;
mod edit;
mod entry;
mod error;
mod file;
mod handlers;
mod install;
mod json;
mod node;
mod part;
mod receipt;
mod toml;
mod values;

pub use diff::unified;
pub use doc::Format;
pub use edit::{apply, read, strip};
pub use error::{Error, Trouble};
pub use install::{Change, Target, install, uninstall};
pub use json::{BeyondJson, beyond_json};
pub use node::Node;
pub use part::Part;
