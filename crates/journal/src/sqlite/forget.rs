//! Forgets sessions within a transaction: removes their entries and stores the proof.

use askbridge_core::ids::{Position, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{COLUMNS, stored};
use super::schema::set_meta;
use crate::entry::Digest;
use crate::forgetting::{Forgetting, Forgotten, Going};

/// Removes the entries at these positions, each session's in order, and appends to the chain of forgettings.
pub(super) fn forget(
    conn: &Connection,
    sessions: Vec<(SessionId, Vec<Position>)>,
    at: Timestamp,
    by: &str,
    newest: u64,
) -> rusqlite::Result<Forgotten> {
    let read = format!("SELECT {COLUMNS} FROM entries WHERE pos = ?1");
    let mut read = conn.prepare_cached(&read)?;
    let mut delete = conn.prepare_cached("DELETE FROM entries WHERE pos = ?1")?;
    let mut note = conn.prepare_cached("INSERT OR REPLACE INTO forgotten VALUES (?1, ?2)")?;
    let mut gone = Vec::with_capacity(sessions.len());
    for (session, places) in sessions {
        let mut going = Going::new(session);
        for place in places {
            let place = place.0.cast_signed();
            read.query_row([place], |row| {
                match stored(row)? {
                    Ok(stored) => going.add(&stored.entry),
                    Err(_) => going.add_unreadable(row.get_ref(8)?.as_bytes()?),
                }
                Ok(())
            })
            .optional()?;
            delete.execute([place])?;
        }
        if let Some(one) = going.done() {
            note.execute(params![session.0.to_be_bytes(), newest.cast_signed()])?;
            gone.push(one);
        }
    }
    if gone.is_empty() {
        return Ok(Forgotten::default());
    }
    // Positions are never reused: an older cursor would skip the entries that take their place.
    set_meta(conn, "newest_forgotten", newest.cast_signed())?;
    let last = "SELECT body FROM forgettings ORDER BY number DESC LIMIT 1";
    let last: Option<Vec<u8>> = conn.prepare_cached(last)?.query_row((), |row| row.get(0)).optional()?;
    let prev = last.map_or(Digest::ZERO, |body| Digest::of(&body));
    let forgetting = Forgetting { at, by: by.to_owned(), prev, gone };
    let keep = "INSERT INTO forgettings (pos, body) VALUES (?1, ?2)";
    conn.prepare_cached(keep)?.execute(params![newest.cast_signed(), forgetting.encode()])?;
    Ok(forgetting.sum())
}

/// Stores the proofs of another journal in one without entries. Positions begin after what was forgotten, as if it had
/// been stored here: otherwise there would be more entries and forgotten ones than positions.
pub(super) fn import(conn: &Connection, forgettings: &[Forgetting]) -> rusqlite::Result<()> {
    let transaction = conn.unchecked_transaction()?;
    let (mut newest, mut prev) = (0_u64, Digest::ZERO);
    for forgetting in forgettings {
        let forgetting = Forgetting { prev, ..forgetting.clone() };
        newest += forgetting.sum().entries;
        for gone in &forgetting.gone {
            let note = "INSERT OR REPLACE INTO forgotten VALUES (?1, ?2)";
            let note =
                transaction.prepare_cached(note)?.execute(params![gone.session.0.to_be_bytes(), newest.cast_signed()]);
            note?;
        }
        let body = forgetting.encode();
        prev = Digest::of(&body);
        let keep = "INSERT INTO forgettings (pos, body) VALUES (?1, ?2)";
        transaction.prepare_cached(keep)?.execute(params![newest.cast_signed(), body])?;
    }
    set_meta(&transaction, "newest_forgotten", newest.cast_signed())?;
    transaction.commit()
}

/// Does the journal have neither entries nor proofs?
pub(super) fn is_empty(conn: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM entries) AND NOT EXISTS (SELECT 1 FROM forgettings)";
    conn.query_row(sql, (), |row| row.get(0))
}

/// Reads the chain, `max` records after the first `skip`. Skips a record that cannot be decoded; `verify` reports it.
pub(crate) fn forgettings(conn: &Connection, skip: usize, max: usize) -> rusqlite::Result<Vec<Forgetting>> {
    let mut query = conn.prepare_cached("SELECT body FROM forgettings ORDER BY number LIMIT ?2 OFFSET ?1")?;
    let (skip, max) = (i64::try_from(skip).unwrap_or(i64::MAX), i64::try_from(max).unwrap_or(i64::MAX));
    let bodies = query.query_map([skip, max], |row| row.get::<_, Vec<u8>>(0))?;
    bodies.filter_map(|body| body.map(|body| Forgetting::decode(&body)).transpose()).collect()
}
