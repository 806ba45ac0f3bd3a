//! Keeps the index: a projection of the journal in a file of its own. It may lag behind the journal, but a query never
//! sees the lag.
//!
//! Updating the index with each append would touch pages all over it, and each would have to be synced. So an append
//! only appends. The index is updated with the gists of many entries at once, from memory, when enough have accumulated
//! or a query needs them. It is not synced: what it loses in a crash is read from the journal again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle, Thread};

use askbridge_core::ids::{Position, SessionId};
use askbridge_core::limits;
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::Error;
use super::open::{make_file, open_to_read, prepare};
use super::recent::{IndexDemand, Recent};
use super::rows::{head, positions, read_between};
use super::seal::{self, Sealed};
use super::space;
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::index::{self, Gists, IndexWriter, RankCache, compare};
use crate::journal::ReadError;

pub(crate) const INDEX_FILE: &str = "index.db";
/// Entries that accumulate before the index takes those that have left memory.
const TOGETHER: u64 = limits::RECENT_ENTRIES_MAX as u64 + 4096;
/// Entries that are read from the journal at once.
const BATCH: usize = 1024;
/// Entries beyond which building the index is logged.
const LONG: u64 = 50_000;
/// Entries between two log lines about the progress.
const TOLD_EVERY: u64 = 250_000;
/// Up to this many entries, an index without a seal is compared with the journal when it is opened. Beyond, after a
/// crash, only SQLite's own check runs, and `askbridge journal verify` compares.
const COMPARED_MAX: u64 = 20_000;

#[derive(Debug)]
pub(crate) struct Projector {
    inner: Mutex<Inner>,
    path: PathBuf,
    identity: u64,
    recent: Arc<Recent>,
    /// The index contains everything up to here.
    at: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
    waker: Mutex<Option<Thread>>,
    closed: AtomicBool,
    /// Is the index known to agree with the journal? Only then it is sealed on close.
    is_sound: bool,
}

#[derive(Debug)]
struct Inner {
    conn: Connection,
    ranks: RankCache,
    /// Empty: its allocation is reused for the next update.
    gists: Gists,
}

impl Projector {
    /// Opens the index beside a journal. If it is missing, damaged or of another journal, it is rebuilt.
    pub(super) fn open(dir: &Path, journal: &Path, identity: u64, recent: Arc<Recent>) -> Result<Arc<Self>, Error> {
        let path = dir.join(INDEX_FILE);
        let newest = recent.newest();
        recent.keep_for_index();
        let (conn, at, is_sound) = match open_sound(&path, journal, identity, newest) {
            Ok(opened) => opened,
            Err(Error::Damaged { .. }) => {
                tracing::warn!(path = %path.display(), "The index is not as the journal says and is built anew");
                remove(&path);
                let (conn, at) = open(&path, journal, identity, newest)?;
                (conn, at, true)
            }
            Err(error) => return Err(error),
        };
        let projector = Arc::new(Self {
            inner: Mutex::new(Inner { conn, ranks: RankCache::default(), gists: Gists::default() }),
            path,
            identity,
            recent,
            at: AtomicU64::new(at),
            thread: Mutex::default(),
            waker: Mutex::default(),
            closed: AtomicBool::new(false),
            is_sound,
        });
        if newest - at > LONG {
            tracing::info!(entries = newest - at, "Building the index");
        }
        projector.forget_again(at).map_err(|source| Error::of(&projector.path, source))?;
        Ok(projector)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how many entries of the journal are not in the index yet.
    pub(crate) fn lag(&self) -> u64 {
        self.recent.newest().saturating_sub(self.at.load(Ordering::Relaxed))
    }

    /// Starts the thread that updates the index in batches.
    pub(super) fn start(self: &Arc<Self>) -> Result<(), Error> {
        let projector = Arc::clone(self);
        let run = move || {
            while !projector.closed.load(Ordering::Acquire) {
                thread::park();
                if let Err(error) = projector.follow() {
                    tracing::error!(%error, "The index could not follow the journal; trying again later");
                }
            }
        };
        let io = |source| Error::Io { what: "start a thread for", path: self.path.clone(), source };
        let thread = thread::Builder::new().name("index".to_owned()).spawn(run).map_err(io)?;
        *self.waker.lock() = Some(thread.thread().clone());
        *self.thread.lock() = Some(thread);
        Ok(())
    }

    /// Wakes the thread if enough entries have accumulated.
    pub(super) fn nudge(&self) {
        if self.lag() >= TOGETHER
            && let Some(waker) = &*self.waker.lock()
        {
            waker.unpark();
        }
    }

    /// Brings the index up to date, and stops.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        if let Some(thread) = self.thread.lock().take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::error!("The index's thread panicked");
            }
        }
        let is_whole = self.catch_up().is_ok();
        let inner = self.inner.lock();
        let folded = inner.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, i64>(0));
        // If a reader is still open, the log stays, and the next start checks the index.
        if is_whole && self.is_sound && folded.is_ok_and(|busy| busy == 0) {
            // Without a seal the next start takes longer.
            let _ = seal::close(&self.path);
        }
    }

    /// Brings the index up to date with everything that was committed before this call.
    pub(crate) fn catch_up(&self) -> Result<(), Fault> {
        let newest = self.recent.newest();
        if self.at.load(Ordering::Acquire) >= newest {
            return Ok(());
        }
        let mut inner = self.inner.lock();
        let mut told = self.at.load(Ordering::Acquire);
        while self.at.load(Ordering::Acquire) < newest {
            self.take_in(&mut inner, IndexDemand::All)?;
            let at = self.at.load(Ordering::Acquire);
            if at.saturating_sub(told) >= TOLD_EVERY {
                told = at;
                tracing::info!(entries = at, of = newest, "Building the index: {at} of {newest} entries");
            }
        }
        Ok(())
    }

    /// Takes what has left memory.
    fn follow(&self) -> Result<(), Fault> {
        let mut inner = self.inner.lock();
        while self.at.load(Ordering::Acquire) < self.recent.given_up_to() {
            self.take_in(&mut inner, IndexDemand::WhatLeft)?;
        }
        self.take_in(&mut inner, IndexDemand::WhatLeft)
    }

    /// The same, if one of the missing entries may be about this session.
    pub(crate) fn catch_up_with(&self, session: SessionId) -> Result<(), Fault> {
        match self.recent.mentions(session, self.at.load(Ordering::Acquire)) {
            false => Ok(()),
            true => self.catch_up(),
        }
    }

    /// Takes gists from memory, or reads a batch from the journal if memory no longer has them.
    fn take_in(&self, inner: &mut Inner, wanted: IndexDemand) -> Result<(), Fault> {
        let at = self.at.load(Ordering::Acquire);
        let mut gists = std::mem::take(&mut inner.gists);
        let given_up_to = self.recent.given_up_to();
        let up_to = match at < given_up_to {
            true => self.read(inner, &mut gists, given_up_to)?,
            false => self.recent.give(wanted, &mut gists),
        };
        let taken = self.write(inner, &gists, up_to);
        gists.clear();
        inner.gists = gists;
        taken.map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Reads a batch of entries, up to `newest`. Returns the position up to which the batch is complete.
    fn read(&self, inner: &Inner, gists: &mut Gists, newest: u64) -> Result<u64, Fault> {
        let read = read_between(&inner.conn, self.at.load(Ordering::Acquire), newest, BATCH);
        let read = read.map_err(|source| Fault::new(Error::of(&self.path, source)))?;
        let stretch = read.map_err(|error: ReadError| Fault::new(error))?;
        stretch.entries.iter().for_each(|stored| gists.add(stored.position.0, &stored.entry));
        Ok(stretch.up_to)
    }

    fn write(&self, inner: &mut Inner, gists: &Gists, up_to: u64) -> rusqlite::Result<()> {
        let Inner { conn, ranks, .. } = inner;
        let written = (|| {
            let transaction = conn.transaction()?;
            let mut writer = IndexWriter::new(&transaction, ranks);
            writer.take_in(gists)?;
            writer.finish()?;
            index::save_cursor(&transaction, &Cursor::new(self.identity, vec![up_to]))?;
            transaction.commit()
        })();
        match &written {
            Ok(()) => self.at.store(up_to, Ordering::Release),
            // Gists that were taken from memory are read from the journal next time.
            Err(_) => ranks.clear(),
        }
        written
    }

    /// Returns the position of a session's last decision.
    pub(super) fn head(&self, session: SessionId) -> Result<Option<Position>, Fault> {
        self.catch_up_with(session)?;
        head(&self.inner.lock().conn, session).map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Returns the positions of all of a session's entries.
    pub(super) fn positions(&self, session: SessionId) -> Result<Vec<Position>, Fault> {
        self.catch_up_with(session)?;
        positions(&self.inner.lock().conn, session).map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Removes forgotten sessions.
    pub(super) fn forget(&self, sessions: &[SessionId]) -> Result<(), Fault> {
        let mut inner = self.inner.lock();
        inner.ranks.clear();
        let forget = || {
            let together = inner.conn.unchecked_transaction()?;
            sessions.iter().try_for_each(|session| index::forget(&together, *session))?;
            together.commit()
        };
        forget().map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Returns free pages to the disk, at most `pages`. Returns how many are left.
    pub(super) fn give_back(&self, pages: u32) -> Result<u64, Fault> {
        let given = space::give_back(&self.inner.lock().conn, "main", pages);
        given.map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Removes sessions that were forgotten at `at` or later: a crash may have undone that in the index.
    fn forget_again(&self, at: u64) -> rusqlite::Result<()> {
        let inner = self.inner.lock();
        let mut query = inner.conn.prepare("SELECT session FROM forgotten WHERE pos >= ?1")?;
        let forgotten = query.query_map([at.cast_signed()], |row| Ok(SessionId(u128::from_be_bytes(row.get(0)?))))?;
        for session in forgotten.collect::<rusqlite::Result<Vec<_>>>()? {
            index::forget(&inner.conn, session)?;
        }
        Ok(())
    }
}

/// Opens an existing index and checks it. Also returns whether it is known to agree with the journal.
fn open_sound(path: &Path, journal: &Path, identity: u64, newest: u64) -> Result<(Connection, u64, bool), Error> {
    let damaged = || Error::Damaged { path: path.to_owned(), source: rusqlite::Error::InvalidQuery };
    let sealed = seal::open(path);
    if sealed == Sealed::Broken {
        return Err(damaged());
    }
    let (conn, at) = open(path, journal, identity, newest)?;
    if sealed == Sealed::Whole {
        return Ok((conn, at, true));
    }
    let of = |source| Error::of(path, source);
    let whole: String = conn.query_row("PRAGMA main.quick_check(1)", (), |row| row.get(0)).map_err(of)?;
    if whole != "ok" {
        return Err(damaged());
    }
    if at > COMPARED_MAX {
        return Ok((conn, at, false));
    }
    let entries = open_to_read(journal).map_err(|source| Error::of(journal, source))?;
    let mut differs = false;
    let compared = compare(&conn, &entries, at, &mut |_| differs = true);
    match compared {
        // An unreadable entry is a problem of the journal, and reported when it is read.
        Ok(Ok(())) if differs => Err(damaged()),
        Ok(read) => Ok((conn, at, read.is_ok())),
        Err(error) => {
            tracing::debug!(%error, "The index could not be compared with the journal");
            Err(damaged())
        }
    }
}

/// Opens the file. Also returns the last position in it.
fn open(path: &Path, journal: &Path, identity: u64, newest: u64) -> Result<(Connection, u64), Error> {
    make_file(path)?;
    let of = |source| Error::of(path, source);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(of)?;
    prepare(&conn).and_then(|()| space::let_shrink(&conn)).map_err(of)?;
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 8192;
         PRAGMA temp_store = MEMORY;",
    )
    .map_err(of)?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0)).map_err(of)?;
    let start = Cursor::new(identity, vec![0]);
    if tables == 0 {
        index::create(&conn, &start).map_err(of)?;
    }
    attach(&conn, journal).map_err(of)?;
    let cursor = match index::load_cursor(&conn) {
        Ok(cursor) => cursor.filter(|cursor| start.is_known_to(cursor) && cursor.places()[0] <= newest),
        // Tables that are not ours.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::Unknown) => None,
        Err(error) => return Err(of(error)),
    };
    match cursor {
        Some(cursor) => Ok((conn, cursor.places()[0])),
        None => {
            let source = rusqlite::Error::InvalidQuery;
            Err(Error::Damaged { path: path.to_owned(), source })
        }
    }
}

/// Attaches the journal to a connection to the index.
pub(super) fn attach(conn: &Connection, journal: &Path) -> rusqlite::Result<()> {
    conn.execute("ATTACH DATABASE ?1 AS journal", [journal.to_string_lossy()])?;
    Ok(())
}

fn remove(path: &Path) {
    for companion in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(companion);
        let _ = std::fs::remove_file(name);
    }
}
