//! Copies one snapshot of a store, however long that takes and however much is appended meanwhile.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::error::BackupError;
use crate::record::FORMAT;
use crate::sqlite::{Error, FILE, Format, format, make_new_file, open_to_read, prepare};
use crate::verify::{Report, verify_copy};

/// Pages that are copied between two progress reports: 1 MiB.
const PAGES_AT_ONCE: i32 = 256;
/// How long to wait for a lock that a checkpoint or a recovery holds, before another try.
const BUSY_WAIT: Duration = Duration::from_millis(20);

/// Progress of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub pages: u64,
    pub of: u64,
}

/// Copies the store in `dir` to the file `to`, and verifies the copy. A server may keep working.
///
/// The report is about the copy. If it finds problems, the store has them too; the copy is kept all the same.
pub fn backup(dir: &Path, to: &Path, progress: impl FnMut(Progress)) -> Result<Report, BackupError> {
    if to.exists() {
        return Err(BackupError::Exists { path: to.to_owned() });
    }
    let part = with_ending(to, ".part");
    let made = copy(&dir.join(FILE), &part, progress).and_then(|()| Ok(verify_copy(&part)?));
    let named = made.and_then(|mut report| {
        fs::rename(&part, to).map_err(BackupError::io("name the copy", to))?;
        sync_folder_of(to)?;
        to.clone_into(&mut report.path);
        Ok(report)
    });
    if named.is_err() {
        let _ = fs::remove_file(&part);
    }
    named
}

/// Copies a store's file to a new one that needs no log beside it, and syncs it.
pub(super) fn copy(from: &Path, to: &Path, progress: impl FnMut(Progress)) -> Result<(), BackupError> {
    // Left by a copy that was interrupted.
    let _ = fs::remove_file(to);
    let source = open_to_read(from).map_err(|error| Error::of(from, error))?;
    // Held until the end: later appends are not part of the snapshot, and do not make SQLite start over.
    source.execute_batch("BEGIN").map_err(|error| Error::of(from, error))?;
    match format(&source).map_err(|error| Error::of(from, error))? {
        Some(Format::Ours(found)) if found > FORMAT => {
            return Err(Error::TooNew { path: from.to_owned(), found, ours: FORMAT }.into());
        }
        Some(Format::Ours(_)) => {}
        None | Some(Format::Foreign) => return Err(Error::NotOurs { path: from.to_owned() }.into()),
    }
    make_new_file(to)?;
    let of = |error| Error::of(to, error);
    copy_pages(&source, to, progress).map_err(of)?;
    // Like the store, the copy is in WAL mode. It must be a single file.
    let whole = open_to_write(to).and_then(|conn| conn.pragma_update(None, "journal_mode", "DELETE"));
    whole.map_err(of)?;
    File::open(to).and_then(|file| file.sync_all()).map_err(BackupError::io("sync", to))
}

fn copy_pages(source: &Connection, to: &Path, mut progress: impl FnMut(Progress)) -> rusqlite::Result<()> {
    let mut target = open_to_write(to)?;
    // Synced once, at the end: a partial copy is discarded.
    target.pragma_update(None, "synchronous", "OFF")?;
    let backup = Backup::new(source, &mut target)?;
    loop {
        let step = backup.step(PAGES_AT_ONCE)?;
        let now = backup.progress();
        let of = u64::try_from(now.pagecount).unwrap_or(0);
        let left = u64::try_from(now.remaining).unwrap_or(0);
        progress(Progress { pages: of.saturating_sub(left), of });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => std::thread::sleep(BUSY_WAIT),
        }
    }
}

pub(super) fn open_to_write(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    prepare(&conn)?;
    Ok(conn)
}

/// Without this, the file's name may be lost in a power failure.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), BackupError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(BackupError::io("sync", folder))
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
