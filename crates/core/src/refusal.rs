//! Every reason for which an intent can be refused.

use crate::answer::Who;
use crate::forget::Unfinished;
use crate::ids::{AskId, MessageId, NodeId, SessionId, Timestamp};
use crate::unfit::Mismatch;

/// Why an intent changed nothing. The text is for people; [`Refusal::code`] is for programs and never changes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    #[error("there is no ask {0}")]
    UnknownAsk(AskId),
    #[error("there is no message {0} waiting")]
    UnknownMessage(MessageId),
    #[error("session {0} was started before, differently")]
    AlreadyStarted(SessionId),
    #[error("session {0} is closed")]
    SessionClosed(SessionId),
    #[error("session {from} goes on as {to}")]
    MovedOn { from: SessionId, to: SessionId },
    #[error("session {session} is not finished: {why}")]
    Unfinished { session: SessionId, why: Unfinished },
    #[error("session {0} is full; start a new one")]
    SessionFull(SessionId),
    #[error("session already has {limit} open asks; settle one first")]
    TooManyAsks { limit: usize },
    #[error("session already has {limit} messages waiting")]
    TooManyMessages { limit: usize },
    #[error("another ask of this session is open, and its terms allow only one at a time")]
    AskOpen(AskId),
    #[error("the agent waits for an answer and takes no messages until then")]
    MessagesRefused(AskId),
    #[error("already decided, differently")]
    Conflict { ask: AskId, winner: Winner },
    #[error("the agent no longer waits for this: {why}")]
    Gone { ask: AskId, why: String, at: Timestamp },
    #[error("already decided; the time to take it back is over")]
    NothingToUndo(AskId),
    #[error("ask {0} is not open")]
    NotOpen(AskId),
    #[error("ask {0} is not settled yet, so there is nothing to hand over")]
    NotSettled(AskId),
    #[error("the answer does not fit the ask")]
    Mismatch(Mismatch),
    #[error("node {node:?} hosts this session")]
    HostedElsewhere { node: NodeId },
    #[error("this host's time is over")]
    StaleEpoch,
    #[error("ask {0} cannot be parked: its agent cannot be started again")]
    NotParkable(AskId),
    #[error("{0}")]
    BadRequest(String),
}

/// Who decided first, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Winner {
    pub by: WonBy,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WonBy {
    Person(Who),
    Rule(String),
    /// Nobody answered in time.
    Nobody,
}

impl Refusal {
    /// Returns the stable name of this refusal.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownSession(_) => "unknown_session",
            Self::UnknownAsk(_) => "unknown_ask",
            Self::UnknownMessage(_) => "unknown_message",
            Self::AlreadyStarted(_) => "already_started",
            Self::SessionClosed(_) => "session_closed",
            Self::MovedOn { .. } => "session_moved_on",
            Self::Unfinished { .. } => "session_unfinished",
            Self::SessionFull(_) => "session_full",
            Self::TooManyAsks { .. } => "too_many_asks",
            Self::TooManyMessages { .. } => "too_many_messages",
            Self::AskOpen(_) => "ask_open",
            Self::MessagesRefused(_) => "messages_refused",
            Self::Conflict { .. } => "already_decided",
            Self::Gone { .. } => "gone",
            Self::NothingToUndo(_) => "nothing_to_undo",
            Self::NotOpen(_) => "not_open",
            Self::NotSettled(_) => "not_settled",
            Self::Mismatch(_) => "answer_does_not_fit",
            Self::HostedElsewhere { .. } => "hosted_elsewhere",
            Self::StaleEpoch => "stale_epoch",
            Self::NotParkable(_) => "not_parkable",
            Self::BadRequest(_) => "bad_request",
        }
    }
}
