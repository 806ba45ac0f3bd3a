//! Exports everything in a store as text.

use std::io::{self, Write};
use std::path::Path;

use crate::fault::Fault;
use crate::journal::ReadError;
use crate::record::write_line;
use crate::sqlite::{COLUMNS, Error, FILE, open_to_read, stored};
use crate::verify::last_position;

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("could not read the journal")]
    Read(#[source] Fault),
    #[error("could not write the export")]
    Write(#[source] io::Error),
}

/// Writes one line of JSON per entry, in order of positions. Returns how many.
///
/// Works on one snapshot of the store, so a server may keep writing.
pub fn export(dir: &Path, out: impl Write) -> Result<u64, ExportError> {
    export_and_tell(dir, out, &mut |_, _| {})
}

/// The same, and reports progress after each entry, as [`crate::verify_and_tell`] does.
pub fn export_and_tell(dir: &Path, mut out: impl Write, tell: &mut dyn FnMut(u64, u64)) -> Result<u64, ExportError> {
    let path = dir.join(FILE);
    let read = |source| ExportError::Read(Fault::new(Error::of(&path, source)));
    let conn = open_to_read(&path).map_err(read)?;
    let mut query = conn.prepare(&format!("SELECT {COLUMNS} FROM entries ORDER BY pos")).map_err(read)?;
    let mut rows = query.query(()).map_err(read)?;
    let last = last_position(&conn).map_err(read)?;
    let mut lines = 0;
    while let Some(row) = rows.next().map_err(read)? {
        let stored = stored(row).map_err(read)?;
        let stored = stored.map_err(|error: ReadError| ExportError::Read(Fault::new(error)))?;
        let line = write_line(&stored.entry, Some(stored.position));
        writeln!(out, "{line}").map_err(ExportError::Write)?;
        lines += 1;
        tell(lines.min(last), last);
    }
    out.flush().map_err(ExportError::Write)?;
    Ok(lines)
}
