//! Lists sessions in the order in which they began, for retention.

use askbridge_core::ids::{SessionId, Timestamp};
use rusqlite::params;

use super::filter::PageKey;
use super::query::{Index, IndexError};

/// A session, with what retention checks before it asks the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oldest {
    pub id: SessionId,
    /// Time of its last entry, in either lane.
    pub last_at: Timestamp,
    pub entries: u64,
    place: i64,
}

impl Oldest {
    /// Returns the key after which the next page begins.
    pub fn page_key(&self) -> PageKey {
        PageKey { place: self.place }
    }
}

impl Index {
    /// Are all entries beside the index? One that follows a remote journal has copies of a few, and counts of the rest.
    fn has_all_entries(&self) -> bool {
        self.following.is_none()
    }

    /// Returns sessions that began before a time, the oldest first.
    pub fn oldest(&self, before: Timestamp, after: Option<PageKey>, max: usize) -> Result<Vec<Oldest>, IndexError> {
        let sql = if self.has_all_entries() {
            "SELECT s.session, s.place, s.started_at,
                (SELECT at FROM entries WHERE pos = (SELECT max(last) FROM runs WHERE session = s.session)),
                (SELECT sum(json_array_length(places)) FROM runs WHERE session = s.session)
            FROM sessions s WHERE s.place > ?1 AND s.started_at < ?2 ORDER BY s.place LIMIT ?3"
        } else {
            "SELECT s.session, s.place, s.started_at, e.last_at, e.entries
            FROM sessions s LEFT JOIN extents e ON e.session = s.session
            WHERE s.place > ?1 AND s.started_at < ?2 ORDER BY s.place LIMIT ?3"
        };
        let rows = self.look(|conn| {
            let mut query = conn.prepare_cached(sql)?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok(Oldest {
                    id: SessionId(u128::from_be_bytes(row.get(0)?)),
                    place: row.get(1)?,
                    last_at: Timestamp(row.get::<_, Option<i64>>(3)?.map_or_else(|| row.get(2), Ok)?),
                    entries: row.get::<_, Option<i64>>(4)?.unwrap_or(0).cast_unsigned(),
                })
            };
            let after = after.map_or(-1, |after| after.place);
            query.query_map(params![after, before.0, i64::try_from(max).unwrap_or(i64::MAX)], row)?.collect()
        });
        rows.map_err(IndexError::Down)
    }

    /// Returns how many entries a session has.
    pub fn entries_of(&self, session: SessionId) -> Result<u64, IndexError> {
        let sql = if self.has_all_entries() {
            "SELECT sum(json_array_length(places)) FROM runs WHERE session = ?1"
        } else {
            "SELECT sum(entries) FROM extents WHERE session = ?1"
        };
        let sum = self.look(|conn| {
            conn.prepare_cached(sql)?.query_row([session.0.to_be_bytes()], |row| row.get::<_, Option<i64>>(0))
        });
        Ok(sum.map_err(IndexError::Down)?.unwrap_or(0).cast_unsigned())
    }

    /// Returns how many bytes the entries of a session take.
    pub fn bytes_of(&self, session: SessionId) -> Result<u64, IndexError> {
        let sql = if self.has_all_entries() {
            "SELECT sum(length(CAST(e.body AS BLOB))) FROM runs r CROSS JOIN json_each(r.places) p
            CROSS JOIN entries e ON e.pos = p.value WHERE r.session = ?1"
        } else {
            "SELECT sum(bytes) FROM extents WHERE session = ?1"
        };
        let sum = self.look(|conn| {
            conn.prepare_cached(sql)?.query_row([session.0.to_be_bytes()], |row| row.get::<_, Option<i64>>(0))
        });
        Ok(sum.map_err(IndexError::Down)?.unwrap_or(0).cast_unsigned())
    }
}
