//! Entries: what is appended, its events with their encoding, and its digest.

use std::sync::Arc;

use askbridge_core::event::{Event, Lane};
use askbridge_core::ids::{EntryId, Epoch, NodeId, Position, SessionId, Timestamp};
use askbridge_core::limits;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::journal::{AppendError, Guard};
use crate::record::{self, DecodeError};

/// An event with its record, encoded once: the store and all subscribers share it.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub event: Arc<Event>,
    pub json: Arc<str>,
}

/// SHA-256 of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Digest(pub [u8; 32]);

/// One append: all events of one decision with the content that belongs to it, or content alone. Atomic.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Chosen by the writer, so that the same append can be retried.
    pub id: EntryId,
    pub session: SessionId,
    pub lane: Lane,
    pub at: Timestamp,
    pub node: NodeId,
    pub epoch: Epoch,
    /// Digest of this session's previous entry in the lane of decisions. Zero for the first one, and for content.
    pub prev: Digest,
    pub events: Vec<Written>,
}

/// An entry and its position in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub position: Position,
    pub entry: Arc<Entry>,
}

impl Written {
    pub fn new(event: Event) -> Self {
        Self { json: record::encode(&event).into(), event: Arc::new(event) }
    }
}

impl Digest {
    /// The digest before the first entry.
    pub const ZERO: Self = Self([0; 32]);

    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Entry {
    /// Returns the digest of all fields and of the encoded events.
    pub fn digest(&self) -> Digest {
        let mut sha = Sha256::new();
        let mut head = [0_u8; 96];
        head[..16].copy_from_slice(&self.id.0.to_be_bytes());
        head[16..32].copy_from_slice(&self.session.0.to_be_bytes());
        head[32..40].copy_from_slice(&self.at.0.to_be_bytes());
        head[40..48].copy_from_slice(&self.node.0.to_be_bytes());
        head[48..52].copy_from_slice(&self.epoch.0.to_be_bytes());
        head[52] = lane_number(self.lane);
        head[56..64].copy_from_slice(&(self.events.len() as u64).to_be_bytes());
        head[64..].copy_from_slice(&self.prev.0);
        sha.update(head);
        for written in &self.events {
            sha.update((written.json.len() as u64).to_be_bytes());
            sha.update(written.json.as_bytes());
        }
        Digest(sha.finalize().into())
    }

    /// Returns how many bytes the encoded events take.
    pub fn bytes(&self) -> usize {
        self.events.iter().map(|written| written.json.len()).sum()
    }

    /// Checks what every backend must check before it appends.
    pub(crate) fn check(&self, guard: Guard) -> Result<(), AppendError> {
        if self.events.len() > limits::ENTRY_EVENTS_MAX || self.bytes() > limits::ENTRY_BYTES_MAX {
            return Err(AppendError::TooLarge { events: self.events.len(), bytes: self.bytes() });
        }
        if self.events.is_empty() {
            return Err(AppendError::Malformed("it has no events"));
        }
        let decisions = self.events.iter().filter(|written| written.event.lane() == Lane::Decisions).count();
        if self.lane == Lane::Content && decisions > 0 {
            return Err(AppendError::Malformed("decisions are no content"));
        }
        if self.lane == Lane::Decisions && decisions == 0 {
            return Err(AppendError::Malformed("it decides nothing"));
        }
        if self.lane == Lane::Decisions && guard == Guard::Unguarded {
            return Err(AppendError::Malformed("decisions are never appended without a guard"));
        }
        if self.lane == Lane::Content && guard != Guard::Unguarded {
            return Err(AppendError::Malformed("only decisions can be guarded"));
        }
        Ok(())
    }

    /// Writes the events as one JSON array.
    pub(crate) fn body(&self) -> String {
        let mut body = String::with_capacity(self.bytes() + self.events.len() + 2);
        for (at, written) in self.events.iter().enumerate() {
            body.push(if at == 0 { '[' } else { ',' });
            body.push_str(&written.json);
        }
        body.push(']');
        body
    }
}

/// Reads what [`Entry::body`] wrote. The text of each event is kept as it is, so that digests still agree.
pub(crate) fn read_body(body: &str) -> Result<Vec<Written>, DecodeError> {
    let read = |raw: &RawValue| Ok(Written { event: Arc::new(record::decode(raw.get())?), json: raw.get().into() });
    split_body(body)?.into_iter().map(read).collect()
}

/// Reads the events of these kinds, and skips the others.
pub(crate) fn read_kinds(body: &str, kinds: &[&str]) -> Result<Vec<Event>, DecodeError> {
    let mut events = Vec::new();
    for raw in split_body(body)? {
        if kinds.contains(&&*record::kind_of(raw.get())?) {
            events.push(record::decode(raw.get())?);
        }
    }
    Ok(events)
}

fn split_body(body: &str) -> Result<Vec<&RawValue>, DecodeError> {
    let malformed = |source| DecodeError::Malformed { kind: "entry".to_owned(), source: Arc::new(source) };
    serde_json::from_str(body).map_err(malformed)
}

pub(crate) fn lane_number(lane: Lane) -> u8 {
    match lane {
        Lane::Decisions => 0,
        Lane::Content => 1,
    }
}

pub(crate) fn numbered_lane(number: u8) -> Lane {
    if number == 0 { Lane::Decisions } else { Lane::Content }
}
