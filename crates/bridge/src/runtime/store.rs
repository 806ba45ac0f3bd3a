//! The durable memory, whichever backend holds it.

use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_journal::bus::{Bus, Filter, LocalBus, Message, Subject};
use askbridge_journal::journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
use askbridge_journal::shelf::{Expect, Item, Revision, Shelf, ShelfError};
use askbridge_journal::sqlite::Space;
use askbridge_journal::{Cursor, Entry, Fault, Forgetting, Forgotten, Index, Memory, Meter, Sqlite, Stored};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::{BoxStream, StreamExt};

/// Journal, shelf, bus and index of one node.
#[derive(Debug, Clone)]
pub enum Store {
    Sqlite(Sqlite, LocalBus),
    Memory(Memory, LocalBus),
}

/// Where a write is tried.
const PROBE: &str = "probe";

macro_rules! either {
    ($self:ident, $store:ident => $call:expr) => {
        match $self {
            Store::Sqlite($store, _) => $call,
            Store::Memory($store, _) => $call,
        }
    };
}

impl Store {
    pub fn index(&self) -> Index {
        either!(self, store => store.index())
    }

    /// Returns what the store notes about its own speed.
    pub fn meter(&self) -> Arc<Meter> {
        either!(self, store => store.meter())
    }

    /// Returns how much room it takes on the disk; nothing if it is not there.
    pub async fn space(&self) -> Result<Option<Space>, Fault> {
        match self {
            Self::Sqlite(store, _) => store.space().await.map(Some),
            Self::Memory(..) => Ok(None),
        }
    }

    /// Gives some of what became free back to the disk. Says whether there is more.
    pub(crate) async fn shrink(&self, pages: u32) -> Result<bool, Fault> {
        match self {
            Self::Sqlite(store, _) => store.shrink(pages).await,
            Self::Memory(..) => Ok(false),
        }
    }

    /// Tells whoever waits for this store that it will soon be free.
    pub fn leaving(&self) {
        match self {
            Self::Sqlite(store, _) => store.leaving(),
            // Nobody else can want it.
            Self::Memory(..) => {}
        }
    }

    /// Does the store take what is given to it? Writes for real only when the last write failed: whoever asks this may be
    /// anybody, and asks often.
    pub(crate) async fn probe(&self, now: Timestamp) -> Result<(), ShelfError> {
        if self.meter().is_failing() {
            return self.put(PROBE, b"", Expect::Any, Some(now), now).await.map(drop);
        }
        self.sweep(now).await.map(drop)
    }
}

impl Journal for Store {
    async fn append(&self, entry: Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
        either!(self, store => store.append(entry, guard).await)
    }

    async fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        either!(self, store => store.read(session, lane, after, max).await)
    }

    async fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        either!(self, store => store.read_back(session, before, max).await)
    }

    fn follow(&self, after: Cursor) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static {
        let followed: BoxStream<'static, _> = either!(self, store => store.follow(after).boxed());
        followed
    }

    async fn forget(&self, sessions: &[SessionId], at: Timestamp, by: &str) -> Result<Forgotten, ForgetError> {
        either!(self, store => store.forget(sessions, at, by).await)
    }

    async fn forgettings(&self, skip: usize, max: usize) -> Result<Vec<Forgetting>, ReadError> {
        either!(self, store => store.forgettings(skip, max).await)
    }

    fn start(&self) -> Cursor {
        either!(self, store => store.start())
    }

    fn now(&self) -> Cursor {
        either!(self, store => store.now())
    }

    fn exclusive(&self) -> bool {
        either!(self, store => store.exclusive())
    }
}

impl Shelf for Store {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        either!(self, store => store.get(key, now).await)
    }

    async fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Revision, ShelfError> {
        either!(self, store => store.put(key, value, expect, expires_at, now).await)
    }

    async fn delete(&self, key: &str, expect: Expect) -> Result<(), ShelfError> {
        either!(self, store => store.delete(key, expect).await)
    }

    async fn list(&self, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
        either!(self, store => store.list(prefix, now).await)
    }

    async fn take(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        either!(self, store => store.take(key, now).await)
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, ShelfError> {
        either!(self, store => store.sweep(now).await)
    }
}

impl Bus for Store {
    fn publish(&self, subject: Subject, body: Bytes) {
        self.bus().publish(subject, body);
    }

    fn subscribe(&self, filter: Filter) -> BoxStream<'static, Message> {
        self.bus().subscribe(filter)
    }
}

impl Store {
    fn bus(&self) -> &LocalBus {
        match self {
            Self::Sqlite(_, bus) | Self::Memory(_, bus) => bus,
        }
    }
}
