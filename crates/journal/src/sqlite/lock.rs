//! One process per store.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::error::Error;

/// Held while a store is open. The system lets go of it when the process dies, however it dies.
#[derive(Debug)]
pub(super) struct Lock(#[allow(dead_code, reason = "held, never read")] File);

const FILE: &str = "lock";

impl Lock {
    pub(super) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(FILE);
        let io = |what| {
            let path = path.clone();
            move |source| Error::Io { what, path, source }
        };
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(io("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                // The number is a courtesy; the lock is what counts.
                let _ = file.read_to_string(&mut pid);
                let pid = if pid.trim().is_empty() { "unknown" } else { pid.trim() }.to_owned();
                return Err(Error::InUse { path, pid });
            }
            Err(TryLockError::Error(source)) => return Err(io("lock")(source)),
        }
        file.set_len(0).map_err(io("write"))?;
        file.rewind().map_err(io("write"))?;
        writeln!(file, "{}", std::process::id()).map_err(io("write"))?;
        Ok(Self(file))
    }
}
