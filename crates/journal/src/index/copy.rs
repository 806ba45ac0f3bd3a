//! An index with copies of the entries it shows, updated by a follower of a remote journal.

use std::path::Path;
use std::sync::Arc;

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
use crate::sqlite::{Db, Error, create, prepare};
use askbridge_core::event::Lane;
use askbridge_core::ids::SessionId;

/// The tables, copies of the entries that lists show, and the cursor.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    conn: Arc<Mutex<Connection>>,
    path: Arc<Path>,
    streams: u64,
}

impl Copy {
    /// Opens the index at `path`, or one in memory. A cursor of another journal empties it.
    pub(crate) fn open(path: Option<&Path>, start: &Cursor) -> Result<Self, Error> {
        let name: Arc<Path> = path.unwrap_or(Path::new(":memory:")).into();
        let of = |source| Error::of(&name, source);
        let conn = path.map_or_else(Connection::open_in_memory, Connection::open).map_err(of)?;
        prepare(&conn).map_err(of)?;
        // It can be rebuilt, so it need not be synced.
        conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;").map_err(of)?;
        let streams = start.places().len() as u64;
        let copy = Self { conn: Arc::new(Mutex::new(conn)), path: Arc::clone(&name), streams };
        copy.prepare(start).map_err(of)?;
        Ok(copy)
    }

    fn prepare(&self, start: &Cursor) -> rusqlite::Result<()> {
        let conn = self.conn.lock();
        let tables: i64 =
            conn.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'entries'", (), |row| row.get(0))?;
        if tables == 0 {
            create(&conn, 0)?;
            super::progress::create(&conn, start)?;
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
            save_cursor(&transaction, cursor)?;
            transaction.commit()
        })();
        done.map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    pub(crate) fn forget(&self, session: SessionId) -> Result<(), Fault> {
        let conn = self.conn.lock();
        let entries = "DELETE FROM entries WHERE pos IN
            (SELECT e.value FROM runs r CROSS JOIN json_each(r.places) e WHERE r.session = ?1)";
        let done = conn.prepare_cached(entries).and_then(|mut entries| entries.execute([session.0.to_be_bytes()]));
        let done = done.and_then(|_| forget(&conn, session));
        done.map_err(|source| Fault::new(Error::of(&self.path, source)))
    }

    pub(crate) fn index(&self, following: Arc<Following>) -> Index {
        Index::that_follows(Db::Memory(Arc::clone(&self.conn)), self.streams, following)
    }

    /// Each stream counts its own sequence, so positions are interleaved to be unique.
    fn place(&self, stored: &Stored) -> u64 {
        let streams = usize::try_from(self.streams).unwrap_or(1);
        stored.position.0 * self.streams + stream_of(stored.entry.session, streams) as u64
    }
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
    conn.execute_batch("DELETE FROM entries; DELETE FROM runs; DELETE FROM asks; DELETE FROM sessions;")?;
    save_cursor(conn, start)
}
