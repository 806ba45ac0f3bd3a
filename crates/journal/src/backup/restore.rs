//! Restores a copy to a folder. The store that was there is kept.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::copy::{Progress, copy, open_to_write, sync_folder_of, with_ending};
use super::error::BackupError;
use crate::sqlite::{
    Error, FILE, Format, INDEX_FILE, Lock, WATERMARK_FILE, format, make_folder, rewrite, seal_of, set_meta,
};
use crate::verify::{Report, verify_copy};

/// What to do with a store that exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Refuse,
    /// It is moved into a folder of its own, beside the new one.
    SetAside,
}

#[derive(Debug)]
pub struct Restored {
    pub report: Report,
    /// Where the former store is now.
    pub aside: Option<PathBuf>,
}

/// Restores the copy `from` to the folder `dir`. Refuses while a server uses it.
///
/// The store gets a new id, `identity`: positions that were used after the copy was made will be reused for other
/// entries, so older cursors must no longer be accepted.
pub fn restore(
    from: &Path,
    dir: &Path,
    identity: u64,
    existing: Existing,
    progress: impl FnMut(Progress),
) -> Result<Restored, BackupError> {
    fs::metadata(from).map_err(BackupError::io("read", from))?;
    make_folder(dir)?;
    let _lock = Lock::take(dir)?;
    let (store, fresh) = (dir.join(FILE), dir.join("restoring.db"));
    if store.exists() && existing == Existing::Refuse {
        return Err(BackupError::StoreExists { dir: dir.to_owned() });
    }
    let made = copy(from, &fresh, progress).and_then(|()| {
        let renamed = open_to_write(&fresh).and_then(|conn| {
            set_meta(&conn, "identity", identity.cast_signed())?;
            // No server waits for it yet, so even a large store of an earlier release is rewritten to be able to
            // shrink.
            rewrite(&conn).map(drop)
        });
        renamed.map_err(|error| Error::of(&fresh, error))?;
        let report = verify_copy(&fresh)?;
        match report.problems.first() {
            None => Ok(report),
            Some(first) => Err(BackupError::NotGood { path: from.to_owned(), first: first.clone() }),
        }
    });
    let placed = made.and_then(|mut report| {
        let aside = if store.exists() { Some(set_aside(dir, &store)?) } else { None };
        remove_companions(dir, &store)?;
        fs::rename(&fresh, &store).map_err(BackupError::io("put the copy in its place as", &store))?;
        sync_folder_of(&store)?;
        report.path = store;
        Ok(Restored { report, aside })
    });
    if placed.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    placed
}

/// Hard-links the store's files, so that the folder has a store at every moment.
fn set_aside(dir: &Path, store: &Path) -> Result<PathBuf, BackupError> {
    let mut aside = (1..).map(|number: u32| dir.join(format!("before-restore-{number}")));
    let aside = aside.find(|folder| !folder.exists()).expect("there are more numbers than folders");
    make_folder(&aside)?;
    for ending in ["", "-wal"] {
        let (old, kept) = (with_ending(store, ending), with_ending(&aside.join(FILE), ending));
        if_there(fs::hard_link(&old, &kept)).map_err(BackupError::io("keep", &old))?;
    }
    sync_folder_of(&aside.join(FILE))?;
    Ok(aside)
}

/// Removes the files that belong to the former store alone: its log, which SQLite would apply to any store, its index
/// and its watermark.
fn remove_companions(dir: &Path, store: &Path) -> Result<(), BackupError> {
    ["-wal", "-shm"].iter().try_for_each(|ending| remove(&with_ending(store, ending)))?;
    forget_former(dir)
}

fn forget_former(dir: &Path) -> Result<(), BackupError> {
    let index = dir.join(INDEX_FILE);
    remove(&seal_of(&index))?;
    ["-wal", "-shm", ""].iter().try_for_each(|ending| remove(&with_ending(&index, ending)))?;
    remove(&dir.join(WATERMARK_FILE))
}

fn remove(path: &Path) -> Result<(), BackupError> {
    if_there(fs::remove_file(path)).map_err(BackupError::io("remove", path))
}

/// Accepts the store in `dir` as it is, although it is known to have been longer, or to have been another: the operator
/// put it there on purpose. Refuses while a server uses it.
///
/// It gets a new id, `identity`, like a restored store.
pub fn accept(dir: &Path, identity: u64) -> Result<(), BackupError> {
    let _lock = Lock::take(dir)?;
    let store = dir.join(FILE);
    if store.exists() {
        let named = open_to_write(&store).and_then(|conn| match format(&conn)? {
            Some(Format::Ours(_)) => set_meta(&conn, "identity", identity.cast_signed()),
            // It is empty: it gets an id when it is created.
            _ => Ok(()),
        });
        named.map_err(|error| Error::of(&store, error))?;
    }
    forget_former(dir)
}

fn if_there(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
