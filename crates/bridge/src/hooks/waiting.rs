//! Which process waits for which ask, stored across restarts: a hook that lost its server reconnects to its ask.

use std::collections::HashMap;
use std::time::Duration;

use askbridge_core::ids::AskId;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::wish::Rejection;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::auth::ProcessId;
use crate::runtime::{chain, down};
use crate::server::App;

const PREFIX: &str = "hook/waiting/";

/// How long that is remembered: longer than a hook may wait. Beyond: a hook that reconnects asks anew.
const REMEMBERED: Duration = Duration::from_secs(31 * 24 * 60 * 60);

/// The hook that made an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WaitingHook {
    /// A process of this machine, and the agent above it.
    Here { hook: ProcessId, agent: Option<ProcessId> },
    /// On another machine: its party, and the name that it gave itself.
    Elsewhere { party: String, id: String },
}

/// The same as stored: process ids with their start times, or a party and a name.
#[derive(Serialize, Deserialize)]
struct StoredWaiter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hook: Option<(u32, u64)>,
    #[serde(default)]
    agent: Option<(u32, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    elsewhere: Option<(String, String)>,
}

impl From<&WaitingHook> for StoredWaiter {
    fn from(waiting: &WaitingHook) -> Self {
        let written = |process: &ProcessId| (process.pid, process.started);
        match waiting {
            WaitingHook::Here { hook, agent } => {
                Self { hook: Some(written(hook)), agent: agent.as_ref().map(written), elsewhere: None }
            }
            WaitingHook::Elsewhere { party, id } => {
                Self { hook: None, agent: None, elsewhere: Some((party.clone(), id.clone())) }
            }
        }
    }
}

impl StoredWaiter {
    fn read(self) -> Option<WaitingHook> {
        let read = |(pid, started): (u32, u64)| ProcessId { pid, started };
        match (self.hook, self.elsewhere) {
            (Some(hook), _) => Some(WaitingHook::Here { hook: read(hook), agent: self.agent.map(read) }),
            (None, Some((party, id))) => Some(WaitingHook::Elsewhere { party, id }),
            (None, None) => None,
        }
    }
}

/// Stores who waits for an ask. If that fails, the hook waits all the same; only a restart would strand its ask.
pub(super) async fn remember_waiting(app: &App, ask: AskId, waiting: &WaitingHook) {
    let value = serde_json::to_vec(&StoredWaiter::from(waiting)).expect("numbers and names are JSON");
    let now = app.handle.clock.now();
    let put = app.handle.store.own().put(&key(ask), &value, Expect::Any, Some(now.plus(REMEMBERED)), now).await;
    if let Err(error) = put {
        warn!(ask.id = %ask, error = chain(&error), "Could not remember which hook waits for an ask");
    }
}

pub(super) async fn forget_waiting(app: &App, ask: AskId) {
    if let Err(error) = app.handle.store.own().delete(&key(ask), Expect::Any).await {
        warn!(ask.id = %ask, error = chain(&error), "Could not forget which hook waited for an ask");
    }
}

/// Returns the stored waiters with their asks.
pub(super) async fn all_waiting(app: &App) -> Result<Vec<(AskId, WaitingHook)>, Rejection> {
    let items = app.handle.store.own().list(PREFIX, app.handle.now()).await.map_err(down)?;
    let waiting = items.iter().filter_map(|item| {
        let ask = item.key.strip_prefix(PREFIX)?.parse().ok()?;
        let kept: StoredWaiter = serde_json::from_slice(&item.value).ok()?;
        Some((ask, kept.read()?))
    });
    Ok(waiting.collect())
}

fn key(ask: AskId) -> String {
    format!("{PREFIX}{ask}")
}

/// Asks whose hooks are connected to this server. A hook on another machine may come back before the server notices
/// that its former connection is dead; the newest one counts.
#[derive(Debug, Default)]
pub(super) struct Connected {
    asks: Mutex<HashMap<AskId, CancellationToken>>,
}

/// A hook that is connected, until this is dropped.
pub(super) struct Connection<'a> {
    all: &'a Connected,
    ask: AskId,
    /// Cancelled once another connection of the same hook has taken its place.
    pub(super) superseded: CancellationToken,
}

impl Connected {
    pub(super) fn enter(&self, ask: AskId) -> Connection<'_> {
        let superseded = CancellationToken::new();
        let mut asks = self.asks.lock();
        if let Some(former) = asks.insert(ask, superseded.clone()) {
            former.cancel();
        }
        Connection { all: self, ask, superseded }
    }

    pub(super) fn has(&self, ask: AskId) -> bool {
        self.asks.lock().contains_key(&ask)
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        let mut asks = self.all.asks.lock();
        // If it was superseded, the entry is another's.
        if !self.superseded.is_cancelled() {
            asks.remove(&self.ask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_read_back_as_they_were_stored_also_those_of_earlier_releases() {
        let process = |pid| ProcessId { pid, started: 7 };
        for waiting in [
            WaitingHook::Here { hook: process(1), agent: Some(process(2)) },
            WaitingHook::Here { hook: process(1), agent: None },
            WaitingHook::Elsewhere { party: "tok_1".to_owned(), id: "a".to_owned() },
        ] {
            let stored = serde_json::to_string(&StoredWaiter::from(&waiting)).unwrap();
            assert_eq!(serde_json::from_str::<StoredWaiter>(&stored).unwrap().read(), Some(waiting));
        }
        let earlier: StoredWaiter = serde_json::from_str(r#"{"hook":[1,7],"agent":null}"#).unwrap();
        assert_eq!(earlier.read(), Some(WaitingHook::Here { hook: process(1), agent: None }));
    }

    #[test]
    fn the_newest_connection_of_a_hook_counts() {
        let connected = Connected::default();
        let ask = AskId { session: askbridge_core::ids::SessionId(7), number: 1 };
        let first = connected.enter(ask);
        let second = connected.enter(ask);
        assert!(first.superseded.is_cancelled() && !second.superseded.is_cancelled());
        drop(first);
        assert!(connected.has(ask), "the second is still there");
        drop(second);
        assert!(!connected.has(ask));
    }
}
