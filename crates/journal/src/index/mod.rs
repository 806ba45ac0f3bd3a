//! The index: open asks, deadlines, sessions and history. A projection of the journal that can be rebuilt.
//!
//! The tables have the columns that lists are sorted and filtered by. The content of an ask is not copied into them: it
//! is read from the entry that recorded it. The embedded journal keeps its index in a second file and brings it up to
//! date before each query. If the journal is remote, the index follows it and keeps a copy of just those entries.

mod compare;
pub(crate) mod copy;
mod filter;
mod gist;
mod oldest;
mod progress;
mod project;
mod query;
mod ranks;
mod rows;
mod tables;
mod waiting;

pub use filter::{AskFilter, NotAPageKey, Order, PageKey, SessionFilter, StateFilter};
pub use oldest::Oldest;
pub use query::{Counts, Index, IndexError, Known};
pub use rows::{AskRow, SessionRow, SessionState, State};
pub use waiting::Waiting;

pub(crate) use compare::{Difference, compare};
pub(crate) use gist::Gists;
pub(crate) use progress::{create, load_cursor, save_cursor};
pub(crate) use project::{Scribe, forget};
pub(crate) use ranks::Ranks;
pub(crate) use tables::TABLES;
