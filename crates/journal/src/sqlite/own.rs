//! A shelf of one node alone, beside a journal that is elsewhere.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use futures_util::Stream;
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::db::Db;
use super::error::Error;
use super::ledger::{Job, Ledger};
use super::lock::Lock;
use super::open::{self, Options, make_folder};
use super::shelves::{self, Change, Changed};
use super::watch::{self, ShelfFeed};
use super::writer;
use crate::erased::Upkeep;
use crate::fault::Fault;
use crate::record::FORMAT;
use crate::shelf::{Expect, Item, Revision, Shelf, ShelfError, WatchShelf, Watched};

/// The folder of the file, in the data folder.
const FOLDER: &str = "node";

/// A shelf in a small SQLite file in the data folder (`node/askbridge.db`), for what only this node needs. It holds the
/// lock of the data folder. Clones share it; dropping the last one closes the file.
#[derive(Debug, Clone)]
pub struct OwnShelf(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// One connection for all reads: the file is small.
    db: Db,
    feed: Arc<ShelfFeed>,
    path: Box<Path>,
    /// Both are taken when the last handle is dropped.
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// Released last, after the writer has finished.
    lock: Lock,
}

impl OwnShelf {
    /// Opens the shelf of the node whose data folder this is, or creates it. Blocks on the disk.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        make_folder(folder)?;
        let lock = Lock::take(folder)?;
        // It has the tables of a whole store, so that the writer is the same; the one of entries stays empty.
        let opened = open::open(&Options::new(folder.join(FOLDER), 0))?;
        let path = opened.path;
        if let Some(found) = opened.newer {
            return Err(Error::TooNew { path, found, ours: FORMAT });
        }
        let of = |source| Error::of(&path, source);
        let reader = Connection::open(&path).map_err(of)?;
        open::prepare(&reader).map_err(of)?;
        let ledger = Ledger::new(&opened.conn, &path).map_err(of)?;
        let feed = Arc::clone(ledger.feed());
        let (queue, thread) = writer::spawn(path.clone(), opened.conn, ledger)?;
        let db = Db::Memory(Arc::new(Mutex::new(reader)));
        let (queue, thread) = (Some(queue), Some(thread));
        Ok(Self(Arc::new(Inner { db, feed, path: path.into(), queue, thread, lock })))
    }

    /// Tells a starting server that waits for this data folder that it will soon be free.
    pub fn leaving(&self) {
        self.0.lock.leaving();
    }

    async fn change(&self, change: Change) -> Result<Changed, ShelfError> {
        let closed = || ShelfError::Down(Fault::new(Error::Closed { path: self.0.path.to_path_buf() }));
        let (reply, answer) = oneshot::channel();
        let queue = self.0.queue.as_ref().ok_or_else(closed)?;
        queue.send(Job::Change { change, reply }).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("The writer of the node's own shelf panicked");
        }
    }
}

impl Upkeep for OwnShelf {
    fn leaving(&self) {
        self.leaving();
    }
}

impl Shelf for OwnShelf {
    async fn get(&self, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
        let found = self.0.db.read(|conn| shelves::find(conn, key)).map_err(ShelfError::Down)?;
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
        self.0.db.read(|conn| shelves::list(conn, prefix, now)).map_err(ShelfError::Down)
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

impl WatchShelf for OwnShelf {
    fn watch(&self, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + 'static {
        watch::watch(self.0.db.clone(), Arc::clone(&self.0.feed), prefix, after)
    }
}
