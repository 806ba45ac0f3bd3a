//! The index: open asks, deadlines, sessions and history. A projection of the journal that can be rebuilt.
//!
//! The tables have the columns that lists are sorted and filtered by. The content of an ask is not copied into them: it
//! is read from the entry that recorded it. The embedded journal keeps its index in a second file and brings it up to
//! date before each query. If the journal is remote, the index follows it and keeps a copy of just those entries.

mod compare;
pub(crate) mod copy;
mod filter;
pub(crate) mod following;
mod gist;
mod oldest;
mod open_ask_counts;
mod progress;
mod project;
mod query;
mod rank_cache;
mod rows;
mod tables;

pub use filter::{AskFilter, NotAPageKey, Order, PageKey, SessionFilter, StateFilter};
pub use following::NotCaughtUp;
pub use oldest::Oldest;
pub use open_ask_counts::OpenAskCounts;
pub use query::{AskWithEvents, Counts, Index, IndexError};
pub use rows::{AskRow, SessionRow, SessionState, State};

pub(crate) use compare::{Difference, compare};
pub(crate) use gist::Gists;
pub(crate) use progress::{create, load_cursor, save_cursor};
pub(crate) use project::{IndexWriter, forget};
pub(crate) use rank_cache::RankCache;
pub(crate) use tables::TABLES;
