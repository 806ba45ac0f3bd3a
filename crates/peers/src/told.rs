//! What a peer is told.

use std::sync::Arc;

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Position, Raw, SessionId, Timestamp};
use askbridge_core::view::AskView;

use crate::peer::BlockKind;

/// Something that happened, or the state as it is.
#[derive(Debug, Clone)]
pub enum Told<'a> {
    Snapshot(&'a Snapshot),
    Event(&'a Happened),
    /// Streaming text that may be lost; the stored text completes it.
    Delta {
        session: SessionId,
        block: u32,
        kind: BlockKind,
        offset: usize,
        text: &'a str,
    },
    Draft {
        ask: AskId,
        draft: &'a Raw,
    },
    Own(&'a Own),
    /// Everything that had happened was told; from here on it is news.
    CaughtUp {
        session: SessionId,
        /// How far a client of this language had come when it was last here.
        seen: Option<Position>,
    },
    /// These sessions were forgotten: there is nothing of them any more.
    Gone {
        sessions: &'a [SessionId],
    },
    /// A screen of the same token and language looks at a session, or at none any more.
    Looked {
        session: Option<SessionId>,
        /// `None`: it is not known which.
        screen: Option<u64>,
    },
    /// Another connection of the same language said this about the session.
    Whispered {
        session: SessionId,
        words: &'a str,
    },
    /// Another connection took this one's place.
    Displaced {
        session: SessionId,
    },
    /// This peer was too slow; it will be closed.
    Lagged,
}

/// Something of a person's own that is no event: nobody else notices, their other devices do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Own {
    /// An ask is hidden until then. `None`: it is shown again.
    Snoozed { ask: AskId, until: Option<Timestamp> },
    /// A device came, went, or has another name.
    Devices,
}

/// One event with its place, encoded once for all who watch.
#[derive(Debug, Clone)]
pub struct Happened {
    pub session: SessionId,
    pub at: Timestamp,
    /// Where its entry stands.
    pub position: Position,
    /// Where a client that has seen this may come back to. Only the last event of an entry carries it, so that a
    /// client never resumes in the middle of one.
    pub cursor: Option<Arc<str>>,
    pub event: Arc<Event>,
    pub json: Arc<str>,
    /// Of an ask that was made: a rule has settled it in the same entry. It was never open, and no screen shows it as if.
    pub settled_at_once: bool,
}

/// What a caller may see, at one moment. Comes in parts, so that large asks are never all in memory.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub cursor: String,
    /// Whole, however large they are.
    pub asks: Vec<AskView>,
    /// There are more open asks than a snapshot holds.
    pub more: bool,
    /// All of them come with the first part.
    pub drafts: Vec<(AskId, Raw)>,
    /// Another part follows, of the same moment.
    pub goes_on: bool,
}
