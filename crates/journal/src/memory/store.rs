//! The handle to a store in memory.

use std::path::Path;
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_core::limits;
use futures_util::Stream;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::meddle::Meddle;
use crate::cursor::Cursor;
use crate::entry::{Entry, Stored};
use crate::erased::Upkeep;
use crate::fault::Fault;
use crate::forgetting::{Forgetting, Forgotten};
use crate::index::{Index, TABLES};
use crate::journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
use crate::meter::Meter;
use crate::shelf::{Expect, Item, Revision, Shelf, ShelfError, WatchShelf, Watched};
use crate::sqlite::{
    Change, Changed, Db, Error, Job, Ledger, Recent, ShelfFeed, create, find_on_shelf, follow, forgettings, list_shelf,
    prepare, read_session, read_session_back, watch,
};

/// A journal in memory. Clones share it.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    conn: Arc<Mutex<Connection>>,
    ledger: Mutex<Ledger>,
    db: Db,
    recent: Arc<Recent>,
    feed: Arc<ShelfFeed>,
    identity: u64,
    meddler: Option<Arc<dyn Meddle>>,
}

impl Memory {
    /// Creates an empty journal with this id.
    pub fn new(identity: u64) -> Result<Self, Error> {
        Self::make(identity, None)
    }

    /// Creates one in which every append passes through `meddler`.
    pub fn meddled(identity: u64, meddler: Arc<dyn Meddle>) -> Result<Self, Error> {
        Self::make(identity, Some(meddler))
    }

    fn make(identity: u64, meddler: Option<Arc<dyn Meddle>>) -> Result<Self, Error> {
        let of = |source| Error::of(Path::new(":memory:"), source);
        let conn = Connection::open_in_memory().map_err(of)?;
        prepare(&conn).map_err(of)?;
        create(&conn, identity).map_err(of)?;
        conn.execute_batch(TABLES).map_err(of)?;
        let ledger = Ledger::new(&conn, Path::new(":memory:")).map_err(of)?;
        let (recent, feed) = (Arc::clone(ledger.recent()), Arc::clone(ledger.feed()));
        let conn = Arc::new(Mutex::new(conn));
        let db = Db::Memory(Arc::clone(&conn));
        Ok(Self(Arc::new(Inner { conn, ledger: Mutex::new(ledger), db, recent, feed, identity, meddler })))
    }

    pub fn index(&self) -> Index {
        Index::over(self.0.db.clone(), 1)
    }

    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(self.0.ledger.lock().meter())
    }

    /// Runs a job at once.
    fn submit<T>(&self, job: impl FnOnce(oneshot::Sender<T>) -> Job) -> T {
        let (reply, mut answer) = oneshot::channel();
        let mut jobs = vec![job(reply)];
        self.0.ledger.lock().commit(&self.0.conn.lock(), &mut jobs);
        answer.try_recv().expect("a ledger answers every job before it returns")
    }

    fn change(&self, change: Change) -> Result<Changed, ShelfError> {
        self.submit(|reply| Job::Change { change, reply })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.feed.close();
    }
}

impl Upkeep for Memory {}

impl Journal for Memory {
    async fn append(&self, entry: Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
        let store = |entry: &Arc<Entry>, guard| {
            entry.check(guard)?;
            let (entry, body) = (Arc::clone(entry), entry.body());
            self.submit(|reply| Job::Append { entry, body, guard, reply })
        };
        let Some(meddler) = &self.0.meddler else {
            return store(&entry, guard);
        };
        match meddler.append(&entry, guard, &store) {
            Some(result) => result,
            None => std::future::pending().await,
        }
    }

    async fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        let max = max.min(limits::READ_BATCH_MAX);
        self.0.db.read(|conn| read_session(conn, session, lane, after, max)).map_err(ReadError::Down)?
    }

    async fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        let max = max.min(limits::READ_BATCH_MAX);
        self.0.db.read(|conn| read_session_back(conn, session, before, max)).map_err(ReadError::Down)?
    }

    fn follow(&self, after: Cursor) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static {
        follow(self.0.db.clone(), Arc::clone(&self.0.recent), after, self.now())
    }

    async fn forget(&self, sessions: &[SessionId], at: Timestamp, by: &str) -> Result<Forgotten, ForgetError> {
        let (sessions, by) = (sessions.to_vec(), by.to_owned());
        self.submit(|reply| Job::Forget { sessions, at, by, reply })
    }

    async fn forgettings(&self, skip: usize, max: usize) -> Result<Vec<Forgetting>, ReadError> {
        self.0.db.read(|conn| forgettings(conn, skip, max)).map_err(ReadError::Down)
    }

    fn start(&self) -> Cursor {
        Cursor::start(self.0.identity, 1)
    }

    fn now(&self) -> Cursor {
        Cursor::new(self.0.identity, vec![self.0.recent.newest()])
    }

    fn exclusive(&self) -> bool {
        !self.0.meddler.as_ref().is_some_and(|meddler| meddler.shares())
    }
}

impl Shelf for Memory {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        let found: Result<_, Fault> = self.0.db.read(|conn| find_on_shelf(conn, key));
        Ok(found.map_err(ShelfError::Down)?.filter(|item| item.is_there(now)))
    }

    async fn put(
        &self,
        key: &str,
        value: &[u8],
        expect: Expect,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Revision, ShelfError> {
        if value.len() > limits::SHELF_BYTES_MAX {
            return Err(ShelfError::TooLarge { key: key.to_owned(), bytes: value.len() });
        }
        let put = Change::Put { key: key.to_owned(), value: value.to_owned(), expect, expires_at, now };
        match self.change(put)? {
            Changed::Put(revision) => Ok(revision),
            other => unreachable!("a put is answered by {other:?}"),
        }
    }

    async fn delete(&self, key: &str, expect: Expect) -> Result<(), ShelfError> {
        self.change(Change::Delete { key: key.to_owned(), expect }).map(|_| ())
    }

    async fn list(&self, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
        self.0.db.read(|conn| list_shelf(conn, prefix, now)).map_err(ShelfError::Down)
    }

    async fn take(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        match self.change(Change::Take { key: key.to_owned(), now })? {
            Changed::Taken(item) => Ok(item),
            other => unreachable!("a take is answered by {other:?}"),
        }
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, ShelfError> {
        match self.change(Change::Sweep { now })? {
            Changed::Swept(count) => Ok(count),
            other => unreachable!("a sweep is answered by {other:?}"),
        }
    }
}

impl WatchShelf for Memory {
    fn watch(&self, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + 'static {
        watch(self.0.db.clone(), Arc::clone(&self.0.feed), prefix, after)
    }
}
