//! A process that may not be our child: checks whether it runs, waits for its exit, ends it.

use std::io;
use std::time::Duration;

use askbridge_platform::families::Families;
use askbridge_platform::running::{HeldProcess, kill};
use tokio::time::timeout;

use crate::auth::ProcessId;

/// How long a process may take to exit after SIGTERM. Beyond: it is killed, with everything in its group.
const END_MAX: Duration = Duration::from_secs(5);

/// A running process, held by a pidfd so that its id cannot be reused.
#[derive(Debug)]
pub(crate) struct Running(HeldProcess);

impl Running {
    /// Opens a process. `None`: it has exited.
    pub(crate) fn hold(id: ProcessId) -> io::Result<Option<Self>> {
        Ok(HeldProcess::hold(id)?.map(Self))
    }

    /// Waits until it has exited.
    pub(crate) async fn ended(&self) {
        self.0.ended().await;
    }

    /// Asks it to exit, then kills it.
    pub(super) async fn end(&self) {
        let family = Families::look().map(|all| all.of(self.0.id.pid).map(|member| member.id).collect::<Vec<_>>());
        self.0.terminate();
        if timeout(END_MAX, self.ended()).await.is_err() {
            self.0.kill();
            self.ended().await;
        }
        // What it started in its own group has no parent left to report to.
        self.0.kill_group();
        // Its descendants in other groups too; the start time tells a process from a later one with the same id.
        family.unwrap_or_default().into_iter().for_each(kill);
    }
}
