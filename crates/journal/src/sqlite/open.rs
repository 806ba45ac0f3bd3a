//! What happens before there is a store: folder, lock, file, format.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::Error;
use super::lock::Lock;
use super::projector::attach;
use super::schema::{Format, complete, create, format, meta};
use super::space;
use super::watermark::known;
use crate::record::FORMAT;

pub(crate) const FILE: &str = "askbridge.db";

/// Pages of the log beyond which it is folded into the database: 16 MiB.
const CHECKPOINT_PAGES: u32 = 4096;
/// What the writer keeps in its own memory. Small on purpose: SQLite 3.54 walks through all of it at the end of each
/// transaction (`pcache1TruncateUnsafe`), and what is not there comes from the system's cache.
const CACHE_KIB: i32 = 4 * 1024;
/// The same for a reader: what somebody sees who opens the inbox, and what they see when they come back.
const READ_CACHE_KIB: i32 = 4 * 1024;
/// How long a reader waits for a lock that recovery or a checkpoint holds.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Statements that a connection keeps prepared; there are fewer than this.
const STATEMENTS_MAX: usize = 64;

/// How to open a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder. Made if it is not there, for its owner alone.
    pub dir: PathBuf,
    /// The name of the journal, if this makes a new one: a random number, so that cursors of another are known.
    pub identity: u64,
    /// How many pages of 4 KiB the database may have. Beyond: appends fail as on a full disk. `None`: the disk decides.
    pub pages_max: Option<u32>,
}

impl Options {
    pub fn new(dir: impl Into<PathBuf>, identity: u64) -> Self {
        Self { dir: dir.into(), identity, pages_max: None }
    }
}

/// An open file, held by this process alone.
pub(super) struct Opened {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
    pub(super) lock: Lock,
    pub(super) identity: u64,
    /// The newer format, if it is one.
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
            // A journal that is gone, or whose log is, looks like one that is yet to be made.
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

/// Gives a store of an earlier release what it has not. Nobody else has it open yet.
pub(super) fn bring_up_to_date(conn: &Connection, path: &Path) -> Result<(), Error> {
    complete(conn).map_err(|source| Error::of(path, source))?;
    space::rewrite_if_small(conn, path);
    Ok(())
}

/// Closing the last connection folds the log into the file. One that is refused stays as it was found.
pub(super) fn leave_as_it_is(conn: &Connection) {
    // Without it nothing is lost either: what is folded in is what was found.
    let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
}

fn configure(conn: &Connection, options: &Options) -> rusqlite::Result<()> {
    prepare(conn)?;
    // Before anything is written.
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

/// Sets what every connection needs.
pub(crate) fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_MAX)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Otherwise a statement is compiled again whenever another value is bound to it: SQLite is built with STAT4 here, and
    // wants to look at each value before it chooses an index. That took a third of an append.
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

/// Makes the file before SQLite does, so that nobody else can read it. Its companions take over its mode.
pub(super) fn make_file(path: &Path) -> Result<(), Error> {
    make(path, fs::OpenOptions::new().create(true).truncate(false))
}

/// The same for one that must not be there yet.
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
