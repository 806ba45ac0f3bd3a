//! Opens a store: folder, lock, file, format.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::Error;
use super::forget;
use super::lock::Lock;
use super::projector::attach;
use super::schema::{Format, complete, create, format, meta};
use super::space;
use super::watermark::known;
use crate::forgetting::Forgetting;
use crate::record::FORMAT;

pub(crate) const FILE: &str = "askbridge.db";

/// Pages of the write-ahead log beyond which it is checkpointed: 16 MiB.
const CHECKPOINT_PAGES: u32 = 4096;
/// The writer's page cache. Small on purpose: SQLite 3.54 walks through all of it at the end of each transaction
/// (`pcache1TruncateUnsafe`), and other pages come from the system's cache.
const CACHE_KIB: i32 = 4 * 1024;
/// A reader's page cache: enough for the pages that a person opens first, and again when they return.
const READ_CACHE_KIB: i32 = 4 * 1024;
/// How long a reader waits for a lock that recovery or a checkpoint holds.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Statements that a connection keeps prepared; we have fewer than this.
const STATEMENTS_MAX: usize = 64;

/// How to open a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder. Created if it does not exist, for its owner alone.
    pub dir: PathBuf,
    /// The id of the journal, if this creates one: a random number, so that cursors of another journal are recognised.
    pub identity: u64,
    /// How many pages of 4 KiB the database may have. Beyond: appends fail as on a full disk. `None`: no limit but the
    /// disk.
    pub pages_max: Option<u32>,
}

impl Options {
    pub fn new(dir: impl Into<PathBuf>, identity: u64) -> Self {
        Self { dir: dir.into(), identity, pages_max: None }
    }
}

/// An open file, locked by this process.
pub(super) struct Opened {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
    pub(super) lock: Lock,
    pub(super) identity: u64,
    /// The file's format number, if a newer release wrote it.
    pub(super) newer: Option<u32>,
}

pub(super) fn open(options: &Options) -> Result<Opened, Error> {
    let path = options.dir.join(FILE);
    make_folder(&options.dir)?;
    let lock = Lock::take(&options.dir)?;
    make_file(&path)?;
    let of = |source| Error::of(&path, source);
    let conn = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let conn = conn.map_err(of)?;
    let found = configure(&conn, options).and_then(|()| format(&conn)).map_err(of)?;
    let newer = match found {
        None => {
            // A journal that was deleted, or whose log was, looks like one that is yet to be created.
            if let Some(known) = known(&options.dir)? {
                known.check(&path, None).inspect_err(|_| leave_as_it_is(&conn))?;
            }
            create(&conn, options.identity).map_err(of)?;
            None
        }
        Some(Format::Foreign) => return Err(Error::NotOurs { path }),
        Some(Format::Ours(number)) => (number > FORMAT).then_some(number),
    };
    let identity = meta(&conn, "identity").map_err(of)?.unwrap_or(0).cast_unsigned();
    Ok(Opened { conn, path, lock, identity, newer })
}

/// Stores what another journal has forgotten in a store that no server uses, if it is new. Another one stays as it is.
pub(crate) fn import_forgettings(options: &Options, forgettings: &[Forgetting]) -> Result<(), Error> {
    let Opened { conn, path, newer, lock, .. } = open(options)?;
    if newer.is_some() || forgettings.is_empty() {
        return Ok(());
    }
    bring_up_to_date(&conn, &path)?;
    let of = |source| Error::of(&path, source);
    if forget::is_empty(&conn).map_err(of)? {
        forget::import(&conn, forgettings).map_err(of)?;
    }
    drop(conn);
    drop(lock);
    Ok(())
}

/// Adds what a store of an earlier release lacks. No other process has it open yet.
pub(super) fn bring_up_to_date(conn: &Connection, path: &Path) -> Result<(), Error> {
    complete(conn).map_err(|source| Error::of(path, source))?;
    space::rewrite_if_small(conn, path);
    Ok(())
}

/// Closing the last connection would checkpoint the log into the file. A refused file stays as it was found.
pub(super) fn leave_as_it_is(conn: &Connection) {
    // If this fails, nothing is lost: a checkpoint writes only what was already in the log.
    let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
}

fn configure(conn: &Connection, options: &Options) -> rusqlite::Result<()> {
    prepare(conn)?;
    // This must come before the first table.
    space::let_shrink(conn)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    if let Some(pages) = options.pages_max {
        conn.pragma_update(None, "max_page_count", pages)?;
    }
    Ok(())
}

/// Applies the settings that every connection needs.
pub(crate) fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_MAX)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Without this, a statement is recompiled whenever another value is bound to it: SQLite is built with STAT4 here,
    // and would examine each value before it chooses an index. That took a third of an append.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Opens a connection that cannot write to the index at `path`, nor to the journal beside it.
pub(crate) fn open_both_to_read(path: &Path, journal: &Path) -> rusqlite::Result<Connection> {
    let conn = open_to_read(path)?;
    conn.pragma_update(None, "cache_size", -READ_CACHE_KIB)?;
    attach(&conn, journal)?;
    Ok(conn)
}

/// Opens a connection that cannot write.
pub(crate) fn open_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    prepare(&conn)?;
    Ok(conn)
}

pub(crate) fn make_folder(dir: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|source| Error::Io { what: "make the folder", path: dir.to_owned(), source })
}

/// Creates the file before SQLite does, so that no other user can read it. SQLite gives its companion files the same
/// mode.
pub(super) fn make_file(path: &Path) -> Result<(), Error> {
    make(path, fs::OpenOptions::new().create(true).truncate(false))
}

/// The same for a file that must not exist yet.
pub(crate) fn make_new_file(path: &Path) -> Result<(), Error> {
    make(path, fs::OpenOptions::new().create_new(true))
}

fn make(path: &Path, options: &mut fs::OpenOptions) -> Result<(), Error> {
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let made = options.open(path).map(drop);
    made.map_err(|source| Error::Io { what: "open", path: path.to_owned(), source })
}
