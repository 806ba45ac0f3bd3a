//! How far a client of another system has come in a session: remembered for its next connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::ids::{Position, SessionId};
use askbridge_core::limits;
use tokio::time::timeout;

use super::app::App;

/// When it is to be kept how far a client has come. Each time is a write to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Now,
    /// More is likely to follow in a moment.
    Soon,
}

/// What one connection keeps of it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// It will be kept in a moment. Made for whoever is remembered: most connections are not.
    is_due: Option<Arc<AtomicBool>>,
}

impl Seen {
    pub(super) fn keep(&mut self, app: &App, via: &'static str, at: (SessionId, Position), when: Keep) {
        let (session, position) = at;
        let (handle, stop, is_due) =
            (app.handle.clone(), app.stop.clone(), Arc::clone(self.is_due.get_or_insert_default()));
        // Whoever comes back at once, on this node, is known all the same.
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
