//! Processes whose parents have ended.

use std::io;

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

/// From now on, what loses its parent below this process becomes a child of this process, also when it has become another
/// program.
pub fn adopt() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Reaps a child that has ended. One that runs is left alone.
pub fn reap(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}
