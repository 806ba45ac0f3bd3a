//! The process at the other end of a connection, held from the moment the connection was accepted.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::processes::ProcessId;

/// A process that stays the same one: after it has exited, its id may belong to another, which is not it.
#[derive(Debug)]
pub struct Pinned {
    pub id: ProcessId,
    /// Becomes readable when the process exits. `None` if the system has no pidfds (Linux before 5.3, some sandboxes):
    /// then the start time alone tells one process from the next.
    pidfd: Option<OwnedFd>,
}

impl Pinned {
    /// Pins the process that has this id now. `None` if it has exited already.
    pub fn hold(pid: u32) -> Option<Self> {
        let number = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let pidfd = pidfd_open(number, PidfdFlags::empty()).ok();
        let pinned = Self { id: ProcessId::of(pid)?, pidfd };
        // What `/proc` said is about the pinned process only if that one is still alive.
        pinned.is_alive().then_some(pinned)
    }

    /// Is this process still running?
    pub fn is_alive(&self) -> bool {
        let Some(pidfd) = &self.pidfd else { return self.id.is_alive() };
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut asked = [PollFd::new(pidfd, PollFlags::IN)];
        // When in doubt, it has exited.
        matches!(poll(&mut asked, Some(&at_once)), Ok(0))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_has_ended_is_not_alive_although_its_number_is_still_taken() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let pinned = Pinned::hold(child.id()).unwrap();
        assert!(pinned.is_alive());
        rustix::process::kill_process(Pid::from_child(&child), rustix::process::Signal::KILL).unwrap();
        // Until it is reaped, it keeps its id.
        let mut asked = [PollFd::new(pinned.pidfd.as_ref().unwrap(), PollFlags::IN)];
        poll(&mut asked, None).unwrap();
        assert!(!pinned.is_alive() && Pinned::hold(child.id()).is_none());
        child.wait().unwrap();
    }
}
