//! One process that may not be our child: is it there, has it ended, make it end.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

use super::family::Families;
use crate::auth::ProcessId;

/// How long a process may take to end when asked to. Beyond: it is killed, with everything in its group.
const END_MAX: Duration = Duration::from_secs(5);

/// A process that runs, held so that its id cannot come to mean another one.
#[derive(Debug)]
pub(crate) struct Running {
    pub(super) id: ProcessId,
    pidfd: AsyncFd<OwnedFd>,
}

impl Running {
    /// Takes hold of a process. `None`: it is gone.
    pub(crate) fn hold(id: ProcessId) -> io::Result<Option<Self>> {
        let Some(pid) = pid(id) else { return Ok(None) };
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(rustix::io::Errno::SRCH) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        // Only now is it certain that what we hold is what we looked for.
        if !id.is_alive() {
            return Ok(None);
        }
        Ok(Some(Self { id, pidfd: watched(pidfd)? }))
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self) {
        // An error means that it can no longer be watched; whoever looks will find it dead or alive.
        let _ = self.pidfd.readable().await;
    }

    /// Asks it to end, then makes it.
    pub(super) async fn end(&self) {
        let family = Families::look().map(|all| all.of(self.id.pid).map(|member| member.id).collect::<Vec<_>>());
        let _ = pidfd_send_signal(self.pidfd.get_ref(), Signal::TERM);
        if timeout(END_MAX, self.ended()).await.is_err() {
            let _ = pidfd_send_signal(self.pidfd.get_ref(), Signal::KILL);
            self.ended().await;
        }
        // What it started in its own group has nobody left to report to.
        if let Some(pid) = pid(self.id) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        // And what it started elsewhere; the start time tells a process from another that has its number now.
        for left in family.unwrap_or_default().into_iter().filter(|left| left.is_alive()) {
            if let Some(pid) = pid(left) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
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
