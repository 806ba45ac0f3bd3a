//! Stores how far a client of another system has come in a session, for its next connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::ids::{Position, SessionId};
use askbridge_core::limits;
use tokio::time::timeout;

use super::app::App;

/// When to store it. Each time is a write to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Now,
    /// In a moment: more is likely to follow.
    Soon,
}

/// The state of one connection.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// A write is scheduled. Allocated on first use: most connections are not remembered.
    is_due: Option<Arc<AtomicBool>>,
}

impl Seen {
    pub(super) fn keep(&mut self, app: &App, via: &'static str, at: (SessionId, Position), when: Keep) {
        let (session, position) = at;
        let (handle, stop, is_due) =
            (app.handle.clone(), app.stop.clone(), Arc::clone(self.is_due.get_or_insert_default()));
        // In memory at once, for a client that reconnects to this node before the write.
        handle.note_seen(via, session, position);
        if when == Keep::Soon && is_due.swap(true, Ordering::Relaxed) {
            return;
        }
        app.tasks.spawn(async move {
            if when == Keep::Soon {
                let _ = timeout(limits::SEEN_WAIT, stop.cancelled()).await;
                is_due.store(false, Ordering::Relaxed);
            }
            handle.keep_seen(via, session).await;
        });
    }
}
