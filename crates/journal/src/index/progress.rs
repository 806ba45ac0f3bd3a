//! The cursor of an index, and its format number.

use rusqlite::{Connection, OptionalExtension};

use super::tables::TABLES;
use crate::cursor::Cursor;

/// Changes with the tables and their content. An index with another number is rebuilt.
const SHAPE: i64 = 2;

/// Creates the tables of an index that contains everything up to `cursor`.
pub(crate) fn create(conn: &Connection, cursor: &Cursor) -> rusqlite::Result<()> {
    let transaction = conn.unchecked_transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.execute("INSERT INTO index_meta VALUES ('shape', ?1)", [SHAPE])?;
    save_cursor(&transaction, cursor)?;
    transaction.commit()
}

/// Returns the cursor of an index in a file of its own; `None` if it cannot be used.
pub(crate) fn load_cursor(conn: &Connection) -> rusqlite::Result<Option<Cursor>> {
    let mut query = conn.prepare_cached("SELECT value FROM index_meta WHERE key = ?1")?;
    let shape: Option<i64> = query.query_row(["shape"], |row| row.get(0)).optional()?;
    let cursor: Option<String> = query.query_row(["cursor"], |row| row.get(0)).optional()?;
    Ok(cursor.filter(|_| shape == Some(SHAPE)).and_then(|cursor| cursor.parse().ok()))
}

pub(crate) fn save_cursor(conn: &Connection, cursor: &Cursor) -> rusqlite::Result<()> {
    let mut save = conn.prepare_cached("INSERT OR REPLACE INTO index_meta (key, value) VALUES ('cursor', ?1)")?;
    save.execute([cursor.to_string()])?;
    Ok(())
}
