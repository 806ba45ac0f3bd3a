//! An index with copies of the entries it shows, updated by a follower of a remote journal.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;
use rusqlite::{Connection, params};

use super::following::Following;
use super::gist::Gists;
use super::progress::{load_cursor, save_cursor};
use super::project::{IndexWriter, forget, keeps};
use super::query::Index;
use super::rank_cache::RankCache;
use crate::cursor::{Cursor, stream_of};
use crate::entry::{Stored, lane_number};
use crate::fault::Fault;
use crate::sqlite::{Db, Error, create, open_to_read, prepare};
use askbridge_core::event::Lane;
use askbridge_core::ids::{AskId, SessionId};

/// The tables, copies of the entries that lists show, and the cursor.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    conn: Arc<Mutex<Connection>>,
    path: Arc<Path>,
    is_in_memory: bool,
    streams: u64,
}

impl Copy {
    /// Opens the index at `path`, or one in memory. A cursor of another journal empties it.
    pub(crate) fn open(path: Option<&Path>, start: &Cursor) -> Result<Self, Error> {
        let name: Arc<Path> = path.unwrap_or(Path::new(":memory:")).into();
        let of = |source| Error::of(&name, source);
        if let Some(path) = path {
            // For its owner alone from its first byte on; SQLite gives its log the same mode. If this fails, so does the next
            // line, which says why.
            let _ = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        }
        let conn = path.map_or_else(Connection::open_in_memory, Connection::open).map_err(of)?;
        prepare(&conn).map_err(of)?;
        // It can be rebuilt, so it need not be synced.
        conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;").map_err(of)?;
        let streams = start.places().len() as u64;
        let conn = Arc::new(Mutex::new(conn));
        let copy = Self { conn, path: Arc::clone(&name), is_in_memory: path.is_none(), streams };
        copy.prepare(start).map_err(of)?;
        Ok(copy)
    }

    fn prepare(&self, start: &Cursor) -> rusqlite::Result<()> {
        let conn = self.conn.lock();
        let tables: i64 =
            conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'entries'", (), |row| row.get(0))?;
        let extents: i64 =
            conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'extents'", (), |row| row.get(0))?;
        conn.execute_batch(EXTENTS)?;
        if tables == 0 {
            create(&conn, 0)?;
            super::progress::create(&conn, start)?;
        } else if extents == 0 {
            // A release before this table made it: nothing in it says how large the sessions are.
            clear(&conn, start)?;
        } else if !load_cursor(&conn)?.is_some_and(|cursor| start.is_known_to(&cursor)) {
            // The content is of another journal.
            clear(&conn, start)?;
        }
        Ok(())
    }

    /// Empties the index, to be filled from `start` again.
    pub(crate) fn clear(&self, start: &Cursor) -> Result<(), Fault> {
        clear(&self.conn.lock(), start).map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    pub(crate) fn cursor(&self) -> Result<Option<Cursor>, Fault> {
        load_cursor(&self.conn.lock()).map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Applies entries as they were followed, and stores the cursor after them.
    pub(crate) fn take_in(&self, entries: &[Arc<Stored>], cursor: &Cursor) -> Result<(), Fault> {
        let mut conn = self.conn.lock();
        let done = (|| {
            let transaction = conn.transaction()?;
            let mut ranks = RankCache::default();
            let mut gists = Gists::default();
            for stored in entries.iter().filter(|stored| stored.entry.lane == Lane::Decisions) {
                let place = self.place(stored);
                if stored.entry.events.iter().any(|written| keeps(&written.event)) {
                    keep(&transaction, place, stored)?;
                    gists.add(place, &stored.entry);
                } else {
                    gists.add_unlisted(place, &stored.entry);
                }
            }
            let mut writer = IndexWriter::new(&transaction, &mut ranks);
            writer.take_in(&gists)?;
            writer.finish()?;
            extend(&transaction, entries)?;
            save_cursor(&transaction, cursor)?;
            transaction.commit()
        })();
        done.map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    pub(crate) fn open_asks(&self) -> Result<BTreeSet<AskId>, Fault> {
        open_asks(&self.conn.lock()).map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Reads the open asks and the cursor of an index, which a node may have open; `None` if it cannot be used.
    pub(crate) fn open_asks_in(path: &Path) -> Result<Option<(Cursor, BTreeSet<AskId>)>, String> {
        let read = || -> rusqlite::Result<Option<(Cursor, BTreeSet<AskId>)>> {
            let conn = open_to_read(path)?;
            let moment = conn.unchecked_transaction()?;
            let found = match load_cursor(&moment)? {
                Some(cursor) => Some((cursor, open_asks(&moment)?)),
                None => None,
            };
            moment.finish()?;
            Ok(found)
        };
        read().map_err(|error| error.to_string())
    }

    pub(crate) fn forget(&self, session: SessionId) -> Result<(), Fault> {
        let conn = self.conn.lock();
        let entries = "DELETE FROM entries WHERE pos IN
            (SELECT e.value FROM runs r CROSS JOIN json_each(r.places) e WHERE r.session = ?1)";
        let done = conn.prepare_cached(entries).and_then(|mut entries| entries.execute([session.0.to_be_bytes()]));
        let done = done.and_then(|_| forget(&conn, session));
        let extent =
            || conn.prepare_cached("DELETE FROM extents WHERE session = ?1")?.execute([session.0.to_be_bytes()]);
        let done = done.and_then(|()| extent()).map(drop);
        done.map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    /// Queries of an index in a file have connections and threads of their own, and do not wait for the follower.
    pub(crate) fn index(&self, following: Arc<Following>) -> Result<Index, Error> {
        let db = if self.is_in_memory { Db::Memory(Arc::clone(&self.conn)) } else { Db::alone(&self.path)? };
        Ok(Index::that_follows(db, self.streams, following))
    }

    /// Each stream counts its own sequence, so positions are interleaved to be unique.
    fn place(&self, stored: &Stored) -> u64 {
        let streams = usize::try_from(self.streams).unwrap_or(1);
        stored.position.0 * self.streams + stream_of(stored.entry.session, streams) as u64
    }
}

/// How long each session is and when it was last heard of, in both lanes: the entries themselves are not all here, and
/// retention must not take a session for older than it is.
const EXTENTS: &str = "CREATE TABLE IF NOT EXISTS extents (session BLOB PRIMARY KEY, last_at INTEGER NOT NULL,
    entries INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;";

fn open_asks(conn: &Connection) -> rusqlite::Result<BTreeSet<AskId>> {
    let mut query = conn.prepare_cached("SELECT session, number FROM asks WHERE state <= 1")?;
    let ask = |row: &rusqlite::Row<'_>| {
        Ok(AskId { session: SessionId(u128::from_be_bytes(row.get(0)?)), number: row.get(1)? })
    };
    query.query_map((), ask)?.collect()
}

fn extend(conn: &Connection, entries: &[Arc<Stored>]) -> rusqlite::Result<()> {
    let mut extents: HashMap<SessionId, (i64, i64, i64)> = HashMap::default();
    for Stored { entry, .. } in entries.iter().map(|stored| &**stored) {
        let (last_at, count, bytes) = extents.entry(entry.session).or_default();
        *last_at = entry.at.0;
        *count += 1;
        *bytes += i64::try_from(entry.bytes()).unwrap_or(i64::MAX);
    }
    let mut extend = conn.prepare_cached(
        "INSERT INTO extents VALUES (?1, ?2, ?3, ?4) ON CONFLICT (session) DO UPDATE SET
            last_at = excluded.last_at, entries = entries + excluded.entries, bytes = bytes + excluded.bytes",
    )?;
    for (session, (last_at, count, bytes)) in extents {
        extend.execute(params![session.0.to_be_bytes(), last_at, count, bytes])?;
    }
    Ok(())
}

fn keep(conn: &Connection, place: u64, stored: &Stored) -> rusqlite::Result<()> {
    let entry = &stored.entry;
    conn.prepare_cached("INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?.execute(
        params![
            place.cast_signed(),
            entry.id.0.to_be_bytes(),
            entry.session.0.to_be_bytes(),
            lane_number(entry.lane),
            entry.at.0,
            entry.node.0.cast_signed(),
            entry.epoch.0,
            entry.prev.0,
            entry.body(),
        ],
    )?;
    Ok(())
}

fn clear(conn: &Connection, start: &Cursor) -> rusqlite::Result<()> {
    conn.execute_batch(
        "DELETE FROM entries; DELETE FROM runs; DELETE FROM asks; DELETE FROM sessions; DELETE FROM extents;",
    )?;
    save_cursor(conn, start)
}
