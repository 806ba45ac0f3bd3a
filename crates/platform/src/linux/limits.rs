//! Resource limits of this process.

use std::io;

use rustix::process::{Resource, Signal, getrlimit, setrlimit};

/// Returns how many files and sockets may be open at once; `None` if there is no limit.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Raises the limit of open files as far as this process may.
pub fn raise_open_files() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

/// Returns how large a file of this process may become (`ulimit -f`); `None` if there is no limit.
pub fn file_bytes() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

/// The number of the signal that a process gets at that file size. Without a handler it ends the process; with one, the
/// write fails.
pub fn file_bytes_signal() -> i32 {
    Signal::XFSZ.as_raw()
}
