//! The tables of the journal. Changing them means a new format number.

use rusqlite::{Connection, OptionalExtension};

use crate::record::FORMAT;

/// Entries are in the order in which they came, and have no other index here: the positions of one session's entries
/// are in the index's file. `forgotten` tells an index that lost its last changes which sessions were removed.
///
/// `content_ids` makes unguarded appends idempotent. Decisions need no such index: they are guarded, and their id is
/// looked for only if a guard fails, among the session's own entries.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE entries (
    pos INTEGER PRIMARY KEY, id BLOB NOT NULL, session BLOB NOT NULL, lane INTEGER NOT NULL, at INTEGER NOT NULL,
    node INTEGER NOT NULL, epoch INTEGER NOT NULL, prev BLOB NOT NULL, body TEXT NOT NULL);
CREATE UNIQUE INDEX content_ids ON entries (id) WHERE lane = 1;
CREATE TABLE forgotten (session BLOB PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE shelf (key TEXT PRIMARY KEY, value BLOB NOT NULL, revision INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
";

/// Tables that came later: a store without them gets them when it is opened. Older releases ignore them.
///
/// `forgettings` is the chain of forgettings ([`crate::Forgetting`]); `pos` was the newest position at that time.
const LATER_TABLES: &str = "
CREATE TABLE IF NOT EXISTS forgettings (number INTEGER PRIMARY KEY, pos INTEGER NOT NULL, body BLOB NOT NULL);
";

/// Creates the tables that a store of an earlier release lacks.
pub(super) fn complete(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(LATER_TABLES)
}

/// Creates the tables of a new store.
pub(crate) fn create(conn: &Connection, identity: u64) -> rusqlite::Result<()> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    conn.execute_batch(TABLES)?;
    conn.execute_batch(LATER_TABLES)?;
    set_meta(conn, "format", i64::from(FORMAT))?;
    set_meta(conn, "identity", identity.cast_signed())?;
    conn.execute_batch("COMMIT")
}

pub(crate) fn meta(conn: &Connection, key: &str) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = ?1")?.query_row([key], |row| row.get(0)).optional()
}

pub(crate) fn set_meta(conn: &Connection, key: &str, value: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?.execute((key, value))?;
    Ok(())
}

/// Returns the format of a store, or `None` if the file has no tables yet.
pub(crate) fn format(conn: &Connection) -> rusqlite::Result<Option<Format>> {
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    if tables == 0 {
        return Ok(None);
    }
    let ours = "SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'entries')";
    if conn.query_row::<i64, _, _>(ours, (), |row| row.get(0))? != 2 {
        return Ok(Some(Format::Foreign));
    }
    let number = meta(conn, "format")?.and_then(|number| u32::try_from(number).ok());
    Ok(Some(number.map_or(Format::Foreign, Format::Ours)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Ours(u32),
    /// A database that is not ours.
    Foreign,
}
