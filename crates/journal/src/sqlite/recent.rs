//! The newest entries in memory, for followers; and the gists of older ones, until the index takes them.

use std::collections::VecDeque;
use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::limits;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::entry::Stored;
use crate::index::Gists;

/// Entries whose gists wait for the index. Beyond: they are dropped, and the index reads the journal instead.
const GISTS_MAX: usize = 65_536;

/// The newest entries, and a notification that there are more.
#[derive(Debug)]
pub(crate) struct Recent {
    ring: Mutex<Ring>,
    end: Mutex<JournalEnd>,
    /// Wakes waiters in the order they came. A `watch` channel wakes them in random order, and then a simulation would
    /// not run the same way for the same seed.
    changed: Notify,
}

/// What followers wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalEnd {
    /// Position of the newest durable entry.
    pub(crate) newest: u64,
    pub(crate) open: bool,
}

#[derive(Debug)]
struct Ring {
    /// One per position from `first` on, without gaps; `None` where a session was forgotten.
    entries: VecDeque<Option<Arc<Stored>>>,
    first: u64,
    bytes: usize,
    /// Gists of entries that have left memory, and that the index does not have yet.
    left: Gists,
    /// The index was given everything up to here, or has to read it. Later entries are in `left` and `entries`.
    given_up_to: u64,
    /// What the index was given last. `None` if it has to read.
    given: Option<IndexedBatch>,
}

#[derive(Debug)]
struct IndexedBatch {
    /// The index had everything up to here.
    after: u64,
    sessions: Vec<SessionId>,
}

impl Ring {
    /// Removes the oldest until there are at most `max`, and returns them, so that they are dropped after the ring is
    /// unlocked.
    fn leave(&mut self, max: usize) -> Vec<Arc<Stored>> {
        let mut left = Vec::new();
        while self.entries.len() > max || self.bytes > limits::RECENT_BYTES_MAX {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            let position = self.first;
            self.first += 1;
            if let Some(stored) = oldest {
                self.bytes -= stored.entry.bytes();
                if position > self.given_up_to {
                    self.left.add(position, &stored.entry);
                }
                left.push(stored);
            }
        }
        if self.left.len() > GISTS_MAX {
            self.left = Gists::default();
            (self.given_up_to, self.given) = (self.first - 1, None);
        }
        left
    }

    fn newest(&self) -> u64 {
        self.first + self.entries.len() as u64 - 1
    }

    /// Returns the entries in memory after a position.
    fn after(&self, position: u64) -> impl Iterator<Item = &Arc<Stored>> {
        let known = usize::try_from((position + 1).saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.entries.range(known.min(self.entries.len())..).flatten()
    }
}

/// How many of the new entries the index wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexDemand {
    All,
    /// Only those that have left memory: the others are likely to change again soon.
    WhatLeft,
}

/// Entries from memory, and the position up to which they are complete.
pub(crate) struct Batch {
    pub(crate) entries: Vec<Arc<Stored>>,
    pub(crate) up_to: u64,
}

impl Recent {
    pub(crate) fn new(newest: u64) -> Self {
        // Without an index beside the journal, gists need not be kept.
        let (entries, left, given_up_to) = (VecDeque::new(), Gists::default(), u64::MAX);
        let ring = Ring { entries, first: newest + 1, bytes: 0, left, given_up_to, given: None };
        Self { ring: Mutex::new(ring), end: Mutex::new(JournalEnd { newest, open: true }), changed: Notify::new() }
    }

    pub(crate) fn end(&self) -> JournalEnd {
        *self.end.lock()
    }

    pub(crate) fn newest(&self) -> u64 {
        self.end().newest
    }

    /// Waits until the end differs from `known`.
    pub(crate) async fn changed(&self, known: JournalEnd) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // Registers before checking, so that no change in between is missed.
            changed.as_mut().enable();
            if self.end() != known {
                return;
            }
            changed.await;
        }
    }

    /// Adds entries that were just committed, in order, and wakes all followers.
    pub(crate) fn push(&self, entries: &[Arc<Stored>]) {
        let Some(last) = entries.last() else { return };
        let mut ring = self.ring.lock();
        for stored in entries {
            debug_assert_eq!(stored.position.0, ring.first + ring.entries.len() as u64, "positions have no gaps");
            ring.bytes += stored.entry.bytes();
            ring.entries.push_back(Some(Arc::clone(stored)));
        }
        // Usually a follower has made room before.
        let left = ring.leave(limits::RECENT_ENTRIES_MAX + limits::APPEND_BATCH_MAX);
        // Set before the ring is unlocked. The hub reads entries from the ring and passes them to its subscribers; a
        // follower that subscribes after that asks for the newest position to know how far to catch up. If that were
        // still older than what the hub has passed on, the entries in between would reach the follower neither way.
        self.end.lock().newest = last.position.0;
        drop(ring);
        drop(left);
        self.changed.notify_waiters();
    }

    /// Drops the oldest entries.
    ///
    /// Called by followers, because they run on the threads that allocate entries: freeing memory on another thread
    /// moves it between processors, which takes longer than everything else that is done with an entry here.
    pub(crate) fn make_room(&self) {
        let left = self.ring.lock().leave(limits::RECENT_ENTRIES_MAX);
        drop(left);
    }

    /// Returns up to `max` entries after a position, fewer if they are large, or `None` if some of them have left
    /// memory.
    pub(crate) fn after(&self, position: u64, max: usize) -> Option<Batch> {
        let ring = self.ring.lock();
        let skip = (position + 1).checked_sub(ring.first)?;
        let skip = usize::try_from(skip).ok()?;
        let range = skip.min(ring.entries.len())..skip.saturating_add(max).min(ring.entries.len());
        let (mut batch, mut bytes) = (Batch { entries: Vec::with_capacity(range.len()), up_to: position }, 0);
        for entry in ring.entries.range(range) {
            batch.up_to += 1;
            if let Some(stored) = entry {
                bytes += stored.entry.bytes();
                batch.entries.push(Arc::clone(stored));
            }
            if bytes >= limits::READ_BYTES_MAX {
                break;
            }
        }
        Some(batch)
    }

    /// Keeps gists for an index beside the journal from now on.
    pub(crate) fn keep_for_index(&self) {
        let mut ring = self.ring.lock();
        ring.given_up_to = ring.newest();
    }

    /// The position up to which the index has to read the journal, unless it was given those entries.
    pub(crate) fn given_up_to(&self) -> u64 {
        self.ring.lock().given_up_to
    }

    /// Moves the gists that the index does not have yet into `gists`, which must be empty. Returns their last position.
    pub(crate) fn give(&self, wanted: IndexDemand, gists: &mut Gists) -> u64 {
        let mut ring = self.ring.lock();
        std::mem::swap(&mut ring.left, gists);
        let after = ring.given_up_to;
        let up_to = match wanted {
            IndexDemand::WhatLeft => after.max(ring.first - 1),
            IndexDemand::All => {
                ring.after(after).for_each(|stored| gists.add(stored.position.0, &stored.entry));
                ring.newest()
            }
        };
        (ring.given_up_to, ring.given) = (up_to, Some(IndexedBatch { after, sessions: gists.sessions().collect() }));
        up_to
    }

    /// May an entry after `position` that the index lacks be about this session?
    pub(crate) fn mentions(&self, session: SessionId, position: u64) -> bool {
        let ring = self.ring.lock();
        if position < ring.given_up_to {
            match &ring.given {
                Some(given) if given.after <= position && !given.sessions.contains(&session) => {}
                _ => return true,
            }
        }
        ring.left.sessions().any(|left| left == session)
            || ring.after(position).any(|stored| stored.entry.session == session)
    }

    pub(crate) fn forget(&self, session: SessionId) {
        let mut ring = self.ring.lock();
        ring.left.forget(session);
        let mut freed = 0;
        for place in &mut ring.entries {
            if let Some(stored) = place.take_if(|stored| stored.entry.session == session) {
                freed += stored.entry.bytes();
            }
        }
        ring.bytes -= freed;
    }

    /// Tells followers that no more entries will come.
    pub(crate) fn close(&self) {
        self.end.lock().open = false;
        self.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::event::{Event, Lane};
    use askbridge_core::ids::{AskId, EntryId, Epoch, NodeId, Position, Timestamp};

    use super::*;
    use crate::entry::{Digest, Entry, Written};

    fn entry(position: u64, session: SessionId) -> Arc<Stored> {
        let event = Written::new(Event::Parked { ask: AskId { session, number: 1 } });
        let (id, lane, at) = (EntryId(u128::from(position)), Lane::Decisions, Timestamp(0));
        let (node, epoch, prev) = (NodeId(0), Epoch(0), Digest::ZERO);
        let entry = Arc::new(Entry { id, session, lane, at, node, epoch, prev, events: vec![event] });
        Arc::new(Stored { position: Position(position), entry })
    }

    /// Entries of sessions numbered like their positions, more than stay in memory.
    fn full() -> (Recent, u64) {
        let (recent, newest) = (Recent::new(0), limits::RECENT_ENTRIES_MAX as u64 + 10);
        recent.keep_for_index();
        (1..=newest).for_each(|position| recent.push(&[entry(position, SessionId(u128::from(position)))]));
        recent.make_room();
        (recent, newest)
    }

    fn given(recent: &Recent, wanted: IndexDemand) -> (Vec<u128>, u64) {
        let mut gists = Gists::default();
        let up_to = recent.give(wanted, &mut gists);
        (gists.sessions().map(|session| session.0).collect(), up_to)
    }

    #[test]
    fn an_index_is_given_everything_once_wherever_it_is() {
        let (recent, newest) = full();
        assert_eq!(given(&recent, IndexDemand::WhatLeft), ((1..=10).collect(), 10), "the rest is still in memory");
        assert_eq!(given(&recent, IndexDemand::WhatLeft), (vec![], 10));
        assert_eq!(given(&recent, IndexDemand::All), ((11..=u128::from(newest)).collect(), newest));
        // A gist that was given while its entry was in memory is not given again when the entry leaves.
        let more = newest + 1..=newest + limits::RECENT_ENTRIES_MAX as u64;
        more.clone().for_each(|position| recent.push(&[entry(position, SessionId(u128::from(position)))]));
        recent.make_room();
        assert_eq!(given(&recent, IndexDemand::WhatLeft), (vec![], newest));
        assert_eq!(given(&recent, IndexDemand::All).0.len(), limits::RECENT_ENTRIES_MAX);
    }

    #[test]
    fn what_can_be_read_from_memory_is_never_newer_than_the_newest_that_is_told() {
        const ENTRIES: u64 = 200_000;
        let recent = Recent::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for position in 1..=ENTRIES {
                    recent.push(&[entry(position, SessionId(1))]);
                    recent.make_room();
                }
            });
            let mut at = 0;
            while at < ENTRIES {
                // A reader that takes the new entries, then asks for the journal's last position.
                let read = recent.after(at, 64);
                let newest = recent.newest();
                at = read.map_or(newest, |batch| batch.up_to);
                assert!(at <= newest, "entry {at} was read, but a follower that comes now is told the end is {newest}");
            }
        });
    }

    #[test]
    fn a_session_is_mentioned_also_while_the_index_is_busy_with_it() {
        let (recent, newest) = full();
        let mentioned = |session: u64, at| recent.mentions(SessionId(u128::from(session)), at);
        assert!(mentioned(1, 0) && mentioned(newest, 0) && !mentioned(newest + 1, 0));
        given(&recent, IndexDemand::WhatLeft);
        assert!(mentioned(1, 0) && mentioned(newest, 0) && !mentioned(newest + 1, 0), "it has not written that yet");
        assert!(!mentioned(1, 10) && mentioned(11, 10), "now it has");
        given(&recent, IndexDemand::All);
        assert!(mentioned(newest + 1, 0), "what was given before that may never have been written");
    }

    #[test]
    fn what_is_forgotten_is_not_given() {
        let (recent, newest) = full();
        recent.forget(SessionId(1));
        recent.forget(SessionId(u128::from(newest)));
        assert_eq!(given(&recent, IndexDemand::All), ((2..u128::from(newest)).collect(), newest));
    }
}
