//! Whether a session may be forgotten: only when nothing in it is pending.

use crate::ids::{AskId, MessageId, Timestamp};
use crate::limits;
use crate::session::{End, Session};

/// What a session still waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    #[error("a person can still decide {0}")]
    Open(AskId),
    #[error("its agent has not heard yet what became of {0}")]
    Unheard(AskId),
    #[error("message {0} waits for its agent")]
    Waiting(MessageId),
    #[error("its agent's process runs; close the session first")]
    Hosted,
}

impl Session {
    /// Returns what keeps this session from being forgotten, if anything does. `last_at` is the time of its last
    /// decision.
    ///
    /// The session need not be closed: most sessions hold one ask and are never closed. An ask that can only be
    /// answered late does not keep it. In a closed session, an undelivered verdict or message is kept for
    /// [`limits::UNHEARD_MAX`]: the agent may still fetch it, unless it died.
    pub fn unfinished(&self, last_at: Timestamp, now: Timestamp) -> Option<Unfinished> {
        if let Some(open) = self.open().next() {
            return Some(Unfinished::Open(open.ask.id));
        }
        if self.host.is_some() {
            return Some(Unfinished::Hosted);
        }
        if matches!(self.end, Some(End::Closed { .. })) && now.since(last_at) >= limits::UNHEARD_MAX {
            return None;
        }
        if let Some(unheard) = self.asks.values().find(|live| live.is_unfinished()) {
            return Some(Unfinished::Unheard(unheard.ask.id));
        }
        self.queue.first().map(|queued| Unfinished::Waiting(queued.said.message))
    }
}
