//! Pooled connections for reading.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::error::Error;
use super::open::{open_both_to_read, open_to_read};
use super::readers::Readers;
use crate::fault::Fault;

/// Reads that wait for the disk at the same time, each with a connection and a thread; and as many lookups. Beyond:
/// they are queued.
const AT_ONCE: usize = 4;
/// Idle connections that are kept. Beyond: they are closed after use.
const IDLE_MAX: usize = AT_ONCE;

/// A database that can be read from any thread.
#[derive(Clone)]
pub(crate) enum Db {
    /// Readers have connections of their own and do not block the writer.
    File(Arc<Pool>),
    /// One shared connection, because an in-memory database belongs to its connection.
    Memory(Arc<Mutex<Connection>>),
}

pub(crate) struct Pool {
    path: PathBuf,
    /// `None` if the index has copies of what it shows.
    journal: Option<PathBuf>,
    idle: Mutex<Vec<Connection>>,
    /// For short queries, such as reading a session.
    reads: Readers,
    /// For long queries, so that short ones do not wait behind them.
    lookups: Readers,
}

impl Db {
    /// Opens an index and the journal beside it.
    pub(crate) fn file(path: &Path, journal: &Path) -> Result<Self, Error> {
        Self::pool(path, Some(journal))
    }

    /// Opens an index of a journal that is elsewhere.
    pub(crate) fn alone(path: &Path) -> Result<Self, Error> {
        Self::pool(path, None)
    }

    fn pool(path: &Path, journal: Option<&Path>) -> Result<Self, Error> {
        let (reads, lookups) = (Readers::start(AT_ONCE, path)?, Readers::start(AT_ONCE, path)?);
        let (path, journal) = (path.to_owned(), journal.map(Path::to_owned));
        Ok(Self::File(Arc::new(Pool { path, journal, idle: Mutex::default(), reads, lookups })))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(pool) => &pool.path,
            Self::Memory(_) => Path::new(":memory:"),
        }
    }

    /// Closes idle connections. While one is open, the write-ahead log cannot be removed.
    pub(super) fn close_idle(&self) {
        if let Self::File(pool) = self {
            pool.idle.lock().clear();
        }
    }

    /// Runs `query` on the calling thread.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Fault> {
        let fault = |source| Fault::new(Error::of(self.path(), source));
        match self {
            Self::Memory(conn) => query(&conn.lock()).map_err(fault),
            Self::File(pool) => {
                let idle = pool.idle.lock().pop();
                let open = || match &pool.journal {
                    Some(journal) => open_both_to_read(&pool.path, journal),
                    None => open_to_read(&pool.path),
                };
                let conn = idle.map_or_else(open, Ok).map_err(fault)?;
                let result = query(&conn).map_err(fault);
                let mut idle = pool.idle.lock();
                if idle.len() < IDLE_MAX {
                    idle.push(conn);
                }
                result
            }
        }
    }

    /// Runs `query` on a thread that may block on the disk.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        let db = self.clone();
        self.apart(|pool| &pool.reads, move || db.read(query)).await?
    }

    /// Runs work that may take long on a thread that no short read waits for.
    pub(crate) async fn look_up<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        self.apart(|pool| &pool.lookups, work).await
    }

    async fn apart<T: Send + 'static>(
        &self,
        whom: fn(&Pool) -> &Readers,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        match self {
            // An in-memory database never blocks, and a simulation has no other threads.
            Self::Memory(_) => Ok(work()),
            Self::File(pool) => whom(pool).run(work).await,
        }
    }
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Db").field(&self.path()).finish()
    }
}
