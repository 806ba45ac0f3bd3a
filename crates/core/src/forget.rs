//! May a session be forgotten? Only when nothing in it waits for anybody.

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
    /// Returns what keeps this session from being forgotten, if anything does. `last_at` is when it was last decided in.
    ///
    /// It need not have been closed: most sessions hold one ask and nobody ever closes them. A card that can only be
    /// answered late is no reason to keep it. In a session that was closed, what its agent has not heard is kept for
    /// [`limits::UNHEARD_MAX`]: the agent may come for it, but if it died it never will.
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
