//! What the system allows this process to have.

use std::io;

use rustix::process::{Resource, Signal, getrlimit, setrlimit};

/// Returns how many files and sockets may be open at once; `None`: any number.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Allows as many open files as this process may allow itself.
pub fn raise_open_files() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

/// Returns how long a file of this process may become (`ulimit -f`); `None`: as long as the disk allows.
pub fn file_bytes() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

/// The number of the signal that a process gets when a file reaches that length. Without a handler it ends the process; with
/// one, the write fails.
pub fn file_bytes_signal() -> i32 {
    Signal::XFSZ.as_raw()
}
