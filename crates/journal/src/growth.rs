//! Measures how large a store is and how fast it grows. Works while a server runs.

use std::path::Path;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use crate::sqlite::{Error, FILE, INDEX_FILE, Space, measure, open_both_to_read};
use crate::verify::last_position;

/// The time over which growth is measured.
const LATELY: Duration = Duration::from_secs(7 * DAY_SECS);
const DAY_SECS: u64 = 24 * 60 * 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    pub space: Space,
    /// Time of the oldest entry.
    pub since: Option<Timestamp>,
    /// Bytes added per day, on average over the last week, or since the first entry if that is more recent.
    pub per_day: u64,
}

/// Measures a store at the time `now`.
pub fn growth(dir: &Path, now: Timestamp) -> Result<Growth, Error> {
    let (journal, index) = (dir.join(FILE), dir.join(INDEX_FILE));
    let measured = open_both_to_read(&index, &journal).and_then(|conn| {
        let (space, newest) = (measure(&conn)?, last_position(&conn)?);
        let since = at(&conn, 0)?;
        let Some(since) = since else { return Ok(Growth { space, since, per_day: 0 }) };
        let entries: i64 = conn.query_row("SELECT count(*) FROM entries", (), |row| row.get(0))?;
        // If there is no entry within that time, `first_after` returns the position after the newest.
        let lately = (newest + 1).saturating_sub(first_after(&conn, newest, now.minus(LATELY))?);
        let span = now.since(since).min(LATELY).as_secs().max(DAY_SECS);
        // Entries differ in size; on average each takes its share of the used space.
        let share = space.used() / entries.cast_unsigned().max(1);
        Ok(Growth { space, since: Some(since), per_day: share.saturating_mul(lately).saturating_mul(DAY_SECS) / span })
    });
    measured.map_err(|source| Error::of(&journal, source))
}

/// Returns the time of the first entry at or after a position.
fn at(conn: &Connection, position: u64) -> rusqlite::Result<Option<Timestamp>> {
    let sql = "SELECT at FROM entries WHERE pos >= ?1 ORDER BY pos LIMIT 1";
    conn.prepare_cached(sql)?.query_row([position.cast_signed()], |row| row.get(0).map(Timestamp)).optional()
}

/// Finds the first position after a time, by binary search: positions grow with time.
fn first_after(conn: &Connection, newest: u64, time: Timestamp) -> rusqlite::Result<u64> {
    let (mut low, mut high) = (1, newest + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        match at(conn, middle)? {
            Some(found) if found <= time => low = middle + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::create;

    #[test]
    fn the_first_entry_after_a_time_is_found_also_across_gaps() {
        let conn = Connection::open_in_memory().unwrap();
        create(&conn, 1).unwrap();
        for pos in [3_i64, 4, 5, 9, 10, 20] {
            let sql = "INSERT INTO entries VALUES (?1, x'00', x'00', 0, ?2, 0, 0, x'00', '')";
            conn.execute(sql, (pos, pos * 100)).unwrap();
        }
        let found = |time| first_after(&conn, 20, Timestamp(time)).unwrap();
        let after = |time| at(&conn, found(time)).unwrap().map(|at| at.0);
        assert_eq!([0, 300, 500, 950, 1999].map(after), [300, 400, 900, 1000, 2000].map(Some));
        assert_eq!((found(2000), after(2000)), (21, None));
    }
}
