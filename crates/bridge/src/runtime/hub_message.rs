//! What the hub tells: an entry of the journal, encoded once for all subscribers, or a message of the bus.

use std::sync::Arc;

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, PartyId, Position, Raw, SessionId};
use askbridge_journal::{Cursor, Entry, Stored};
use askbridge_peers::peer::BlockKind;
use askbridge_peers::told::{Happened, Own};

#[derive(Debug)]
pub enum HubMessage {
    Entry(Batch),
    Draft {
        person: String,
        ask: AskId,
        draft: Raw,
    },
    /// Something that concerns one person's devices only.
    Own {
        person: String,
        own: Own,
    },
    /// Streaming text. May be lost; the stored text completes it.
    Delta {
        session: SessionId,
        block: u32,
        kind: BlockKind,
        offset: usize,
        text: String,
    },
    /// These sessions were forgotten.
    Gone {
        sessions: Vec<SessionId>,
    },
    /// A connection took the only seat of its dialect in a session.
    Seat {
        session: SessionId,
        dialect: String,
        connection: u64,
    },
    /// A screen shows a session, or none any more. For the other connections of the same token. May be lost.
    Look {
        party: PartyId,
        dialect: String,
        session: Option<SessionId>,
        screen: Option<u64>,
        loaded_to: Option<Position>,
    },
    /// A message from one connection of a dialect to the others in a session. May be lost.
    Whisper {
        session: SessionId,
        dialect: String,
        words: String,
    },
}

/// Does the entry that makes this ask also settle it?
fn is_settled_in(entry: &Entry, event: &Event) -> bool {
    let Event::Asked(ask) = event else { return false };
    entry.events.iter().any(|written| matches!(&*written.event, Event::Settled(settled) if settled.ask == ask.id))
}

/// The events of one entry.
#[derive(Debug)]
pub struct Batch {
    pub session: SessionId,
    pub position: Position,
    pub happened: Vec<Happened>,
}

impl HubMessage {
    /// Shares an entry. `cursor` is where a client that has seen all of it may continue.
    pub(crate) fn of(stored: &Stored, cursor: &Cursor) -> Self {
        let entry = &stored.entry;
        let last = entry.events.len().saturating_sub(1);
        let cursor: Arc<str> = cursor.text().into();
        let happened = entry.events.iter().enumerate().map(|(place, written)| Happened {
            session: entry.session,
            at: entry.at,
            position: stored.position,
            cursor: (place == last).then(|| Arc::clone(&cursor)),
            event: Arc::clone(&written.event),
            json: Arc::clone(&written.json),
            settled_at_once: is_settled_in(entry, &written.event),
        });
        Self::Entry(Batch { session: entry.session, position: stored.position, happened: happened.collect() })
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Entry(batch) => batch.happened.iter().map(|event| event.json.len() + 128).sum(),
            Self::Draft { draft, .. } => draft.as_str().len() + 64,
            Self::Own { .. } => 128,
            Self::Gone { sessions } => 64 + 32 * sessions.len(),
            Self::Delta { text, .. } => text.len() + 64,
            Self::Seat { dialect, .. } => dialect.len() + 64,
            Self::Look { dialect, party, .. } => dialect.len() + party.as_str().len() + 64,
            Self::Whisper { words, .. } => words.len() + 64,
        }
    }
}
