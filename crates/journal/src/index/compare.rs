//! Compares an index with the journal row by row, by building the tables a second time from the entries.

use std::collections::HashSet;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::gist::Gists;
use super::progress::create;
use super::project::IndexWriter;
use super::rank_cache::RankCache;
use crate::cursor::Cursor;
use crate::journal::ReadError;
use crate::sqlite::read_between;

/// Entries that are read at once.
const BATCH: usize = 1024;

/// A row that differs from what the journal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) table: &'static str,
    /// Its key in the table.
    pub(crate) at: String,
    pub(crate) how: &'static str,
}

/// A table to compare.
struct Table {
    name: &'static str,
    /// Sorted the same way on both sides. The first `key` columns are unique.
    sql: &'static str,
    key: usize,
    /// The column with the session's id.
    session: usize,
}

/// How entries are grouped into runs depends on batching, so runs are compared by their entries.
const TABLES: &[Table] = &[
    Table {
        name: "runs",
        sql: "SELECT r.session, r.lane, p.value FROM runs r CROSS JOIN json_each(r.places) p ORDER BY 1, 2, 3",
        key: 3,
        session: 0,
    },
    Table { name: "asks", sql: "SELECT rank, session, asks.* FROM asks ORDER BY 1", key: 1, session: 1 },
    Table { name: "sessions", sql: "SELECT place, session, sessions.* FROM sessions ORDER BY 1", key: 1, session: 1 },
];

/// Runs whose first or last place is not that of their entries.
const BAD_ENDS: &str = "SELECT hex(session), lane, last FROM runs
    WHERE first IS NOT json_extract(places, '$[0]') OR last IS NOT json_extract(places, '$[#-1]')";

/// Compares an index that contains everything up to `up_to` with the journal. The outer error is a database's, the
/// inner one that of an entry that cannot be read.
pub(crate) fn compare(
    index: &Connection,
    journal: &Connection,
    up_to: u64,
    differ: &mut dyn FnMut(Difference),
) -> rusqlite::Result<Result<(), ReadError>> {
    let forgotten = forgotten(journal, up_to)?;
    let expected = match made_anew(journal, up_to)? {
        Ok(expected) => expected,
        Err(error) => return Ok(Err(error)),
    };
    let mut ends = index.prepare(BAD_ENDS)?;
    let mut rows = ends.query(())?;
    while let Some(row) = rows.next()? {
        let at = format!("{} {} {}", row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
        differ(Difference { table: "runs", at, how: "wrong about its ends" });
    }
    for table in TABLES {
        table.compare(index, &expected, &forgotten, differ)?;
    }
    Ok(Ok(()))
}

/// Sessions that were forgotten after the index's last position: it may still have them until it is opened again.
fn forgotten(journal: &Connection, up_to: u64) -> rusqlite::Result<HashSet<Vec<u8>>> {
    let mut query = journal.prepare("SELECT session FROM forgotten WHERE pos >= ?1")?;
    query.query_map([up_to.cast_signed()], |row| row.get(0))?.collect()
}

/// Builds the tables in a temporary file that SQLite deletes with the connection.
fn made_anew(journal: &Connection, up_to: u64) -> rusqlite::Result<Result<Connection, ReadError>> {
    let expected = Connection::open("")?;
    expected.execute_batch("PRAGMA synchronous = OFF")?;
    create(&expected, &Cursor::new(0, vec![up_to]))?;
    let (mut ranks, mut gists, mut at) = (RankCache::default(), Gists::default(), 0);
    loop {
        let stretch = match read_between(journal, at, up_to, BATCH)? {
            Ok(stretch) => stretch,
            Err(error) => return Ok(Err(error)),
        };
        if stretch.entries.is_empty() {
            return Ok(Ok(expected));
        }
        at = stretch.up_to;
        stretch.entries.iter().for_each(|stored| gists.add(stored.position.0, &stored.entry));
        let transaction = expected.unchecked_transaction()?;
        let mut writer = IndexWriter::new(&transaction, &mut ranks);
        writer.take_in(&gists)?;
        writer.finish()?;
        transaction.commit()?;
        gists.clear();
    }
}

type Cells = Vec<Value>;

impl Table {
    fn compare(
        &self,
        index: &Connection,
        expected: &Connection,
        forgotten: &HashSet<Vec<u8>>,
        differ: &mut dyn FnMut(Difference),
    ) -> rusqlite::Result<()> {
        let (mut ours, mut theirs) = (index.prepare(self.sql)?, expected.prepare(self.sql)?);
        let columns = theirs.column_count();
        let cells =
            move |row: &rusqlite::Row<'_>| (0..columns).map(|at| row.get(at)).collect::<rusqlite::Result<Cells>>();
        let is_known = |row: &rusqlite::Result<Cells>| match row {
            Ok(row) => !matches!(&row[self.session], Value::Blob(session) if forgotten.contains(session)),
            Err(_) => true,
        };
        let mut ours = ours.query_map((), cells)?.filter(is_known);
        let mut theirs = theirs.query_map((), cells)?.filter(is_known);
        let (mut found, mut wanted) = (ours.next().transpose()?, theirs.next().transpose()?);
        let mut tell = |row: &Cells, how| differ(Difference { table: self.name, at: shown(&row[..self.key]), how });
        loop {
            let order = match (&found, &wanted) {
                (None, None) => return Ok(()),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(found), Some(wanted)) => order(&found[..self.key], &wanted[..self.key]),
            };
            if order.is_eq() && found != wanted {
                found.iter().for_each(|row| tell(row, "different"));
            } else if order.is_lt() {
                found.iter().for_each(|row| tell(row, "not in the journal"));
            } else if order.is_gt() {
                wanted.iter().for_each(|row| tell(row, "missing"));
            }
            if order.is_le() {
                found = ours.next().transpose()?;
            }
            if order.is_ge() {
                wanted = theirs.next().transpose()?;
            }
        }
    }
}

/// The order that SQLite sorts by: numbers, texts, blobs.
fn order(one: &[Value], two: &[Value]) -> std::cmp::Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Integer(_) | Value::Real(_) => 1,
        Value::Text(_) => 2,
        Value::Blob(_) => 3,
    };
    let mut by_cell = one.iter().zip(two).map(|(one, two)| match (one, two) {
        (Value::Integer(one), Value::Integer(two)) => one.cmp(two),
        (Value::Text(one), Value::Text(two)) => one.cmp(two),
        (Value::Blob(one), Value::Blob(two)) => one.cmp(two),
        (one, two) => rank(one).cmp(&rank(two)),
    });
    by_cell.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

fn shown(key: &[Value]) -> String {
    let cells = key.iter().map(|value| match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Value::Null | Value::Real(_) => "?".to_owned(),
    });
    cells.collect::<Vec<_>>().join(" ")
}
