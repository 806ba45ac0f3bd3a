//! The journal of a single machine: one SQLite file, one writer, and an index beside it that can be rebuilt.
//!
//! - `store` is the handle; `open` is what happens before there is one ([`Sqlite::open`]).
//! - `writer` is the thread that commits all queued jobs in one transaction; `ledger` applies them.
//! - `projector` keeps the index, in a file of its own.
//! - `recent` keeps the newest entries in memory, so that `follow` rarely reads the disk.
//! - `watch` tells watchers of the shelf's changes.
//! - `forget` removes sessions and stores the proof; `space` returns free pages to the disk.
//! - `own` is a shelf without a journal, for a node whose journal is elsewhere.
//! - `db` lends connections for reading.

mod db;
mod error;
mod follow;
mod forget;
mod ledger;
mod lock;
mod open;
mod own;
mod projector;
mod readers;
mod recent;
mod rows;
mod schema;
mod seal;
mod shelves;
mod space;
mod store;
mod watch;
mod watermark;
mod writer;

pub use error::Error;
pub use open::Options;
pub use own::OwnShelf;
pub use space::Space;

pub(crate) use space::{measure, rewrite};
pub use store::Sqlite;

pub(crate) use db::Db;
pub(crate) use follow::follow;
pub(crate) use forget::forgettings;
pub(crate) use ledger::{Job, Ledger};
pub(crate) use lock::Lock;
pub(crate) use open::{FILE, import_forgettings, make_folder, make_new_file, open_both_to_read, open_to_read, prepare};
pub(crate) use projector::{INDEX_FILE, Projector};
pub(crate) use recent::Recent;
pub(crate) use rows::{COLUMNS, read_between, read_session, read_session_back, stored};
pub(crate) use schema::{Format, create, format, meta, set_meta};
pub(crate) use seal::seal_of;
pub(crate) use shelves::{Change, Changed, find as find_on_shelf, list as list_shelf};
pub(crate) use watch::{ShelfFeed, watch};
pub(crate) use watermark::{Mark, RecordedEnd, WATERMARK_FILE, known};
