//! The shelf as a table.

use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::schema::{meta, set_meta};
use crate::shelf::{Expect, Item, Revision, ShelfChange, ShelfError};

/// A change of the shelf, for the writer.
#[derive(Debug)]
pub(crate) enum Change {
    Put { key: String, value: Vec<u8>, expect: Expect, expires_at: Option<Timestamp>, now: Timestamp },
    Delete { key: String, expect: Expect },
    Take { key: String, now: Timestamp },
    Sweep { now: Timestamp },
}

/// The result of a [`Change`].
#[derive(Debug)]
pub(crate) enum Changed {
    Put(Revision),
    Deleted,
    Taken(Option<Item>),
    Swept(usize),
}

/// Makes a change, and adds what watchers are told of it. The outer error is the database's and rolls the transaction
/// back; the inner one changes nothing.
pub(crate) fn change(
    conn: &Connection,
    change: &Change,
    told: &mut Vec<ShelfChange>,
) -> rusqlite::Result<Result<Changed, ShelfError>> {
    Ok(match change {
        Change::Put { key, value, expect, expires_at, now } => {
            if !holds(conn, key, *expect, Some(*now))? {
                return Ok(Err(ShelfError::Conflict { key: key.clone() }));
            }
            let revision = next_revision(conn)?;
            conn.prepare_cached(
                "INSERT OR REPLACE INTO shelf (key, value, revision, expires_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![key, value, revision.0.cast_signed(), expires_at.map(|at| at.0)])?;
            let item = Item { key: key.clone(), value: value.as_slice().into(), revision, expires_at: *expires_at };
            told.push(ShelfChange { key: key.clone(), revision, item: Some(item) });
            Ok(Changed::Put(revision))
        }
        Change::Delete { key, expect } => {
            if !holds(conn, key, *expect, None)? {
                return Ok(Err(ShelfError::Conflict { key: key.clone() }));
            }
            told.extend(remove(conn, key)?);
            Ok(Changed::Deleted)
        }
        Change::Take { key, now } => {
            let item = find(conn, key)?;
            if item.is_some() {
                told.extend(remove(conn, key)?);
            }
            Ok(Changed::Taken(item.filter(|item| item.is_there(*now))))
        }
        Change::Sweep { now } => {
            let mut sweep = conn.prepare_cached("DELETE FROM shelf WHERE expires_at <= ?1 RETURNING key")?;
            let swept = sweep.query_map([now.0], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
            let count = swept.len();
            for key in swept {
                told.push(ShelfChange { key, revision: next_revision(conn)?, item: None });
            }
            Ok(Changed::Swept(count))
        }
    })
}

fn holds(conn: &Connection, key: &str, expect: Expect, now: Option<Timestamp>) -> rusqlite::Result<bool> {
    if expect == Expect::Any {
        return Ok(true);
    }
    let item = find(conn, key)?.filter(|item| now.is_none_or(|now| item.is_there(now)));
    Ok(match expect {
        Expect::Any => true,
        Expect::Absent => item.is_none(),
        Expect::Revision(revision) => item.is_some_and(|item| item.revision == revision),
    })
}

/// Removes a key. Returns what watchers are told, if it was there.
fn remove(conn: &Connection, key: &str) -> rusqlite::Result<Option<ShelfChange>> {
    if conn.prepare_cached("DELETE FROM shelf WHERE key = ?1")?.execute([key])? == 0 {
        return Ok(None);
    }
    Ok(Some(ShelfChange { key: key.to_owned(), revision: next_revision(conn)?, item: None }))
}

fn next_revision(conn: &Connection) -> rusqlite::Result<Revision> {
    let revision = meta(conn, "shelf_revision")?.unwrap_or(0) + 1;
    set_meta(conn, "shelf_revision", revision)?;
    Ok(Revision(revision.cast_unsigned()))
}

/// Returns everything below a prefix, expired or not, and the revision of the whole shelf, both from one snapshot.
pub(crate) fn snapshot(conn: &Connection, prefix: &str) -> rusqlite::Result<(Vec<Item>, Revision)> {
    let moment = conn.unchecked_transaction()?;
    let revision = meta(&moment, "shelf_revision")?.unwrap_or(0).cast_unsigned();
    let items = everything(&moment, prefix)?;
    moment.finish()?;
    Ok((items, Revision(revision)))
}

pub(crate) fn find(conn: &Connection, key: &str) -> rusqlite::Result<Option<Item>> {
    let mut query = conn.prepare_cached("SELECT key, value, revision, expires_at FROM shelf WHERE key = ?1")?;
    query.query_row([key], item).optional()
}

pub(crate) fn list(conn: &Connection, prefix: &str, now: Timestamp) -> rusqlite::Result<Vec<Item>> {
    let mut items = everything(conn, prefix)?;
    items.retain(|item| item.is_there(now));
    Ok(items)
}

fn everything(conn: &Connection, prefix: &str) -> rusqlite::Result<Vec<Item>> {
    let mut query =
        conn.prepare_cached("SELECT key, value, revision, expires_at FROM shelf WHERE key >= ?1 ORDER BY key")?;
    let mut rows = query.query([prefix])?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        if !row.get_ref(0)?.as_str()?.starts_with(prefix) {
            break;
        }
        items.push(item(row)?);
    }
    Ok(items)
}

fn item(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        key: row.get(0)?,
        value: Arc::from(row.get_ref(1)?.as_blob()?),
        revision: Revision(row.get::<_, i64>(2)?.cast_unsigned()),
        expires_at: row.get::<_, Option<i64>>(3)?.map(Timestamp),
    })
}
