//! Makes ids that no other scenario has, and entries to append.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::event::{Event, Lane, Level, Said};
use askbridge_core::ids::{EntryId, Epoch, MessageId, NodeId, Position, SessionId, Timestamp};

use crate::entry::{Digest, Entry, Written};
use crate::journal::{AppendError, Guard, Journal};

/// Makes ids. Two with the same seed make the same ones.
#[derive(Debug)]
pub struct Names {
    seed: u64,
    next: AtomicU64,
}

impl Names {
    pub fn new(seed: u64) -> Self {
        Self { seed, next: AtomicU64::new(1) }
    }

    fn number(&self) -> u128 {
        u128::from(self.seed) << 64 | u128::from(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns another maker of ids, with different ones.
    pub fn apart(&self) -> Self {
        Self::new(self.seed << 32 | self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub fn session(&self) -> SessionId {
        SessionId(self.number())
    }

    pub fn key(&self, kind: &str) -> String {
        format!("{kind}/{:x}", self.number())
    }

    /// A decision.
    pub fn said(&self, session: SessionId, number: u32, prev: Digest) -> Arc<Entry> {
        let said = Said {
            message: MessageId { session, number },
            at: Timestamp(i64::from(number)),
            text: format!("message {number}"),
            by: None,
            about: None,
            client_id: None,
        };
        Arc::new(Entry { prev, ..self.entry(session, Lane::Decisions, Event::Said(Box::new(said))) })
    }

    /// A piece of content.
    pub fn noticed(&self, session: SessionId, text: &str) -> Arc<Entry> {
        let notice = Event::Notice { level: Level::Info, text: text.to_owned() };
        Arc::new(self.entry(session, Lane::Content, notice))
    }

    pub(super) fn entry(&self, session: SessionId, lane: Lane, event: Event) -> Entry {
        Entry {
            id: EntryId(self.number()),
            session,
            lane,
            at: Timestamp(1_000),
            node: NodeId(u64::MAX),
            epoch: Epoch(1),
            prev: Digest::ZERO,
            events: vec![Written::new(event)],
        }
    }

    /// Appends `count` decisions to a session, one after the other. Returns their positions.
    pub async fn talk<J: Journal>(&self, journal: &J, session: SessionId, count: u32) -> Vec<Position> {
        let mut head = None;
        let mut prev = Digest::ZERO;
        let mut positions = Vec::new();
        for number in 1..=count {
            let entry = self.said(session, number, prev);
            prev = entry.digest();
            let position = append(journal, &entry, Guard::Head(head)).await.expect("nobody else writes here");
            head = Some(position);
            positions.push(position);
        }
        positions
    }
}

/// Appends, and retries if the outcome is unknown, as a writer must.
pub(super) async fn append<J: Journal>(journal: &J, entry: &Arc<Entry>, guard: Guard) -> Result<Position, AppendError> {
    loop {
        match journal.append(Arc::clone(entry), guard).await {
            Err(AppendError::Unknown) => {}
            result => return result,
        }
    }
}
