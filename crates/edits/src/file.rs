//! One file of another program, held while it is changed: links are followed, it is locked, its mode is kept, and it is
//! replaced atomically.

use std::fs::{self, DirBuilder, File, Metadata, Permissions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askbridge_platform::files;

use crate::error::Error;

/// Bytes of a settings file. Beyond: refused.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Length of a chain of links. Beyond: an error, as from the system.
const LINKS_MAX: usize = 40;
/// How long another askbridge may hold a file. Beyond: refused.
const PATIENCE: Duration = Duration::from_secs(10);
const BREATH: Duration = Duration::from_millis(5);
/// How long another program's lock may be untouched. Beyond: it counts as abandoned.
const STALE: Duration = Duration::from_secs(12);
/// In the names of our temporary files.
const BESIDE: &str = ".askbridge-";

/// Follows links to the file itself, which need not exist.
pub(crate) fn behind_links(path: &Path) -> Result<PathBuf, Error> {
    let io = || Error::io("follow", path);
    let mut at = std::path::absolute(path).map_err(io())?;
    for _ in 0..LINKS_MAX {
        match fs::read_link(&at) {
            Ok(target) => at = at.parent().unwrap_or(Path::new("/")).join(target),
            Err(error) if error.kind() == ErrorKind::InvalidInput || error.kind() == ErrorKind::NotFound => {
                // The folder may be behind links too, and a file must have one name.
                let folder = at.parent().and_then(|folder| fs::canonicalize(folder).ok());
                return Ok(match (folder, at.file_name()) {
                    (Some(folder), Some(name)) => folder.join(name),
                    _ => at,
                });
            }
            Err(error) => return Err(io()(error)),
        }
    }
    Err(io()(files::too_many_links()))
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    if !file.metadata().map_err(Error::io("read", path))?.is_file() {
        return Err(Error::NotAFile { file: path.to_owned() });
    }
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(Error::io("read", path))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(Error::TooLarge { file: path.to_owned(), max: BYTES_MAX });
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|error| Error::NotText { file: path.to_owned(), at: error.utf8_error().valid_up_to() })
}

/// May the file be changed? Refused also for root, who could: a read-only file is meant to stay as it is.
pub(crate) fn may_change(path: &Path) -> Result<(), Error> {
    let Ok(meta) = fs::metadata(path) else { return Ok(()) };
    let file = path.to_owned();
    if meta.mode() & 0o222 == 0 {
        return Err(Error::ReadOnly { file });
    }
    if meta.nlink() > 1 {
        return Err(Error::HardLinks { file, names: meta.nlink() });
    }
    files::is_writable(path).then_some(()).ok_or(Error::ReadOnly { file })
}

/// A file that no other askbridge changes meanwhile. The lock is on its folder, so that no lock file is left behind.
pub(crate) struct LockedFile {
    path: PathBuf,
    folder: File,
    /// Its own program's lock, if it uses one.
    _theirs: Option<TheirLock>,
    /// Folders that were created for it, the outermost first.
    pub(crate) made: Vec<PathBuf>,
}

impl LockedFile {
    /// Locks a file, whose links have been followed, also with the lock that its own program uses.
    pub(crate) fn hold(path: &Path, locked_by_folder: bool) -> Result<Self, Error> {
        let folder = path.parent().ok_or_else(|| Error::NotAFile { file: path.to_owned() })?;
        let missing: Vec<_> = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        let made: Vec<_> = missing.into_iter().rev().collect();
        // As private as possible: some of these files hold secrets.
        let make = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        make.map_err(Error::io("make the folder", folder))?;
        let handle = File::open(folder).map_err(Error::io("open the folder", folder))?;
        lock(&handle, path)?;
        let theirs = locked_by_folder.then(|| TheirLock::take(path)).transpose()?;
        let held = Self { path: path.to_owned(), folder: handle, _theirs: theirs, made };
        held.clear_up();
        Ok(held)
    }

    /// Replaces the file. Returns `false` if its text is no longer what was read before.
    pub(crate) fn write(&self, before: Option<&str>, text: &str) -> Result<bool, Error> {
        let io = || Error::io("write", &self.path);
        let (folder, prefix) = (self.parent(), self.prefix());
        let mut beside = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder).map_err(io())?;
        beside.write_all(text.as_bytes()).map_err(io())?;
        match fs::metadata(&self.path) {
            Ok(meta) => keep_owner_and_mode(beside.as_file(), &meta).map_err(io())?,
            Err(_) => beside.as_file().set_permissions(Permissions::from_mode(0o600)).map_err(io())?,
        }
        beside.as_file().sync_all().map_err(io())?;
        // Programs that do not use our lock may write too, even between this check and the rename.
        if read(&self.path)?.as_deref() != before {
            return Ok(false);
        }
        beside.persist(&self.path).map_err(|error| io()(error.error))?;
        self.folder.sync_all().map_err(io())?;
        Ok(true)
    }

    /// Removes the file, if its text is still what was read before.
    pub(crate) fn remove(&self, before: Option<&str>) -> Result<bool, Error> {
        if read(&self.path)?.as_deref() != before {
            return Ok(false);
        }
        fs::remove_file(&self.path).map_err(Error::io("remove", &self.path))?;
        self.folder.sync_all().map_err(Error::io("remove", &self.path))?;
        Ok(true)
    }

    /// Removes temporary files of an askbridge that was killed. No other one is active while we hold the lock.
    fn clear_up(&self) {
        let prefix = self.prefix();
        let entries = fs::read_dir(self.parent()).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().as_bytes().starts_with(prefix.as_bytes())) {
            let _ = fs::remove_file(entry.path());
        }
    }

    fn parent(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    fn prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!(".{name}{BESIDE}")
    }
}

/// Removes folders that were created for a file, the innermost first, up to one that is not empty.
pub(crate) fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// A folder `FILE.lock` beside a file: the process that creates it has the lock. Many Node programs lock this way; they
/// touch the folder every few seconds, and take the lock from a process that no longer does.
struct TheirLock(PathBuf);

impl TheirLock {
    fn take(path: &Path) -> Result<Self, Error> {
        let folder = PathBuf::from(format!("{}.lock", path.display()));
        let touched = || fs::metadata(&folder).and_then(|meta| meta.modified()).ok();
        let (mut begun, mut seen) = (Instant::now(), touched());
        loop {
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io("lock", path)(error)),
            }
            std::thread::sleep(BREATH);
            let now = touched();
            if now != seen {
                (begun, seen) = (Instant::now(), now);
            } else if begun.elapsed() > STALE {
                // Its owner is gone. If another process notices too, one of us creates it again.
                let _ = fs::remove_dir(&folder);
            }
        }
    }
}

impl Drop for TheirLock {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

fn lock(folder: &File, path: &Path) -> Result<(), Error> {
    let begun = Instant::now();
    loop {
        let has_time = begun.elapsed() < PATIENCE;
        match folder.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if has_time => std::thread::sleep(BREATH),
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { file: path.to_owned() }),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted && has_time => {}
            Err(TryLockError::Error(error)) => return Err(Error::io("lock the folder of", path)(error)),
        }
    }
}

fn keep_owner_and_mode(file: &File, meta: &Metadata) -> std::io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (meta.uid(), meta.gid()) {
        fchown(file, Some(meta.uid()), Some(meta.gid()))?;
    }
    file.set_permissions(Permissions::from_mode(meta.mode() & 0o7777))
}
