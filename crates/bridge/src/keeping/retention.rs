//! Periodically forgets what has been quiet for longer than the retention.

use std::time::Duration;

use askbridge_core::limits;
use askbridge_journal::Forgotten;
use askbridge_peers::wish::Rejection;
use tracing::{info, warn};

use super::prune::{By, PruneScope, prune, quiet_enough};
use super::shrink;
use crate::runtime::Handle;
use crate::server::App;

/// Pause between two steps, so that other writes get their turn.
const PAUSE: Duration = Duration::from_millis(50);

/// How long data is kept. By default for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// A conversation is forgotten when nothing has happened in it for this long.
    pub age: Option<Duration>,
    /// The oldest conversations are forgotten until the store uses no more than this many bytes.
    pub bytes: Option<u64>,
}

/// Enforces the retention, and returns freed space to the disk, until the server stops.
pub fn keep(app: &App, retention: Retention) {
    let (handle, stop) = (app.handle.clone(), app.stop.clone());
    app.tasks.spawn(async move {
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = run(handle.clone(), retention) => {}
            () = shrink::run(handle) => {}
        }
    });
}

async fn run(handle: Handle, retention: Retention) {
    handle.finish_forgetting().await;
    if retention == Retention::default() {
        return std::future::pending().await;
    }
    loop {
        match pass(&handle, retention).await {
            Ok(Forgotten { sessions: 0, .. }) => {}
            Ok(Forgotten { sessions, entries, bytes }) => {
                info!(sessions, entries, bytes, "Forgot what was kept long enough");
            }
            Err(error) => warn!(%error, "Could not forget what was kept long enough; trying again later"),
        }
        tokio::time::sleep(limits::RETENTION_EVERY).await;
    }
}

/// Goes through all sessions once.
async fn pass(handle: &Handle, retention: Retention) -> Result<Forgotten, Rejection> {
    let now = handle.now();
    let by_age = retention.age.map(|age| PruneScope { quiet_since: now.minus(age), down_to: None, dry: false });
    let by_size =
        retention.bytes.map(|most| PruneScope { quiet_since: quiet_enough(now), down_to: Some(most), dry: false });
    let mut forgotten = Forgotten::default();
    for (wanted, by) in by_age
        .map(|it| (it, By::Setting("retention")))
        .into_iter()
        .chain(by_size.map(|it| (it, By::Setting("retention_size"))))
    {
        let mut after = None;
        loop {
            let pruned = prune(handle, &wanted, after, 0, &by).await?;
            forgotten += pruned.forgotten;
            after = pruned.next;
            if after.is_none() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(forgotten)
}
