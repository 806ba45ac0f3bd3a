//! The lock file: one process per store.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::error::Error;

/// Held while a store is open. The operating system releases it when the process dies, however it dies.
#[derive(Debug)]
pub(crate) struct Lock(File);

const FILE: &str = "lock";
/// Written after the process id by a process that is about to release the lock.
const LEAVING: &str = "leaving";

impl Lock {
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(FILE);
        let io = |what| {
            let path = path.clone();
            move |source| Error::Io { what, path, source }
        };
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = open.map_err(io("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The text is only a hint; the lock is what counts.
                let _ = file.read_to_string(&mut text);
                let mut words = text.split_whitespace();
                let pid = words.next().unwrap_or("unknown").to_owned();
                return Err(Error::InUse { path, pid, leaving: words.next() == Some(LEAVING) });
            }
            Err(TryLockError::Error(source)) => return Err(io("lock")(source)),
        }
        file.set_len(0).map_err(io("write"))?;
        file.rewind().map_err(io("write"))?;
        writeln!(file, "{}", std::process::id()).map_err(io("write"))?;
        Ok(Self(file))
    }

    /// Says that the lock will soon be free, so that a starting server waits for it.
    pub(super) fn leaving(&self) {
        let text = format!("{} {LEAVING}\n", std::process::id());
        // Without this text a starting server does not wait, which does no harm.
        let _ = self.0.write_all_at(text.as_bytes(), 0);
    }
}
