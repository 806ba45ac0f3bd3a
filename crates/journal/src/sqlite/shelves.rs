//! The shelf as a table.

use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::schema::{meta, set_meta};
use crate::shelf::{Expect, Item, Revision, ShelfError};

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

/// Makes a change. The outer error is the database's and rolls the transaction back; the inner one changes nothing.
pub(crate) fn change(conn: &Connection, change: &Change) -> rusqlite::Result<Result<Changed, ShelfError>> {
    Ok(match change {
        Change::Put { key, value, expect, expires_at, now } => {
            if !holds(conn, key, *expect, Some(*now))? {
                return Ok(Err(ShelfError::Conflict { key: key.clone() }));
            }
            let revision = meta(conn, "shelf_revision")?.unwrap_or(0) + 1;
            set_meta(conn, "shelf_revision", revision)?;
            conn.prepare_cached(
                "INSERT OR REPLACE INTO shelf (key, value, revision, expires_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![key, value, revision, expires_at.map(|at| at.0)])?;
            Ok(Changed::Put(Revision(revision.cast_unsigned())))
        }
        Change::Delete { key, expect } => {
            if !holds(conn, key, *expect, None)? {
                return Ok(Err(ShelfError::Conflict { key: key.clone() }));
            }
            remove(conn, key)?;
            Ok(Changed::Deleted)
        }
        Change::Take { key, now } => {
            let item = find(conn, key)?;
            if item.is_some() {
                remove(conn, key)?;
            }
            Ok(Changed::Taken(item.filter(|item| item.is_there(*now))))
        }
        Change::Sweep { now } => {
            let swept = conn.prepare_cached("DELETE FROM shelf WHERE expires_at <= ?1")?.execute([now.0])?;
            Ok(Changed::Swept(swept))
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

fn remove(conn: &Connection, key: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM shelf WHERE key = ?1")?.execute([key]).map(|_| ())
}

pub(crate) fn find(conn: &Connection, key: &str) -> rusqlite::Result<Option<Item>> {
    let mut query = conn.prepare_cached("SELECT key, value, revision, expires_at FROM shelf WHERE key = ?1")?;
    query.query_row([key], item).optional()
}

pub(crate) fn list(conn: &Connection, prefix: &str, now: Timestamp) -> rusqlite::Result<Vec<Item>> {
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
    items.retain(|item| item.is_there(now));
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
