//! Waits for a process that need not be a child of ours, and ends it.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::processes::ProcessId;

/// A running process, held by a pidfd so that its id cannot come to mean another one.
#[derive(Debug)]
pub struct HeldProcess {
    pub id: ProcessId,
    pidfd: AsyncFd<OwnedFd>,
}

impl HeldProcess {
    /// Opens a process. `None` if it is gone.
    pub fn hold(id: ProcessId) -> io::Result<Option<Self>> {
        let Some(pid) = pid(id) else { return Ok(None) };
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(rustix::io::Errno::SRCH) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // Only now is it certain that the pidfd is of the process we looked for.
        if !id.is_alive() {
            return Ok(None);
        }
        Ok(Some(Self { id, pidfd: watched(pidfd)? }))
    }

    /// Waits until it has exited.
    pub async fn ended(&self) {
        // An error means that it can no longer be watched; the next check finds it dead or alive.
        let _ = self.pidfd.readable().await;
    }

    /// Sends SIGTERM. Does nothing if it has exited.
    pub fn terminate(&self) {
        let _ = pidfd_send_signal(self.pidfd.get_ref(), Signal::TERM);
    }

    /// Sends SIGKILL.
    pub fn kill(&self) {
        let _ = pidfd_send_signal(self.pidfd.get_ref(), Signal::KILL);
    }

    /// Sends SIGKILL to its process group, also if it has exited itself.
    pub fn kill_group(&self) {
        if let Some(pid) = pid(self.id) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Kills a process, if it is still the same one.
pub fn kill(id: ProcessId) {
    if let Some(pid) = pid(id).filter(|_| id.is_alive()) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[expect(
    deprecated,
    reason = "an owned descriptor stays the same one, which is all that the unsafe successor asks for"
)]
fn watched(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(pidfd, Interest::READABLE)
}

fn pid(id: ProcessId) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id.pid).ok()?)
}
