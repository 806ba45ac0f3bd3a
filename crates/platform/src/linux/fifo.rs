//! Named pipes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::io::ioctl_fionread;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

/// Up to this size a write is atomic (`PIPE_BUF`).
pub const ATOMIC_BYTES: usize = 4096;

/// Creates one, for its owner alone.
pub fn make(path: &Path) -> io::Result<()> {
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

/// Opens one for writing, and for reading too, so that opening never blocks and nothing is lost while there is no
/// reader.
pub fn open(path: &Path) -> io::Result<File> {
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new().read(true).write(true).custom_flags(nonblocking).open(path)
}

/// Sets its capacity in bytes. The system limits how much one user may have in pipes.
pub fn enlarge(pipe: &File, bytes: usize) -> io::Result<()> {
    fcntl_setpipe_size(pipe, bytes)?;
    Ok(())
}

/// Returns its capacity in bytes.
pub fn capacity(pipe: &File) -> io::Result<usize> {
    Ok(fcntl_getpipe_size(pipe)?)
}

/// Returns how many bytes are unread.
pub fn unread_bytes(pipe: &File) -> io::Result<u64> {
    Ok(ioctl_fionread(pipe)?)
}
