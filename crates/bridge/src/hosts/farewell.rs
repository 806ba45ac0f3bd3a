//! Ends the hosting of a process: parks its question, reads its last output, clears its files.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::Level;
use askbridge_core::intent::Intent;
use askbridge_peers::peer::Frame;
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::agent_folder::Rest;
use super::host::{Host, HostStep, ProcessEnd};
use super::machine::Machine;
use super::process::Running;

/// Time limit for the work that is left when a process has exited.
const FAREWELL_MAX: Duration = Duration::from_secs(10);
/// How long a shutdown waits for a question to be parked.
const PARK_MAX: Duration = Duration::from_secs(5);
/// How long an agent may take to write what it needs to be resumed, and how often to check.
const RECORD_MAX: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// The beginning of the notice about a process that ended though it was not told to. People who are away are told of it.
pub(crate) const ENDED_BY_ITSELF: &str = "The agent's process ended by itself.";

impl<M: Machine> Host<M> {
    /// Waits until the agent has written to its transcript that its question is parked.
    pub(super) async fn wait_for_the_record(&mut self) {
        let written = async {
            while !self.driver.peer.is_resumable(&self.pool.options, &self.conversation) {
                sleep(LOOK_AGAIN).await;
            }
        };
        if timeout(RECORD_MAX, written).await.is_err() {
            warn!(session.id = %self.session, "A question was parked, and its agent has not written that down");
        }
    }

    /// Called when the server stops and the process goes on. Parks a question if possible, so that no process runs
    /// without need. Returns whether the process still runs.
    pub(super) async fn leave(&mut self, running: &Arc<Running>) -> bool {
        self.driver.act(|machine, cx| machine.hurry(cx));
        self.driver.endpoint.end_burst();
        let stop = CancellationToken::new();
        let parked = async {
            while self.driver.peer.is_parking() || !self.driver.is_settled() || !self.driver.endpoint.pipe.is_empty() {
                match self.step(running, &stop).await {
                    HostStep::GoOn => {}
                    HostStep::Died => return false,
                    HostStep::LetGo | HostStep::Displaced | HostStep::Leave => {
                        self.wait_for_the_record().await;
                        running.end().await;
                        return false;
                    }
                }
            }
            true
        };
        let runs_on = timeout(PARK_MAX, parked).await.unwrap_or_else(|_| {
            info!(session.id = %self.session, "A question could not be parked in time; its agent runs on");
            true
        });
        // A request that is still in flight may hold the session, and nothing would drive it any more.
        if self.driver.is_settled() {
            let _ = self.pool.handle.flush(self.session).await;
            self.is_quiet = true;
            self.take_a_rest().await;
        }
        runs_on
    }

    /// Called when the process was ended because another node has claimed its session. Nothing that it said since is
    /// stored, and nothing of it is resumed here.
    pub(super) fn give_up(self) -> ProcessEnd {
        self.stop_watching();
        if let Err(error) = self.agent_folder.clear_all() {
            warn!(session.id = %self.session, %error, "Could not clear up after an agent");
        }
        ProcessEnd::Displaced
    }

    pub(super) fn stop_watching(&self) {
        self.pool.spools.off(&self.agent_folder.spool_name());
        self.pool.memory.off(self.driver.endpoint.process.pid);
    }

    /// Called when the process has exited. Reads its remaining output, then cleans up.
    pub(super) async fn finish(mut self) -> ProcessEnd {
        if self.driver.endpoint.is_displaced() {
            return self.give_up();
        }
        // Nothing more is written to it, not even its first message.
        self.woken = true;
        let expected = self.driver.hangs_up() || self.idle_since.is_some() || self.too_heavy;
        let last_words = async {
            loop {
                self.look_again();
                let is_at_the_end = matches!(self.driver.endpoint.spool.is_at_the_end(), Ok(true));
                if !is_at_the_end && !self.driver.hangs_up() && self.read().is_ok() {
                    self.driver.finish_one().await;
                    continue;
                }
                break;
            }
            self.driver.hear(Frame::Close(1006, "it ended".into())).unwrap_or_default();
            loop {
                self.driver.endpoint.end_burst();
                if !self.driver.finish_one().await {
                    break;
                }
            }
        };
        if timeout(FAREWELL_MAX, last_words).await.is_err() {
            warn!(session.id = %self.session, "The last words of an agent took too long");
            // They may hold the session, and the turn of what is stored next.
            tokio::spawn(std::mem::take(&mut self.driver.replies).run_out());
        }
        if !expected {
            let complaints = self.agent_folder.complaints();
            let why = if complaints.is_empty() { "It did not say why.".to_owned() } else { complaints };
            let process = &mut self.driver.endpoint;
            process.notice(Level::Warning, &format!("{ENDED_BY_ITSELF} {why}"));
            while process.records.next().await.is_some() {}
        }
        self.clear_up().await;
        // An agent that took too much memory before it had received anything would do so again.
        let is_fine = expected && !self.too_heavy;
        if is_fine || self.driver.endpoint.has_progressed { ProcessEnd::WithProgress } else { ProcessEnd::Fruitless }
    }

    async fn clear_up(&mut self) {
        self.stop_watching();
        let handle = &self.pool.handle;
        if let Err(error) = handle.flush(self.session).await {
            // The spool stays, and the next server reads it again.
            warn!(session.id = %self.session, %error, "Could not store what became of an agent");
            return;
        }
        if let Err(error) =
            handle.submit(self.session, vec![Intent::Release { epoch: self.driver.endpoint.epoch }]).await
        {
            warn!(session.id = %self.session, %error, "Could not say that an agent is gone");
        }
        let ended = handle.look(self.session, |state| state.session.end.is_some()).await.unwrap_or(false);
        let cleared = match ended {
            true => self.agent_folder.clear_all(),
            false => {
                let rest = Rest { carry: self.driver.peer.leftover(), ..Rest::default() };
                self.agent_folder.keep_rest(&rest).and_then(|()| self.agent_folder.clear())
            }
        };
        if let Err(error) = cleared {
            warn!(session.id = %self.session, %error, "Could not clear up after an agent");
        }
    }
}
