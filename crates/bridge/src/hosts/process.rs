//! One process that may not be our child: is it there, has it ended, make it end.

use std::io;
use std::time::Duration;

use askbridge_platform::families::Families;
use askbridge_platform::running::{Held, kill};
use tokio::time::timeout;

use crate::auth::ProcessId;

/// How long a process may take to end when asked to. Beyond: it is killed, with everything in its group.
const END_MAX: Duration = Duration::from_secs(5);

/// A process that runs, held so that its id cannot come to mean another one.
#[derive(Debug)]
pub(crate) struct Running(Held);

impl Running {
    /// Takes hold of a process. `None`: it is gone.
    pub(crate) fn hold(id: ProcessId) -> io::Result<Option<Self>> {
        Ok(Held::hold(id)?.map(Self))
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self) {
        self.0.ended().await;
    }

    /// Asks it to end, then makes it.
    pub(super) async fn end(&self) {
        let family = Families::look().map(|all| all.of(self.0.id.pid).map(|member| member.id).collect::<Vec<_>>());
        self.0.terminate();
        if timeout(END_MAX, self.ended()).await.is_err() {
            self.0.kill();
            self.ended().await;
        }
        // What it started in its own group has nobody left to report to.
        self.0.kill_group();
        // And what it started elsewhere; the start time tells a process from another that has its number now.
        family.unwrap_or_default().into_iter().for_each(kill);
    }
}
