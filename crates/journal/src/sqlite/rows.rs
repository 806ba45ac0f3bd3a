//! Entries out of rows.

use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{EntryId, Epoch, NodeId, Position, SessionId, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::entry::{Digest, Entry, Stored, lane_number, numbered_lane, read_body};
use crate::journal::ReadError;

/// The columns that [`stored`] reads, in order.
pub(crate) const COLUMNS: &str = "pos, id, session, lane, at, node, epoch, prev, body";
const COLUMNS_OF_E: &str = "e.pos, e.id, e.session, e.lane, e.at, e.node, e.epoch, e.prev, e.body";

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
    let lanes = lane.map_or(0..=1, |lane| lane_number(lane)..=lane_number(lane));
    let of_lane = |lane| {
        format!(
            "SELECT {COLUMNS_OF_E} FROM runs r CROSS JOIN json_each(r.places) p CROSS JOIN entries e ON e.pos = p.value
             WHERE r.session = ?1 AND r.lane = {lane} AND r.last > ?2 AND p.value > ?2"
        )
    };
    // Each lane is in order; SQLite merges the two.
    let both: Vec<String> = lanes.map(of_lane).collect();
    let sql = format!("{} ORDER BY 1 LIMIT ?3", both.join(" UNION ALL "));
    let mut query = conn.prepare_cached(&sql)?;
    query.query_map(params![session, after, max], stored)?.collect::<rusqlite::Result<_>>()
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
            "SELECT * FROM (SELECT {COLUMNS_OF_E} FROM runs r CROSS JOIN json_each(r.places) p
                 CROSS JOIN entries e ON e.pos = p.value
             WHERE r.session = ?1 AND r.lane = {lane} AND r.first < ?2 AND p.value < ?2
             ORDER BY r.last DESC, p.value DESC LIMIT ?3)"
        )
    };
    let sql = format!("{} UNION ALL {} ORDER BY 1 DESC LIMIT ?3", of_lane(0), of_lane(1));
    let mut query = conn.prepare_cached(&sql)?;
    let rows: rusqlite::Result<Result<Vec<_>, ReadError>> =
        query.query_map(params![session, before, max], stored)?.collect();
    rows.map(|read| {
        read.map(|mut entries| {
            entries.reverse();
            entries
        })
    })
}

/// Returns the position of a session's last decision.
pub(super) fn head(conn: &Connection, session: SessionId) -> rusqlite::Result<Option<Position>> {
    let mut query = conn.prepare_cached("SELECT max(last) FROM runs WHERE session = ?1 AND lane = 0")?;
    let head: Option<i64> = query.query_row([session.0.to_be_bytes()], |row| row.get(0))?;
    Ok(head.map(|head| Position(head.cast_unsigned())))
}

/// Returns where all of a session's entries stand.
pub(super) fn positions(conn: &Connection, session: SessionId) -> rusqlite::Result<Vec<Position>> {
    let sql = "SELECT p.value FROM runs r CROSS JOIN json_each(r.places) p WHERE r.session = ?1";
    let mut query = conn.prepare_cached(sql)?;
    query.query_map([session.0.to_be_bytes()], |row| Ok(Position(row.get::<_, i64>(0)?.cast_unsigned())))?.collect()
}

/// Reads the entries of all sessions after a position, up to another.
pub(super) fn read_between(
    conn: &Connection,
    after: u64,
    up_to: u64,
    max: usize,
) -> rusqlite::Result<Result<Vec<Arc<Stored>>, ReadError>> {
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE pos > ?1 AND pos <= ?2 ORDER BY pos LIMIT ?3");
    let mut query = conn.prepare_cached(&sql)?;
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    query.query_map(params![after.cast_signed(), up_to.cast_signed(), max], stored)?.collect::<rusqlite::Result<_>>()
}
