//! Object-safe versions of the traits, so that a program chooses its backend at start.
//!
//! [`Journal`] and [`Shelf`] return `impl Future`, so they cannot be trait objects. Their `Dyn` twins box the futures;
//! every backend implements both, and only a store that is made of parts uses the boxed ones. A boxed future is one
//! allocation for each call. Appends are frequent, so the bridge's store calls those of SQLite directly.

use std::fmt;
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt, ready};
use futures_util::stream::BoxStream;

use crate::cursor::Cursor;
use crate::entry::{Entry, Stored};
use crate::fault::Fault;
use crate::forgetting::{Forgetting, Forgotten};
use crate::health::{Contact, Health, Lag, ServerTime};
use crate::journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
use crate::shelf::{Expect, Item, Revision, Shelf, ShelfError, WatchShelf, Watched};
use crate::sqlite::Space;

/// A [`Journal`] as a trait object.
pub trait DynJournal: fmt::Debug + Send + Sync + 'static {
    fn append(&self, entry: Arc<Entry>, guard: Guard) -> BoxFuture<'_, Result<Position, AppendError>>;
    fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Stored>>, ReadError>>;
    fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Stored>>, ReadError>>;
    fn follow(&self, after: Cursor) -> BoxStream<'static, Result<Followed, FollowError>>;
    fn forget<'a>(
        &'a self,
        sessions: &'a [SessionId],
        at: Timestamp,
        by: &'a str,
    ) -> BoxFuture<'a, Result<Forgotten, ForgetError>>;
    fn forgettings(&self, skip: usize, max: usize) -> BoxFuture<'_, Result<Vec<Forgetting>, ReadError>>;
    fn start(&self) -> Cursor;
    fn now(&self) -> Cursor;
    fn exclusive(&self) -> bool;
}

impl<J: Journal + fmt::Debug> DynJournal for J {
    fn append(&self, entry: Arc<Entry>, guard: Guard) -> BoxFuture<'_, Result<Position, AppendError>> {
        Journal::append(self, entry, guard).boxed()
    }

    fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Stored>>, ReadError>> {
        Journal::read(self, session, lane, after, max).boxed()
    }

    fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Stored>>, ReadError>> {
        Journal::read_back(self, session, before, max).boxed()
    }

    fn follow(&self, after: Cursor) -> BoxStream<'static, Result<Followed, FollowError>> {
        Journal::follow(self, after).boxed()
    }

    fn forget<'a>(
        &'a self,
        sessions: &'a [SessionId],
        at: Timestamp,
        by: &'a str,
    ) -> BoxFuture<'a, Result<Forgotten, ForgetError>> {
        Journal::forget(self, sessions, at, by).boxed()
    }

    fn forgettings(&self, skip: usize, max: usize) -> BoxFuture<'_, Result<Vec<Forgetting>, ReadError>> {
        Journal::forgettings(self, skip, max).boxed()
    }

    fn start(&self) -> Cursor {
        Journal::start(self)
    }

    fn now(&self) -> Cursor {
        Journal::now(self)
    }

    fn exclusive(&self) -> bool {
        Journal::exclusive(self)
    }
}

/// A [`Shelf`] as a trait object.
pub trait DynShelf: fmt::Debug + Send + Sync + 'static {
    fn get<'a>(&'a self, key: &'a str, now: Timestamp) -> BoxFuture<'a, Result<Option<Item>, ShelfError>>;
    fn put<'a>(
        &'a self,
        key: &'a str,
        value: &'a [u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Revision, ShelfError>>;
    fn delete<'a>(&'a self, key: &'a str, expect: Expect) -> BoxFuture<'a, Result<(), ShelfError>>;
    fn list<'a>(&'a self, prefix: &'a str, now: Timestamp) -> BoxFuture<'a, Result<Vec<Item>, ShelfError>>;
    fn take<'a>(&'a self, key: &'a str, now: Timestamp) -> BoxFuture<'a, Result<Option<Item>, ShelfError>>;
    fn sweep(&self, now: Timestamp) -> BoxFuture<'_, Result<usize, ShelfError>>;
    fn watch(&self, prefix: &str, after: Revision) -> BoxStream<'static, Watched>;
}

impl<S: WatchShelf + fmt::Debug> DynShelf for S {
    fn get<'a>(&'a self, key: &'a str, now: Timestamp) -> BoxFuture<'a, Result<Option<Item>, ShelfError>> {
        Shelf::get(self, key, now).boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        value: &'a [u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Revision, ShelfError>> {
        Shelf::put(self, key, value, expect, expires_at, now).boxed()
    }

    fn delete<'a>(&'a self, key: &'a str, expect: Expect) -> BoxFuture<'a, Result<(), ShelfError>> {
        Shelf::delete(self, key, expect).boxed()
    }

    fn list<'a>(&'a self, prefix: &'a str, now: Timestamp) -> BoxFuture<'a, Result<Vec<Item>, ShelfError>> {
        Shelf::list(self, prefix, now).boxed()
    }

    fn take<'a>(&'a self, key: &'a str, now: Timestamp) -> BoxFuture<'a, Result<Option<Item>, ShelfError>> {
        Shelf::take(self, key, now).boxed()
    }

    fn sweep(&self, now: Timestamp) -> BoxFuture<'_, Result<usize, ShelfError>> {
        Shelf::sweep(self, now).boxed()
    }

    fn watch(&self, prefix: &str, after: Revision) -> BoxStream<'static, Watched> {
        WatchShelf::watch(self, prefix, after).boxed()
    }
}

/// What only some stores need: those on this machine's disk, or those on other machines. The defaults are for a store
/// without files here and without servers.
pub trait Upkeep: fmt::Debug + Send + Sync + 'static {
    /// Returns how much space the store takes on this machine's disk; `None` if it is elsewhere.
    fn space(&self) -> BoxFuture<'_, Result<Option<Space>, Fault>> {
        ready(Ok(None)).boxed()
    }

    /// Returns some free pages to the disk. Returns whether there are more.
    fn shrink(&self, _pages: u32) -> BoxFuture<'_, Result<bool, Fault>> {
        ready(Ok(false)).boxed()
    }

    /// Tells a server that waits for this store's lock that it will soon be free.
    fn leaving(&self) {}

    /// Can this node serve from the store? Costs nothing.
    fn health(&self) -> Health {
        Health::Following
    }

    /// Returns how far the index is behind the journal.
    fn lag(&self) -> Lag {
        Lag::default()
    }

    /// Returns what happened to the connection to the journal's servers; `None` if there are none.
    fn contact(&self) -> Option<Contact> {
        None
    }

    /// Asks the journal's servers for their time; `None` if there are none.
    fn server_time(&self) -> BoxFuture<'_, Result<Option<ServerTime>, Fault>> {
        ready(Ok(None)).boxed()
    }
}
