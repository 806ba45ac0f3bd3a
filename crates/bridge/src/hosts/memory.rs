//! Limits the memory of agents: measures it, and ends an agent that uses too much.
//!
//! Measured for an agent and everything that it started: its commands are its own affair, their memory is not.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use askbridge_core::event::Level;
use askbridge_platform::families::{Families, Member};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::{info, warn};

use super::host::{Host, HostStep};
use super::machine::Machine;
use super::pool::HostPool;
use crate::driver::Driver;

/// How often to measure. An agent may exceed its limit for this long.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// At this multiple of its limit, an agent is ended in the middle of its turn.
const AT_ONCE: u64 = 2;

/// The memory use of each agent, by the id of its process.
#[derive(Debug, Default)]
pub(super) struct MemoryWatch(Mutex<HashMap<u32, Arc<MemoryUse>>>);

#[derive(Debug, Default)]
pub(super) struct MemoryUse {
    bytes: AtomicU64,
    pub(super) changed: Notify,
}

impl MemoryWatch {
    pub(super) fn on(&self, pid: u32) -> Arc<MemoryUse> {
        Arc::clone(self.0.lock().entry(pid).or_default())
    }

    pub(super) fn off(&self, pid: u32) {
        self.0.lock().remove(&pid);
    }

    fn weigh(&self, families: &Families) {
        for (pid, memory_use) in &*self.0.lock() {
            let bytes = families.of(*pid).map(Member::resident_bytes).sum();
            if memory_use.bytes.swap(bytes, Ordering::Relaxed) != bytes {
                memory_use.changed.notify_one();
            }
        }
    }
}

/// Measures until the server stops.
pub(super) async fn watch(pool: Arc<HostPool>) {
    loop {
        tokio::select! {
            () = pool.stop.cancelled() => return,
            () = sleep(LOOK_EVERY) => {}
        }
        match tokio::task::spawn_blocking(Families::look).await {
            Ok(Ok(families)) => pool.memory.weigh(&families),
            Ok(Err(error)) => warn!(%error, "Could not see how much memory agents take"),
            Err(_) => return,
        }
    }
}

impl<M: Machine> Host<M> {
    /// Checks whether the process uses more than its limit. Between turns it is ended; during a turn its questions are
    /// parked, and only at `AT_ONCE` times the limit is the turn cut short.
    pub(super) fn weigh(&mut self) -> Option<HostStep> {
        let max = self.pool.options.memory_max?;
        let bytes = self.memory_use.as_ref()?.bytes.load(Ordering::Relaxed);
        if bytes <= max || self.driver.hangs_up() {
            return None;
        }
        let Driver { peer, endpoint, replies, .. } = &self.driver;
        let rests = peer.rest().is_some() && endpoint.pipe.is_empty() && replies.is_empty();
        let (taken, may) = (spoken(bytes), spoken(max));
        let much = format!("The agent takes {taken} of memory, more than the {may} that it may (`agents.memory`).");
        if !rests && bytes <= max.saturating_mul(AT_ONCE) {
            if !std::mem::replace(&mut self.hurried, true) {
                let then = "Its process ends with this turn, or as soon as its question can be parked.";
                self.driver.endpoint.notice(Level::Warning, &format!("{much} {then}"));
                self.driver.act(|machine, cx| machine.hurry(cx));
            }
            return None;
        }
        let then = match rests {
            true => "Its process was stopped between two turns, and starts again with the next message.",
            false => "Its process was stopped in the middle of its turn. Say something, and it goes on from there.",
        };
        info!(session.id = %self.session, bytes, "Agent takes too much memory and is stopped");
        self.driver.endpoint.notice(Level::Warning, &format!("{much} {then}"));
        self.too_heavy = true;
        Some(HostStep::LetGo)
    }
}

/// Formats bytes for people.
fn spoken(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)];
    let unit = UNITS.into_iter().find(|(_, unit)| bytes >= *unit);
    let Some((name, unit)) = unit else { return format!("{bytes} bytes") };
    let tenths = bytes * 10 / unit;
    if tenths.is_multiple_of(10) || tenths >= 1000 {
        format!("{} {name}", tenths / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_in_words() {
        assert_eq!(
            [spoken(900), spoken(1536), spoken(2 << 30), spoken(168 << 20)],
            ["900 bytes", "1.5 kB", "2 GB", "168 MB"]
        );
    }
}
