//! Processes whose parents have exited.

use std::io;

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

/// From now on, orphaned descendants of this process become its children, even after it executes another program.
pub fn adopt() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Reaps a child that has exited. A running one is left alone.
pub fn reap(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}
