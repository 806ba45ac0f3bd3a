//! How much space a store takes, and returning free pages to the disk in small steps.
//!
//! SQLite keeps free pages and reuses them; a file shrinks only with `auto_vacuum`, which must be set before the first
//! table. Our files have it. A file of an earlier release is rewritten once, when it is opened, if that takes only a
//! moment; a large one stays as it is, and its free pages are reused.

use std::path::Path;

use rusqlite::Connection;

/// Incremental: pages are returned when we say so, not at every commit.
const INCREMENTAL: i64 = 2;
/// Bytes of a file of an earlier release that is rewritten when it is opened. Beyond: it stays as it is.
const REWRITE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The disk space of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Space {
    /// Bytes of the journal, free ones included.
    pub journal: u64,
    /// Bytes of the index, free ones included.
    pub index: u64,
    /// Bytes of both that are free.
    pub free: u64,
    /// Can free pages be returned to the disk? If not, they are only reused.
    pub shrinks: bool,
}

impl Space {
    /// Returns how many bytes are in use.
    pub fn used(&self) -> u64 {
        (self.journal + self.index).saturating_sub(self.free)
    }
}

/// Lets a new file shrink. Has no effect on one with tables.
pub(super) fn let_shrink(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "auto_vacuum", INCREMENTAL)
}

/// Rewrites a file that cannot shrink, if it is small. No other process has it open yet.
pub(super) fn rewrite_if_small(conn: &Connection, path: &Path) {
    let small = pages(conn, "main").and_then(|(pages, ..)| Ok(pages * page_bytes(conn, "main")? <= REWRITE_BYTES_MAX));
    match small.and_then(|small| if small { rewrite(conn) } else { Ok(false) }) {
        Ok(true) => {
            tracing::info!(path = %path.display(), "Rewrote the journal once, so that it can shrink from now on")
        }
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "Could not rewrite the journal so that it can shrink; it goes on as it is");
        }
    }
}

/// Rewrites a file that cannot shrink. Returns whether it had to.
pub(crate) fn rewrite(conn: &Connection) -> rusqlite::Result<bool> {
    if pages(conn, "main")?.2 == INCREMENTAL {
        return Ok(false);
    }
    let_shrink(conn)?;
    conn.execute_batch("VACUUM")?;
    Ok(true)
}

/// Returns free pages at the end of a file to the disk, at most `most`. Returns how many free pages are left, or zero
/// if this file cannot shrink. The file gets shorter at the next checkpoint.
pub(super) fn give_back(conn: &Connection, schema: &str, most: u32) -> rusqlite::Result<u64> {
    let (_, free, mode) = pages(conn, schema)?;
    if mode != INCREMENTAL || free == 0 {
        return Ok(0);
    }
    let mut vacuum = conn.prepare(&format!("PRAGMA {schema}.incremental_vacuum({most})"))?;
    let mut rows = vacuum.query(())?;
    while rows.next()?.is_some() {}
    Ok(pages(conn, schema)?.1)
}

/// Measures an index and the journal attached to it.
pub(crate) fn measure(conn: &Connection) -> rusqlite::Result<Space> {
    let mut space = Space::default();
    for (schema, bytes) in [("journal", &mut space.journal), ("main", &mut space.index)] {
        let (pages, free, mode) = pages(conn, schema)?;
        let each = page_bytes(conn, schema)?;
        *bytes = pages * each;
        space.free += free * each;
        space.shrinks |= schema == "journal" && mode == INCREMENTAL;
    }
    Ok(space)
}

/// Returns the number of pages, of free ones, and the `auto_vacuum` mode.
fn pages(conn: &Connection, schema: &str) -> rusqlite::Result<(u64, u64, i64)> {
    let number = |pragma: &str| conn.query_row(&format!("PRAGMA {schema}.{pragma}"), (), |row| row.get::<_, i64>(0));
    Ok((number("page_count")?.cast_unsigned(), number("freelist_count")?.cast_unsigned(), number("auto_vacuum")?))
}

fn page_bytes(conn: &Connection, schema: &str) -> rusqlite::Result<u64> {
    conn.query_row(&format!("PRAGMA {schema}.page_size"), (), |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}
