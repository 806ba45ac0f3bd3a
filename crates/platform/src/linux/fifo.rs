//! Named pipes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::io::ioctl_fionread;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

/// Up to here a write is made whole or not at all (`PIPE_BUF`).
pub const ATOMIC_BYTES: usize = 4096;

/// Makes one, for its owner alone.
pub fn make(path: &Path) -> io::Result<()> {
    Ok(mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?)
}

/// Opens one for writing, and for reading too, so that opening never waits and nothing is lost while there is no reader.
pub fn open(path: &Path) -> io::Result<File> {
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new().read(true).write(true).custom_flags(nonblocking).open(path)
}

/// Lets it hold this many bytes. The system bounds what one user may have in pipes.
pub fn enlarge(pipe: &File, bytes: usize) -> io::Result<()> {
    fcntl_setpipe_size(pipe, bytes)?;
    Ok(())
}

/// Returns how many bytes it can hold.
pub fn capacity(pipe: &File) -> io::Result<usize> {
    Ok(fcntl_getpipe_size(pipe)?)
}

/// Returns how many bytes wait in it for a reader.
pub fn unread_bytes(pipe: &File) -> io::Result<u64> {
    Ok(ioctl_fionread(pipe)?)
}
