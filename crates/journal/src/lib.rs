//! The durable storage of askbridge.
//!
//! **Three traits.** [`Journal`] is the log of all sessions, the truth. [`Shelf`] stores small shared items, [`Bus`]
//! carries messages that may be lost. **Three backends.** [`sqlite`] needs no other service, [`nats`] spans many
//! machines, [`memory`] is for tests and simulations. **One index.** [`index`] finds open asks, deadlines and history;
//! it can be rebuilt from the journal. [`migrate`](mod@migrate) moves a journal from one backend to another.
//!
//! ```
//! # use askbridge_journal::{Entry, Digest, Followed, Guard, Journal, Memory, Written};
//! # use askbridge_core::{event::{Event, Lane}, ids::*};
//! # use futures_util::StreamExt;
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let journal = Memory::new(0x5eed).unwrap();
//! let closed = Event::Closed { why: "done".into(), at: Timestamp(1) };
//! let entry = Entry {
//!     id: EntryId(1),
//!     session: SessionId(7),
//!     lane: Lane::Decisions,
//!     at: Timestamp(1),
//!     node: NodeId(1),
//!     epoch: Epoch(0),
//!     prev: Digest::ZERO,
//!     events: vec![Written::new(closed)],
//! };
//! let position = journal.append(entry.into(), Guard::Head(None)).await.unwrap();
//! let mut all = Box::pin(journal.follow(journal.start()));
//! assert!(matches!(all.next().await, Some(Ok(Followed::Entry(stored))) if stored.position == position));
//! # });
//! ```
//!
//! A program that chooses its backend at start uses trait objects ([`erased`]).
//!
//! A decision is written as an [`Entry`]: its events with their [`record`]s, encoded once. [`Journal::append`] returns
//! when it is durable; [`Journal::follow`] sends it to every follower.

pub mod backup;
pub mod bus;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod cursor;
pub mod entry;
pub mod erased;
pub mod export;
pub mod fault;
pub mod forgetting;
pub mod growth;
pub mod health;
pub mod index;
pub mod journal;
pub mod memory;
pub mod meter;
pub mod migrate;
pub mod nats;
pub mod record;
pub mod shelf;
pub mod sqlite;
pub mod verify;

pub use backup::{BackupError, accept, backup, restore};
pub use bus::{Bus, LocalBus, Subject, Topic};
pub use cursor::Cursor;
pub use entry::{Digest, Entry, Stored, Written};
pub use erased::{DynJournal, DynShelf, Upkeep};
pub use export::{ExportError, export, export_and_tell};
pub use fault::Fault;
pub use forgetting::{Forgetting, Forgotten, Going, Gone};
pub use growth::{Growth, growth};
pub use health::{Contact, Health, Lag, ServerTime, Unreadable};
pub use index::{Index, NotCaughtUp};
pub use journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
pub use memory::Memory;
pub use meter::Meter;
pub use nats::Nats;
pub use shelf::{Expect, Item, Revision, Shelf, ShelfChange, ShelfError, WatchShelf, Watched};
pub use sqlite::Sqlite;
pub use verify::{Problem, Report, verify, verify_and_tell};
