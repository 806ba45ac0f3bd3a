//! What the bridge tells a peer: events, snapshots, deltas, and messages from other connections.

use std::sync::Arc;

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Position, Raw, SessionId, Timestamp};
use askbridge_core::view::AskView;

use crate::peer::BlockKind;

/// Something that happened, or the current state.
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
    /// All of the past was told; what follows is live.
    CaughtUp {
        session: SessionId,
        /// How far a client of this language had come in its last connection.
        seen: Option<Position>,
    },
    /// These sessions were forgotten: nothing of them is left.
    Gone {
        sessions: &'a [SessionId],
    },
    /// A screen of the same token and language now shows this session, or no session.
    Looked {
        session: Option<SessionId>,
        /// `None`: which screen is not known.
        screen: Option<u64>,
        /// The screen is sent the session's history up to here. `None`: it begins to load it, or only shows it.
        loaded_to: Option<Position>,
    },
    /// A message about the session from another connection of the same language.
    Whispered {
        session: SessionId,
        words: &'a str,
    },
    /// Another connection took this one's seat.
    Displaced {
        session: SessionId,
    },
    /// This peer was too slow; its connection is being closed.
    Lagged,
}

/// State of one person that is not an event. All devices of that person are told that watch the inbox, the one that
/// changed it included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Own {
    /// An ask is hidden until then. `None`: it is shown again.
    Snoozed { ask: AskId, until: Option<Timestamp> },
    /// A device was added, removed or renamed.
    Devices,
    /// A way in which the person is reached was added, removed or changed, or does not work any longer.
    Channels,
}

/// One event with its position, encoded once for all subscribers.
#[derive(Debug, Clone)]
pub struct Happened {
    pub session: SessionId,
    pub at: Timestamp,
    /// The position of its entry.
    pub position: Position,
    /// Where a client that has seen this may resume. Only the last event of an entry carries it, so that a client never
    /// resumes in the middle of one.
    pub cursor: Option<Arc<str>>,
    pub event: Arc<Event>,
    pub json: Arc<str>,
    /// For `Asked`: a rule settled the ask in the same entry, so it was never open and no screen shows it as open.
    pub settled_at_once: bool,
}

/// What a caller may see, at one moment. Comes in parts, so that large asks are never all in memory.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub cursor: String,
    /// Unshortened, however large they are.
    pub asks: Vec<AskView>,
    /// There are more open asks than a snapshot holds.
    pub more: bool,
    /// All of them come with the first part.
    pub drafts: Vec<(AskId, Raw)>,
    /// Another part of the same snapshot follows.
    pub goes_on: bool,
}
