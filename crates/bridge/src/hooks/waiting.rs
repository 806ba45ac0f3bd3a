//! Which process waits for which ask, stored across restarts: a hook that lost its server reconnects to its ask.

use std::collections::HashSet;
use std::time::Duration;

use askbridge_core::ids::AskId;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::wish::Rejection;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::auth::ProcessId;
use crate::runtime::chain;
use crate::server::App;

const PREFIX: &str = "hook/waiting/";

/// How long that is remembered: longer than a hook may wait. Beyond: a hook that reconnects asks anew.
const REMEMBERED: Duration = Duration::from_secs(31 * 24 * 60 * 60);

/// The hook that made an ask, and the agent above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WaitingHook {
    pub(super) hook: ProcessId,
    pub(super) agent: Option<ProcessId>,
}

/// The same as stored: process ids with their start times.
#[derive(Serialize, Deserialize)]
struct StoredWaiter {
    hook: (u32, u64),
    agent: Option<(u32, u64)>,
}

/// Stores who waits for an ask. If that fails, the hook waits all the same; only a restart would strand its ask.
pub(super) async fn remember_waiting(app: &App, ask: AskId, waiting: WaitingHook) {
    let written = |process: ProcessId| (process.pid, process.started);
    let kept = StoredWaiter { hook: written(waiting.hook), agent: waiting.agent.map(written) };
    let value = serde_json::to_vec(&kept).expect("numbers are JSON");
    let now = app.handle.clock.now();
    let put = app.handle.store.put(&key(ask), &value, Expect::Any, Some(now.plus(REMEMBERED)), now).await;
    if let Err(error) = put {
        warn!(ask.id = %ask, error = chain(&error), "Could not remember which hook waits for an ask");
    }
}

pub(super) async fn forget_waiting(app: &App, ask: AskId) {
    if let Err(error) = app.handle.store.delete(&key(ask), Expect::Any).await {
        warn!(ask.id = %ask, error = chain(&error), "Could not forget which hook waited for an ask");
    }
}

/// Returns the stored waiters with their asks.
pub(super) async fn all_waiting(app: &App) -> Result<Vec<(AskId, WaitingHook)>, Rejection> {
    let items = app.handle.shelved(PREFIX).await?;
    let read = |(pid, started): (u32, u64)| ProcessId { pid, started };
    let waiting = items.iter().filter_map(|item| {
        let ask = item.key.strip_prefix(PREFIX)?.parse().ok()?;
        let kept: StoredWaiter = serde_json::from_slice(&item.value).ok()?;
        Some((ask, WaitingHook { hook: read(kept.hook), agent: kept.agent.map(read) }))
    });
    Ok(waiting.collect())
}

fn key(ask: AskId) -> String {
    format!("{PREFIX}{ask}")
}

/// Asks whose hooks are connected to this server.
#[derive(Debug, Default)]
pub(super) struct Connected(Mutex<HashSet<AskId>>);

/// A hook that is connected, until this is dropped.
pub(super) struct Connection<'a> {
    all: &'a Connected,
    ask: AskId,
}

impl Connected {
    pub(super) fn enter(&self, ask: AskId) -> Connection<'_> {
        self.0.lock().insert(ask);
        Connection { all: self, ask }
    }

    pub(super) fn has(&self, ask: AskId) -> bool {
        self.0.lock().contains(&ask)
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.ask);
    }
}
