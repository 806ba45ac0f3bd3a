//! One file of another program, held while it is changed: links followed, locked, its mode kept, old or new and never
//! half.

use std::fs::{self, DirBuilder, File, Metadata, Permissions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use askbridge_platform::files;

use crate::error::Error;

/// Bytes of settings. Beyond: refused.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Links that lead to links. Beyond: they lead nowhere.
const LINKS_MAX: usize = 40;
/// How long another askbridge may take for a file. Beyond: refused.
const PATIENCE: Duration = Duration::from_secs(10);
const BREATH: Duration = Duration::from_millis(5);
/// How long another program's lock may lie untouched. Beyond: it was left behind.
const STALE: Duration = Duration::from_secs(12);
/// How what we write beside a file is named, before it takes its place.
const BESIDE: &str = ".askbridge-";

/// Follows links to the file itself, which need not be there.
pub(crate) fn behind_links(path: &Path) -> Result<PathBuf, Error> {
    let io = || Error::io("follow", path);
    let mut at = std::path::absolute(path).map_err(io())?;
    for _ in 0..LINKS_MAX {
        match fs::read_link(&at) {
            Ok(target) => at = at.parent().unwrap_or(Path::new("/")).join(target),
            Err(error) if error.kind() == ErrorKind::InvalidInput || error.kind() == ErrorKind::NotFound => {
                // The folder may be behind links too, and one file should have one name.
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

/// Reads a file; `None` if there is none.
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

/// May it be changed? Also for root, to whom everything is writable: read-only is what somebody meant.
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

/// A file that nobody else of us changes meanwhile. The lock is on its folder, so that nothing is left lying about.
pub(crate) struct Held {
    path: PathBuf,
    folder: File,
    /// Its own program's lock, where it has one.
    _theirs: Option<TheirLock>,
    /// Folders that were made for it, the outermost first.
    pub(crate) made: Vec<PathBuf>,
}

impl Held {
    /// Takes hold of a file behind links, and of the lock that its own program uses.
    pub(crate) fn hold(path: &Path, locked_by_folder: bool) -> Result<Self, Error> {
        let folder = path.parent().ok_or_else(|| Error::NotAFile { file: path.to_owned() })?;
        let missing: Vec<_> = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        let made: Vec<_> = missing.into_iter().rev().collect();
        // As private as can be: some of these files hold secrets.
        let make = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        make.map_err(Error::io("make the folder", folder))?;
        let handle = File::open(folder).map_err(Error::io("open the folder", folder))?;
        lock(&handle, path)?;
        let theirs = locked_by_folder.then(|| TheirLock::take(path)).transpose()?;
        let held = Self { path: path.to_owned(), folder: handle, _theirs: theirs, made };
        held.clear_up();
        Ok(held)
    }

    /// Puts a text in the place of what is there. Says `false` if that is no longer what was read before.
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
        // Programs that know nothing of our lock write as well. Between this look and the next line they could still.
        if read(&self.path)?.as_deref() != before {
            return Ok(false);
        }
        beside.persist(&self.path).map_err(|error| io()(error.error))?;
        self.folder.sync_all().map_err(io())?;
        Ok(true)
    }

    /// Removes the file, if it is still what was read before.
    pub(crate) fn remove(&self, before: Option<&str>) -> Result<bool, Error> {
        if read(&self.path)?.as_deref() != before {
            return Ok(false);
        }
        fs::remove_file(&self.path).map_err(Error::io("remove", &self.path))?;
        self.folder.sync_all().map_err(Error::io("remove", &self.path))?;
        Ok(true)
    }

    /// What one of us left behind that was killed. Nobody else is at work while we hold the lock.
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

/// Removes folders that were made for a file, the innermost first, as far as nothing else is in them.
pub(crate) fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// A folder `FILE.lock` beside a file: whoever could make it has the lock. Many programs in Node do it so; they touch it
/// every few seconds, and take it from whoever has stopped to.
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
                // Its owner is gone. If somebody else notices as well, one of us makes it anew.
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
