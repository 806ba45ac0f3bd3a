//! The handle to an SQLite store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_core::limits;
use futures_util::Stream;
use futures_util::future::{BoxFuture, FutureExt};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::db::Db;
use super::error::Error;
use super::follow::follow;
use super::forget::forgettings;
use super::ledger::{Job, Ledger};
use super::lock::Lock;
use super::open::{self, Options};
use super::projector::Projector;
use super::recent::Recent;
use super::rows::{read_session, read_session_back};
use super::shelves::{self, Change, Changed};
use super::space::{self, Space};
use super::watch::{self, ShelfFeed};
use super::watermark::{self, Mark, Watermark};
use super::writer;
use crate::cursor::Cursor;
use crate::entry::{Entry, Stored};
use crate::erased::Upkeep;
use crate::fault::Fault;
use crate::forgetting::{Forgetting, Forgotten};
use crate::index::Index;
use crate::journal::{AppendError, FollowError, Followed, ForgetError, Guard, Journal, ReadError};
use crate::meter::Meter;
use crate::record::FORMAT;
use crate::shelf::{Expect, Item, Revision, Shelf, ShelfError, WatchShelf, Watched};

/// A journal and a shelf in one SQLite file. Clones share it; dropping the last one closes the file.
#[derive(Debug, Clone)]
pub struct Sqlite(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    projector: Arc<Projector>,
    recent: Arc<Recent>,
    feed: Arc<ShelfFeed>,
    meter: Arc<Meter>,
    identity: u64,
    path: PathBuf,
    writer: Writer,
    /// Released last, after the writer has finished.
    lock: Lock,
}

#[derive(Debug)]
enum Writer {
    /// Both are taken when the last handle is dropped.
    Thread { queue: Option<mpsc::Sender<Job>>, thread: Option<JoinHandle<()>> },
    /// A newer release wrote the file: this one may only read it.
    None(Fault),
}

impl Sqlite {
    /// Opens a store, or creates one. Blocks on the disk.
    pub fn open(options: &Options) -> Result<Self, Error> {
        let opened = open::open(options)?;
        let path = opened.path;
        let ledger = Ledger::new(&opened.conn, &path).map_err(|source| Error::of(&path, source))?;
        let (recent, meter, feed) =
            (Arc::clone(ledger.recent()), Arc::clone(ledger.meter()), Arc::clone(ledger.feed()));
        let mark = Mark { identity: opened.identity, newest: recent.newest() };
        if let Some(known) = watermark::known(&options.dir)? {
            known.check(&path, Some(mark)).inspect_err(|_| open::leave_as_it_is(&opened.conn))?;
        }
        if opened.newer.is_none() {
            open::bring_up_to_date(&opened.conn, &path)?;
        }
        let projector = Projector::open(&options.dir, &path, opened.identity, Arc::clone(&recent))?;
        if let Err(error) = projector.catch_up() {
            tracing::error!(%error, "The index could not follow the journal; lists will fail until it can");
        }
        let ledger = ledger.indexed_beside(Arc::clone(&projector));
        let writer = match opened.newer {
            Some(found) => Writer::None(Fault::new(Error::TooNew { path: path.clone(), found, ours: FORMAT })),
            None => {
                projector.start()?;
                let ledger = ledger.marked(Watermark::open(&options.dir, mark)?);
                let (queue, thread) = writer::spawn(path.clone(), opened.conn, ledger)?;
                Writer::Thread { queue: Some(queue), thread: Some(thread) }
            }
        };
        let db = Db::file(projector.path(), &path)?;
        let (identity, lock) = (opened.identity, opened.lock);
        Ok(Self(Arc::new(Inner { db, projector, recent, feed, meter, identity, path, writer, lock })))
    }

    /// Returns why the store is read-only, if it is.
    pub fn read_only(&self) -> Option<&Fault> {
        match &self.0.writer {
            Writer::Thread { .. } => None,
            Writer::None(why) => Some(why),
        }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the metrics of this store.
    pub fn meter(&self) -> Arc<Meter> {
        Arc::clone(&self.0.meter)
    }

    /// Returns how much disk space it takes.
    pub async fn space(&self) -> Result<Space, Fault> {
        self.0.db.run(space::measure).await
    }

    /// Returns free pages of each file to the disk, at most `pages`: a small step, so that appends get in between.
    /// Returns whether there are more.
    pub async fn shrink(&self, pages: u32) -> Result<bool, Fault> {
        let submitted = self.submit(|reply| Job::Shrink { pages, reply }).await;
        let left = submitted.map_err(|refused| match refused {
            Refused::ReadOnly(why) | Refused::Closed(why) => why,
            Refused::Unknown => Fault::new(Error::Closed { path: self.0.path.clone() }),
        })??;
        let projector = Arc::clone(&self.0.projector);
        let beside = self.0.db.look_up(move || projector.give_back(pages)).await??;
        Ok(left + beside > 0)
    }

    /// Tells a starting server that waits for this store that it will soon be free.
    pub fn leaving(&self) {
        self.0.lock.leaving();
    }

    /// Returns the index over this journal. Its queries see everything that was acknowledged before.
    pub fn index(&self) -> Index {
        Index::kept_by(Arc::clone(&self.0.projector), self.0.db.clone())
    }

    /// Sends a job to the writer and waits for its reply.
    async fn submit<T>(&self, job: impl FnOnce(oneshot::Sender<T>) -> Job) -> Result<T, Refused> {
        let queue = match &self.0.writer {
            Writer::Thread { queue, .. } => queue.as_ref(),
            Writer::None(why) => return Err(Refused::ReadOnly(why.clone())),
        };
        let (reply, answer) = oneshot::channel();
        let sent = match queue.map(|queue| (queue, queue.try_send(job(reply)))) {
            Some((_, Ok(()))) => true,
            // Rare, and boxed so that not every append's future has room for it.
            Some((queue, Err(TrySendError::Full(job)))) => Box::pin(queue.send(job)).await.is_ok(),
            Some((_, Err(TrySendError::Closed(_)))) | None => false,
        };
        if !sent {
            return Err(Refused::Closed(Fault::new(Error::Closed { path: self.0.path.clone() })));
        }
        answer.await.map_err(|_| Refused::Unknown)
    }

    async fn change(&self, change: Change) -> Result<Changed, ShelfError> {
        self.submit(|reply| Job::Change { change, reply }).await.map_err(|refused| match refused {
            Refused::ReadOnly(why) => ShelfError::ReadOnly(why),
            Refused::Closed(why) => ShelfError::Down(why),
            Refused::Unknown => ShelfError::Down(Fault::new(Error::Closed { path: self.0.path.clone() })),
        })?
    }
}

/// Why the writer gave no reply.
enum Refused {
    ReadOnly(Fault),
    Closed(Fault),
    /// It stopped before it replied.
    Unknown,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Writer::Thread { queue, thread } = &mut self.writer {
            drop(queue.take());
            self.db.close_idle();
            if let Some(thread) = thread.take()
                && thread.join().is_err()
            {
                tracing::error!("The journal's writer panicked");
            }
            self.projector.close();
        }
    }
}

impl Upkeep for Sqlite {
    fn space(&self) -> BoxFuture<'_, Result<Option<Space>, Fault>> {
        async { self.space().await.map(Some) }.boxed()
    }

    fn shrink(&self, pages: u32) -> BoxFuture<'_, Result<bool, Fault>> {
        self.shrink(pages).boxed()
    }

    fn leaving(&self) {
        self.leaving();
    }
}

impl Journal for Sqlite {
    async fn append(&self, entry: Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
        entry.check(guard)?;
        let body = entry.body();
        let submitted = self.submit(|reply| Job::Append { entry, body, guard, reply }).await;
        submitted.map_err(|refused| match refused {
            Refused::ReadOnly(why) => AppendError::ReadOnly(why),
            Refused::Closed(why) => AppendError::Down(why),
            Refused::Unknown => AppendError::Unknown,
        })?
    }

    async fn read(
        &self,
        session: SessionId,
        lane: Option<Lane>,
        after: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        let max = max.min(limits::READ_BATCH_MAX);
        self.0.projector.catch_up_with(session).map_err(ReadError::Down)?;
        let read = self.0.db.run(move |conn| read_session(conn, session, lane, after, max)).await;
        read.map_err(ReadError::Down)?
    }

    async fn read_back(
        &self,
        session: SessionId,
        before: Option<Position>,
        max: usize,
    ) -> Result<Vec<Arc<Stored>>, ReadError> {
        let max = max.min(limits::READ_BATCH_MAX);
        self.0.projector.catch_up_with(session).map_err(ReadError::Down)?;
        let read = self.0.db.run(move |conn| read_session_back(conn, session, before, max)).await;
        read.map_err(ReadError::Down)?
    }

    fn follow(&self, after: Cursor) -> impl Stream<Item = Result<Followed, FollowError>> + Send + 'static {
        follow(self.0.db.clone(), Arc::clone(&self.0.recent), after, self.now())
    }

    async fn forget(&self, sessions: &[SessionId], at: Timestamp, by: &str) -> Result<Forgotten, ForgetError> {
        let (sessions, by) = (sessions.to_vec(), by.to_owned());
        let submitted = self.submit(|reply| Job::Forget { sessions, at, by, reply }).await;
        submitted.map_err(|refused| match refused {
            Refused::ReadOnly(why) | Refused::Closed(why) => ForgetError(why),
            Refused::Unknown => ForgetError(Fault::new(Error::Closed { path: self.0.path.clone() })),
        })?
    }

    async fn forgettings(&self, skip: usize, max: usize) -> Result<Vec<Forgetting>, ReadError> {
        self.0.db.run(move |conn| forgettings(conn, skip, max)).await.map_err(ReadError::Down)
    }

    fn start(&self) -> Cursor {
        Cursor::start(self.0.identity, 1)
    }

    fn now(&self) -> Cursor {
        Cursor::new(self.0.identity, vec![self.0.recent.newest()])
    }

    fn exclusive(&self) -> bool {
        true
    }
}

impl Shelf for Sqlite {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        let key = key.to_owned();
        let found = self.0.db.run(move |conn| shelves::find(conn, &key)).await.map_err(ShelfError::Down)?;
        Ok(found.filter(|item| item.is_there(now)))
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
        match self.change(put).await? {
            Changed::Put(revision) => Ok(revision),
            other => unreachable!("a put is answered by {other:?}"),
        }
    }

    async fn delete(&self, key: &str, expect: Expect) -> Result<(), ShelfError> {
        self.change(Change::Delete { key: key.to_owned(), expect }).await.map(|_| ())
    }

    async fn list(&self, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
        let prefix = prefix.to_owned();
        self.0.db.run(move |conn| shelves::list(conn, &prefix, now)).await.map_err(ShelfError::Down)
    }

    async fn take(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        match self.change(Change::Take { key: key.to_owned(), now }).await? {
            Changed::Taken(item) => Ok(item),
            other => unreachable!("a take is answered by {other:?}"),
        }
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, ShelfError> {
        match self.change(Change::Sweep { now }).await? {
            Changed::Swept(count) => Ok(count),
            other => unreachable!("a sweep is answered by {other:?}"),
        }
    }
}

impl WatchShelf for Sqlite {
    fn watch(&self, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + 'static {
        watch::watch(self.0.db.clone(), Arc::clone(&self.0.feed), prefix, after)
    }
}
