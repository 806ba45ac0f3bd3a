//! Writes what rides along when nothing came by to ride with.

use askbridge_core::ids::SessionId;
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use futures_util::stream::{self, StreamExt};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::handle::Handle;

/// Sessions that are flushed at the same time, so that they share a transaction.
const AT_ONCE: usize = 256;

impl Handle {
    /// Notes something that has happened and need not be waited for: it rides along with the session's next decision,
    /// or is written on its own a moment later.
    pub fn note(&self, session: SessionId, intents: impl IntoIterator<Item = Intent>) {
        let cell = self.cache.cell(session);
        let first = {
            let mut riders = cell.riders.lock();
            let first = riders.is_empty();
            riders.extend(intents);
            first && !riders.is_empty()
        };
        if first {
            let mut waiting = self.unwritten.lock();
            waiting.push(session);
            if waiting.len() == 1 {
                self.wake_flusher.notify_one();
            }
        }
    }

    /// Writes everything that was noted.
    pub async fn flush_all(&self) {
        let sessions = std::mem::take(&mut *self.unwritten.lock());
        stream::iter(sessions)
            .for_each_concurrent(AT_ONCE, |session| async move {
                if let Err(error) = self.flush(session).await {
                    warn!(session.id = %session, %error, "Could not write what was noted; it stays in memory");
                    self.unwritten.lock().push(session);
                }
            })
            .await;
    }
}

/// Runs until `stop`.
pub(crate) async fn run(handle: Handle, stop: CancellationToken) {
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return handle.flush_all().await,
            () = handle.wake_flusher.notified() => {}
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return handle.flush_all().await,
            () = tokio::time::sleep(limits::RIDE_ALONG_WAIT) => handle.flush_all().await,
        }
        if !handle.unwritten.lock().is_empty() {
            handle.wake_flusher.notify_one();
        }
    }
}
