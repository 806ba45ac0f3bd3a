//! What people look for: open asks, deadlines, sessions, history. A projection of the journal that can be rebuilt.
//!
//! The tables hold what lists are ordered and filtered by. What an ask says is not copied into them: it is read from
//! the entry that recorded it. In the embedded journal the tables change in the same transaction as the journal; where
//! the journal is elsewhere, an index has a file of its own and keeps a copy of just those entries.

pub(crate) mod copy;
mod filter;
mod project;
mod query;
mod ranks;
mod rows;
mod tables;

pub use filter::{AskFilter, NotAPageKey, Order, PageKey, SessionFilter, StateFilter};
pub use query::{Counts, Index, IndexError, Known};
pub use rows::{AskRow, SessionRow, SessionState, State};

pub(crate) use project::{forget, project};
pub(crate) use ranks::Ranks;
pub(crate) use tables::TABLES;
