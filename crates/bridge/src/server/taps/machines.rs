//! The machines on the network that wait for the tap that connects them. Each polls, because the server cannot see its
//! process: one that stops polling no longer wants its tap.

use std::collections::HashMap;

use askbridge_core::limits::CONNECT_SILENCE_MAX;
use parking_lot::Mutex;
use tokio::time::Instant;

/// Each machine by its digest: how many of its requests wait now, and when the last one ended.
#[derive(Debug, Default)]
pub(crate) struct WaitingMachines(Mutex<HashMap<String, Polls>>);

#[derive(Debug, Clone, Copy)]
struct Polls {
    now: usize,
    last: Instant,
}

/// A request that waits, as long as this lives.
#[derive(Debug)]
pub(crate) struct Poll<'a> {
    of: &'a WaitingMachines,
    digest: &'a str,
}

impl WaitingMachines {
    pub(crate) fn polls<'a>(&'a self, digest: &'a str) -> Poll<'a> {
        let mut machines = self.0.lock();
        machines.entry(digest.to_owned()).or_insert(Polls { now: 0, last: Instant::now() }).now += 1;
        Poll { of: self, digest }
    }

    /// Has the machine been silent for too long? One that is looked at for the first time gets its time from then on:
    /// the server was started anew.
    pub(super) fn is_silent(&self, digest: &str) -> bool {
        let mut machines = self.0.lock();
        let polls = machines.entry(digest.to_owned()).or_insert(Polls { now: 0, last: Instant::now() });
        polls.now == 0 && polls.last.elapsed() >= CONNECT_SILENCE_MAX
    }

    /// No tap is open for it any more.
    pub(crate) fn forget(&self, digest: &str) {
        self.0.lock().retain(|known, polls| known != digest || polls.now > 0);
    }
}

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        let mut machines = self.of.0.lock();
        if let Some(polls) = machines.get_mut(self.digest) {
            polls.now = polls.now.saturating_sub(1);
            polls.last = Instant::now();
        }
        // Only machines whose tap is open are looked at, and forgotten in the end.
        machines.retain(|_, polls| polls.now > 0 || polls.last.elapsed() < 2 * CONNECT_SILENCE_MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_machine_is_silent_once_none_of_its_requests_has_waited_for_a_while() {
        let machines = WaitingMachines::default();
        let poll = machines.polls("a");
        tokio::time::advance(2 * CONNECT_SILENCE_MAX).await;
        assert!(!machines.is_silent("a"), "one waits");
        drop(poll);
        assert!(!machines.is_silent("a"));
        tokio::time::advance(CONNECT_SILENCE_MAX - Duration::from_secs(1)).await;
        drop(machines.polls("a"));
        tokio::time::advance(CONNECT_SILENCE_MAX - Duration::from_secs(1)).await;
        assert!(!machines.is_silent("a") && !machines.is_silent("from an earlier server"));
        tokio::time::advance(CONNECT_SILENCE_MAX).await;
        assert!(machines.is_silent("a") && machines.is_silent("from an earlier server"));
        machines.forget("a");
        assert!(machines.0.lock().get("a").is_none());
    }
}
