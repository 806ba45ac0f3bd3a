//! Makes the data folder private to its user when the server starts. Files from a copy, or a folder that was made by
//! hand, are often readable by others.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tracing::warn;

/// Prefixes of our own files in the data folder, which may hold others if the user chose such a folder.
const OURS: &[&str] = &[
    "token",
    "connection",
    "node-id",
    "lock",
    "run",
    "installed",
    "tls",
    "askbridge.db",
    "index.db",
    "index-copy.db",
    "restoring.db",
    "watermark",
    "before-restore-",
];
/// The permission bits of everyone but the owner.
const OTHERS: u32 = 0o077;
/// How deep our own folders are searched. Beyond: nothing of ours is there.
const DEPTH_MAX: usize = 6;

/// Removes the permissions of others from the data folder and from our files in it. Each change is logged; a file that
/// cannot be changed is left as it is.
pub(crate) fn keep_private(data: &Path) {
    let changed = tighten(data).into_iter().chain(ours(data).into_iter().flat_map(|path| within(path, DEPTH_MAX)));
    for (path, result) in changed {
        let path = path.display();
        match result {
            Ok(mode) => warn!(%path, "`{path}` was open to other users (mode {mode:o}); it is not any more"),
            Err(error) => warn!(%path, %error, "`{path}` is open to other users, and that could not be changed"),
        }
    }
}

type Tightened = (PathBuf, io::Result<u32>);

fn ours(data: &Path) -> Vec<PathBuf> {
    let is_ours = |name: &str| OURS.iter().any(|ours| name.starts_with(ours));
    let entries = fs::read_dir(data).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_ours)).map(|entry| entry.path()).collect()
}

/// Tightens a path and what is in it. A folder that is already private protects its content, so it is not searched.
fn within(path: PathBuf, depth: usize) -> Vec<Tightened> {
    let Some(tightened) = tighten(&path) else { return Vec::new() };
    let mut changed = vec![tightened];
    if depth > 0 && path.is_dir() {
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        changed.extend(entries.flat_map(|entry| within(entry.path(), depth - 1)));
    }
    changed
}

/// Returns a file's or a folder's former permissions, if they were too wide. Links are not followed; their targets are
/// not ours.
fn tighten(path: &Path) -> Option<Tightened> {
    let meta = path.symlink_metadata().ok()?;
    let mode = meta.permissions().mode() & 0o7777;
    if mode & OTHERS == 0 || !(meta.is_file() || meta.is_dir()) {
        return None;
    }
    let set = fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS));
    Some((path.to_owned(), set.map(|()| mode)))
}
