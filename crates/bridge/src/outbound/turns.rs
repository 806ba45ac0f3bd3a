//! How many calls run at the same time.
//!
//! Short calls wait for a turn: first for one of their host's, then for one of the total. In this order a call that
//! waits for a slow host takes nothing from calls to other hosts. Long polls, streams and sockets hold their turn for
//! minutes or for ever, so they are counted apart and take none from short calls; beyond their limit a call fails at
//! once, because the wait for a turn might never end.

use std::collections::HashMap;
use std::sync::Arc;

use askbridge_core::limits;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address::Address;
use super::failed::Failed;

type Host = (String, u16);

pub(super) struct Turns {
    /// Holds the hosts that calls are in progress to or waiting for, so it is as large as their number at most.
    hosts: Mutex<HashMap<Host, Arc<Semaphore>>>,
    total: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

/// The turn of a short call. The fields are dropped in this order: the host's entry last.
pub(super) struct ShortTurn {
    _total: Option<OwnedSemaphorePermit>,
    _of_host: Option<OwnedSemaphorePermit>,
    _entry: HostEntry,
}

/// The turn of a long call, held as long as its stream or socket.
pub(super) struct LongTurn {
    _permit: OwnedSemaphorePermit,
}

/// A use of a host's entry. The last one removes it.
struct HostEntry {
    turns: Arc<Turns>,
    host: Host,
    semaphore: Option<Arc<Semaphore>>,
}

impl Turns {
    pub(super) fn new() -> Self {
        let semaphore = |count| Arc::new(Semaphore::new(count));
        let (total, long) = (semaphore(limits::OUTBOUND_TOTAL_AT_ONCE), semaphore(limits::OUTBOUND_LONG_AT_ONCE));
        Self { hosts: Mutex::default(), total, long }
    }

    pub(super) async fn short(self: &Arc<Self>, address: &Address) -> ShortTurn {
        let entry = self.enter(address);
        // No semaphore is ever closed, so each of these is a permit.
        let of_host = match &entry.semaphore {
            Some(semaphore) => semaphore.clone().acquire_owned().await.ok(),
            None => None,
        };
        let total = self.total.clone().acquire_owned().await.ok();
        ShortTurn { _total: total, _of_host: of_host, _entry: entry }
    }

    pub(super) fn long(&self, address: &Address) -> Result<LongTurn, Failed> {
        let busy = |_| Failed::Busy { host: address.host.clone(), at_once: limits::OUTBOUND_LONG_AT_ONCE };
        Ok(LongTurn { _permit: self.long.clone().try_acquire_owned().map_err(busy)? })
    }

    fn enter(self: &Arc<Self>, address: &Address) -> HostEntry {
        let host = (address.host.to_ascii_lowercase(), address.port);
        let mut hosts = self.hosts.lock();
        let semaphore = hosts.entry(host.clone()).or_insert_with(|| Arc::new(Semaphore::new(limits::OUTBOUND_AT_ONCE)));
        HostEntry { turns: self.clone(), semaphore: Some(semaphore.clone()), host }
    }
}

impl Drop for HostEntry {
    fn drop(&mut self) {
        let mut hosts = self.turns.hosts.lock();
        self.semaphore = None;
        if hosts.get(&self.host).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            hosts.remove(&self.host);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::super::address::HTTP;
    use super::*;

    fn address(url: &str) -> Address {
        Address::read(url, &HTTP).unwrap()
    }

    fn take(turns: &Arc<Turns>, url: &str) -> Option<ShortTurn> {
        turns.short(&address(url)).now_or_never()
    }

    #[test]
    fn a_busy_host_leaves_turns_for_the_others() {
        let turns = Arc::new(Turns::new());
        let mut held: Vec<_> = (0..limits::OUTBOUND_AT_ONCE).map(|_| take(&turns, "https://a/").unwrap()).collect();
        assert!(take(&turns, "https://A/x").is_none(), "it is the same host");
        let mut waiting: Vec<_> = (0..limits::OUTBOUND_TOTAL_AT_ONCE)
            .map(|_| {
                Box::pin({
                    let turns = turns.clone();
                    async move { turns.short(&address("https://a/")).await }
                })
            })
            .collect();
        assert!(waiting.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
        assert!(take(&turns, "https://b/").is_some());
        assert!(take(&turns, "https://a:8443/").is_some(), "another port is another server");
        held.pop();
        assert!(waiting[0].as_mut().now_or_never().is_some());
    }

    #[test]
    fn all_hosts_together_have_a_limit() {
        let turns = Arc::new(Turns::new());
        let held: Vec<_> = (0..limits::OUTBOUND_TOTAL_AT_ONCE)
            .map(|at| take(&turns, &format!("https://host-{at}/")).unwrap())
            .collect();
        assert!(take(&turns, "https://one-more/").is_none());
        drop(held);
        assert!(take(&turns, "https://one-more/").is_some());
    }

    #[test]
    fn a_host_without_calls_is_forgotten() {
        let turns = Arc::new(Turns::new());
        let held: Vec<_> = (0..limits::OUTBOUND_AT_ONCE).map(|_| take(&turns, "https://a/").unwrap()).collect();
        assert!(take(&turns, "https://a/").is_none(), "it gave up its wait");
        assert_eq!(turns.hosts.lock().len(), 1);
        drop(held);
        assert_eq!(turns.hosts.lock().len(), 0);
    }

    #[test]
    fn long_calls_have_a_limit_of_their_own() {
        let turns = Arc::new(Turns::new());
        let held: Vec<_> = (0..limits::OUTBOUND_LONG_AT_ONCE).map(|_| turns.long(&address("https://a/"))).collect();
        assert!(held.iter().all(Result::is_ok));
        assert!(matches!(turns.long(&address("https://b/")), Err(Failed::Busy { .. })));
        assert!(take(&turns, "https://a/").is_some(), "short calls have their own");
        drop(held);
        assert!(turns.long(&address("https://b/")).is_ok());
    }
}
