//! Reads entries from rows.

use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{EntryId, Epoch, NodeId, Position, SessionId, Timestamp};
use askbridge_core::limits;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::entry::{Digest, Entry, Stored, lane_number, numbered_lane, read_body};
use crate::journal::ReadError;

/// The columns that [`stored`] reads, in order.
pub(crate) const COLUMNS: &str = "pos, id, session, lane, at, node, epoch, prev, body";

/// Reads an entry. The outer error is the database's, the inner one the record's.
pub(crate) fn stored(row: &Row<'_>) -> rusqlite::Result<Result<Arc<Stored>, ReadError>> {
    let position = Position(row.get::<_, i64>(0)?.cast_unsigned());
    let events = match read_body(row.get_ref(8)?.as_str()?) {
        Ok(events) => events,
        Err(source) => return Ok(Err(ReadError::Record { position, source })),
    };
    let entry = Entry {
        id: EntryId(u128::from_be_bytes(row.get(1)?)),
        session: SessionId(u128::from_be_bytes(row.get(2)?)),
        lane: numbered_lane(row.get(3)?),
        at: Timestamp(row.get(4)?),
        node: NodeId(row.get::<_, i64>(5)?.cast_unsigned()),
        epoch: Epoch(row.get(6)?),
        prev: Digest(row.get(7)?),
        events,
    };
    Ok(Ok(Arc::new(Stored { position, entry: Arc::new(entry) })))
}

/// Reads a session's entries after a position.
pub(crate) fn read_session(
    conn: &Connection,
    session: SessionId,
    lane: Option<Lane>,
    after: Option<Position>,
    max: usize,
) -> rusqlite::Result<Result<Vec<Arc<Stored>>, ReadError>> {
    let (session, after) = (session.0.to_be_bytes(), after.map_or(-1, |after| after.0.cast_signed()));
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    let mut query = conn.prepare_cached(&forwards(lane))?;
    let places =
        query.query_map(params![session, after, max], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    read_at(conn, &places)
}

/// Reads the entries at these positions, in this order, until there are enough bytes. Skips what was forgotten
/// meanwhile.
///
/// Positions are selected before entries: sorting them together with their bodies would load a whole page of large
/// entries into memory before the first is returned.
fn read_at(conn: &Connection, places: &[i64]) -> rusqlite::Result<Result<Vec<Arc<Stored>>, ReadError>> {
    let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM entries WHERE pos = ?1"))?;
    let (mut read, mut bytes) = (Vec::with_capacity(places.len()), 0);
    for place in places {
        match query.query_row([place], stored).optional()? {
            Some(Ok(stored)) => {
                bytes += stored.entry.bytes();
                read.push(stored);
            }
            Some(Err(error)) => return Ok(Err(error)),
            None => {}
        }
        if bytes >= limits::READ_BYTES_MAX {
            break;
        }
    }
    Ok(Ok(read))
}

fn forwards(lane: Option<Lane>) -> String {
    // Sorted by runs first: each run is sorted by itself, and unneeded runs are not read. Sorted by positions alone,
    // every page would read the session to its end.
    let of_lane = |lane| {
        format!(
            "SELECT * FROM (SELECT p.value FROM runs r CROSS JOIN json_each(r.places) p
             WHERE r.session = ?1 AND r.lane = {lane} AND r.last > ?2 AND p.value > ?2
             ORDER BY r.last, p.value LIMIT ?3)"
        )
    };
    let lanes = lane.map_or(0..=1, |lane| lane_number(lane)..=lane_number(lane));
    let both: Vec<String> = lanes.map(of_lane).collect();
    format!("{} ORDER BY 1 LIMIT ?3", both.join(" UNION ALL "))
}

/// Reads the last of a session's entries before a position, in order.
pub(crate) fn read_session_back(
    conn: &Connection,
    session: SessionId,
    before: Option<Position>,
    max: usize,
) -> rusqlite::Result<Result<Vec<Arc<Stored>>, ReadError>> {
    let (session, before) = (session.0.to_be_bytes(), before.map_or(i64::MAX, |before| before.0.cast_signed()));
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    let of_lane = |lane| {
        format!(
            "SELECT * FROM (SELECT p.value FROM runs r CROSS JOIN json_each(r.places) p
             WHERE r.session = ?1 AND r.lane = {lane} AND r.first < ?2 AND p.value < ?2
             ORDER BY r.last DESC, p.value DESC LIMIT ?3)"
        )
    };
    let sql = format!("{} UNION ALL {} ORDER BY 1 DESC LIMIT ?3", of_lane(0), of_lane(1));
    let mut query = conn.prepare_cached(&sql)?;
    let places =
        query.query_map(params![session, before, max], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(read_at(conn, &places)?.map(|mut entries| {
        entries.reverse();
        entries
    }))
}

/// Returns the position of a session's last decision.
pub(super) fn head(conn: &Connection, session: SessionId) -> rusqlite::Result<Option<Position>> {
    let mut query = conn.prepare_cached("SELECT max(last) FROM runs WHERE session = ?1 AND lane = 0")?;
    let head: Option<i64> = query.query_row([session.0.to_be_bytes()], |row| row.get(0))?;
    Ok(head.map(|head| Position(head.cast_unsigned())))
}

/// Returns the positions of all of a session's entries.
pub(super) fn positions(conn: &Connection, session: SessionId) -> rusqlite::Result<Vec<Position>> {
    let sql = "SELECT p.value FROM runs r CROSS JOIN json_each(r.places) p WHERE r.session = ?1";
    let mut query = conn.prepare_cached(sql)?;
    query.query_map([session.0.to_be_bytes()], |row| Ok(Position(row.get::<_, i64>(0)?.cast_unsigned())))?.collect()
}

/// Entries of all sessions, and how far they go.
pub(crate) struct Stretch {
    pub(crate) entries: Vec<Arc<Stored>>,
    /// All entries up to here were read. Beyond the last of them there are only gaps of forgotten sessions.
    pub(crate) up_to: u64,
}

/// Reads the entries of all sessions after a position, up to another, until there are `max` of them or
/// [`limits::READ_BYTES_MAX`] bytes.
pub(crate) fn read_between(
    conn: &Connection,
    after: u64,
    up_to: u64,
    max: usize,
) -> rusqlite::Result<Result<Stretch, ReadError>> {
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE pos > ?1 AND pos <= ?2 ORDER BY pos LIMIT ?3");
    let mut query = conn.prepare_cached(&sql)?;
    let limit = i64::try_from(max).unwrap_or(i64::MAX);
    let rows = query.query_map(params![after.cast_signed(), up_to.cast_signed(), limit], stored)?;
    let (mut entries, mut bytes) = (Vec::new(), 0);
    for row in rows {
        match row? {
            Ok(stored) => {
                bytes += stored.entry.bytes();
                entries.push(stored);
            }
            Err(error) => return Ok(Err(error)),
        }
        if bytes >= limits::READ_BYTES_MAX {
            break;
        }
    }
    let is_cut = entries.len() >= max || bytes >= limits::READ_BYTES_MAX;
    let up_to = entries.last().filter(|_| is_cut).map_or(up_to, |last| last.position.0);
    Ok(Ok(Stretch { entries, up_to }))
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::index::TABLES;
    use crate::sqlite::create;

    const HERE: SessionId = SessionId(7);

    /// A session with `runs` runs of four entries in each lane. The lanes alternate.
    fn long(runs: i64) -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        create(&conn, 1).unwrap();
        conn.execute_batch(TABLES).unwrap();
        let here = HERE.0.to_be_bytes();
        let entry = "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, 0, 0, 0, zeroblob(32), '[]')";
        let run = "INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5)";
        let (mut entry, mut run) = (conn.prepare(entry).unwrap(), conn.prepare(run).unwrap());
        for begin in (0..runs).map(|number| number * 8) {
            for lane in 0..2 {
                let places: Vec<i64> = (0..4).map(|step| begin + 2 * step + lane).collect();
                for place in &places {
                    let id = u128::from(place.cast_unsigned()).to_be_bytes();
                    entry.execute(params![place, id, here, lane]).unwrap();
                }
                run.execute(params![here, lane, places[3], places[0], format!("{places:?}")]).unwrap();
            }
        }
        drop((entry, run));
        conn
    }

    fn page(conn: &Connection, lane: Option<Lane>, after: Option<u64>) -> Vec<u64> {
        let read = read_session(conn, HERE, lane, after.map(Position), 7).unwrap().unwrap();
        read.into_iter().map(|stored| stored.position.0).collect()
    }

    #[test]
    fn pages_leave_nothing_out_and_are_in_order() {
        let conn = long(5);
        let every = |lane, step| {
            let mut all = page(&conn, lane, None);
            while let [.., last] = all[..] {
                match page(&conn, lane, Some(last)) {
                    next if next.is_empty() => break,
                    next => all.extend(next),
                }
            }
            assert_eq!(all, (u64::from(lane == Some(Lane::Content))..40).step_by(step).collect::<Vec<_>>());
        };
        every(None, 1);
        every(Some(Lane::Decisions), 2);
        every(Some(Lane::Content), 2);
    }

    #[test]
    fn a_page_costs_no_more_when_the_session_is_long() {
        let steps = |runs, lane| {
            let conn = long(runs);
            assert_eq!(page(&conn, lane, Some(16)).len(), 7);
            conn.prepare_cached(&forwards(lane)).unwrap().get_status(StatementStatus::VmStep)
        };
        for lane in [None, Some(Lane::Decisions), Some(Lane::Content)] {
            let (short, long) = (steps(10, lane), steps(1000, lane));
            assert!(short > 0 && long < short * 2, "{short} steps, and {long} in a long one");
        }
    }
}
