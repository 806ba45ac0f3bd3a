//! Careful changes to other programs' settings, and the way back.
//!
//! Somebody else's file is changed by putting text in and cutting text out: every byte that is not ours stays, with its
//! order, comments, indentation and line ends. [`apply`] and [`strip`] are functions of text alone; [`install()`] and
//! [`uninstall()`] do the same to files, one at a time, with a backup and a receipt, so that the way back leads to the very
//! bytes that were there.
//!
//! - [`Part`] says what is ours, and how it is told from what is not.
//! - `json/` and `toml/` read a text as a tree that knows its places, and put in or cut out one thing.
//! - `edit.rs` is the plan, the same for both (`entry.rs`, `handlers.rs`, `values.rs`), and checks what came of it before anybody
//!   writes it.
//! - `file.rs` holds a file: links followed, a lock, the mode kept, old or new and never half.
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
