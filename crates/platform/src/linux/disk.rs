//! Free space on a disk.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

/// Returns how many bytes an ordinary user may still write on the file system of `path`.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let disk = statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
