//! One timer for all deadlines. The index knows what is due; this only knows when to query it.

use askbridge_core::ids::Timestamp;
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use super::error::chain;
use super::handle::Handle;

/// Asks that are settled concurrently, so that they share a transaction.
const AT_ONCE: usize = 256;
/// Delay before a retry when the journal is down.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// When to query next.
#[derive(Debug, Default)]
pub(crate) struct Timer {
    next: Mutex<Option<Timestamp>>,
    sooner: Notify,
}

impl Timer {
    /// An ask is due at that time.
    pub(crate) fn due_at(&self, at: Option<Timestamp>) {
        let Some(at) = at else { return };
        let mut next = self.next.lock();
        if next.is_none_or(|next| at < next) {
            *next = Some(at);
            self.sooner.notify_one();
        }
    }
}

/// Settles what is due, until `stop`.
pub(crate) async fn run(handle: Handle, stop: CancellationToken) {
    loop {
        let pause = match fire(&handle).await {
            // Other nodes do it; whether this one may again is known after its next renewal.
            Ok(_) if !handle.nodes.may_act() => Some(limits::NODE_RENEWS_EVERY),
            Ok(next) => {
                let mut known = handle.timer.next.lock();
                *known = next;
                None
            }
            Err(problem) => {
                error!(error = problem, "Could not settle what is due; trying again");
                Some(TRY_AGAIN)
            }
        };
        let next = *handle.timer.next.lock();
        let until_next = async {
            match (pause, next) {
                (Some(pause), _) => tokio::time::sleep(pause).await,
                (None, Some(at)) => handle.clock.sleep_until(at.plus(handle.nodes.rank_delay())).await,
                (None, None) => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = until_next => {}
            () = handle.timer.sooner.notified() => {}
        }
    }
}

/// Settles everything that is due, and returns when the next ask is.
///
/// Where several nodes share the journal, each does so somewhat later than the one before it: usually the first has done
/// it by then, and if several try, the guard of the append lets one.
async fn fire(handle: &Handle) -> Result<Option<Timestamp>, String> {
    if !handle.nodes.may_act() {
        return Ok(None);
    }
    loop {
        let now = handle.clock.now().minus(handle.nodes.rank_delay());
        let index = handle.store.index();
        let due = index.due(now, AT_ONCE).map_err(|error| chain(&error))?;
        if due.is_empty() {
            return index.next_due().map_err(|error| chain(&error));
        }
        let ticks = stream::iter(due).map(|(ask, _, due)| async move {
            let done = handle.submit(ask.session, vec![Intent::Tick { ask, due }]).await;
            (ask, done)
        });
        let mut ticks = ticks.buffer_unordered(AT_ONCE);
        let mut problem = None;
        let mut news = false;
        while let Some((ask, done)) = ticks.next().await {
            match done {
                Ok(done) if done.events.is_empty() => {}
                Ok(_) => {
                    news = true;
                    info!(ask.id = %ask, "Ask {ask} came due and was settled");
                }
                Err(error) => problem = Some(error.to_string()),
            }
        }
        if let Some(problem) = problem {
            return Err(problem);
        }
        if !news {
            // The index is behind the decisions; it will have caught up in a moment.
            return Ok(Some(handle.clock.now().plus(TRY_AGAIN)));
        }
    }
}
