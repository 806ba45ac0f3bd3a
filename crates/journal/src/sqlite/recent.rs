//! The newest entries, kept in memory for those who follow.

use std::collections::VecDeque;
use std::sync::Arc;

use askbridge_core::ids::SessionId;
use askbridge_core::limits;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::entry::Stored;

/// The newest entries and the news that there are more.
#[derive(Debug)]
pub(crate) struct Recent {
    ring: Mutex<Ring>,
    news: Mutex<News>,
    /// Wakes those who wait in the order they came. A `watch` channel wakes them by chance, and then a simulation with
    /// one seed would not run the same way every time.
    changed: Notify,
}

/// What followers wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    /// Position of the newest durable entry.
    pub(crate) newest: u64,
    pub(crate) open: bool,
}

#[derive(Debug)]
struct Ring {
    /// One for each position from `first` on, without gaps; nothing where a session was forgotten.
    entries: VecDeque<Option<Arc<Stored>>>,
    first: u64,
    bytes: usize,
}

impl Ring {
    /// Removes the oldest until there are at most `max`, and returns them, to be dropped when the ring is free again.
    fn leave(&mut self, max: usize) -> Vec<Arc<Stored>> {
        let mut left = Vec::new();
        while self.entries.len() > max || self.bytes > limits::RECENT_BYTES_MAX {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.first += 1;
            if let Some(stored) = oldest {
                self.bytes -= stored.entry.bytes();
                left.push(stored);
            }
        }
        left
    }
}

/// Entries from memory, and the position up to which there are no others.
pub(crate) struct Batch {
    pub(crate) entries: Vec<Arc<Stored>>,
    pub(crate) up_to: u64,
}

impl Recent {
    pub(crate) fn new(newest: u64) -> Self {
        let ring = Ring { entries: VecDeque::new(), first: newest + 1, bytes: 0 };
        Self { ring: Mutex::new(ring), news: Mutex::new(News { newest, open: true }), changed: Notify::new() }
    }

    pub(crate) fn news(&self) -> News {
        *self.news.lock()
    }

    pub(crate) fn newest(&self) -> u64 {
        self.news().newest
    }

    /// Waits until there is something else to say than `known`.
    pub(crate) async fn changed(&self, known: News) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // Listen first, then look: whatever happens in between is heard.
            changed.as_mut().enable();
            if self.news() != known {
                return;
            }
            changed.await;
        }
    }

    fn tell(&self, change: impl FnOnce(&mut News)) {
        change(&mut self.news.lock());
        self.changed.notify_waiters();
    }

    /// Takes in what was just committed, in order, and wakes everyone who waits for it.
    pub(crate) fn push(&self, entries: &[Arc<Stored>]) {
        let Some(last) = entries.last() else { return };
        let mut ring = self.ring.lock();
        for stored in entries {
            debug_assert_eq!(stored.position.0, ring.first + ring.entries.len() as u64, "positions have no gaps");
            ring.bytes += stored.entry.bytes();
            ring.entries.push_back(Some(Arc::clone(stored)));
        }
        // Usually whoever follows has made room before.
        let left = ring.leave(limits::RECENT_ENTRIES_MAX + limits::APPEND_BATCH_MAX);
        drop(ring);
        drop(left);
        let newest = last.position.0;
        self.tell(|news| news.newest = newest);
    }

    /// Lets the oldest entries go.
    ///
    /// Followers do this, because they run where entries are made: memory that one thread asks for and another gives back
    /// travels between processors, and that takes longer than all else that becomes of an entry here.
    pub(crate) fn make_room(&self) {
        let left = self.ring.lock().leave(limits::RECENT_ENTRIES_MAX);
        drop(left);
    }

    /// Returns up to `max` entries after a position, or nothing if some of them have left memory.
    pub(crate) fn after(&self, position: u64, max: usize) -> Option<Batch> {
        let ring = self.ring.lock();
        let skip = (position + 1).checked_sub(ring.first)?;
        let skip = usize::try_from(skip).ok()?;
        let range = skip.min(ring.entries.len())..skip.saturating_add(max).min(ring.entries.len());
        let up_to = position + range.len() as u64;
        Some(Batch { entries: ring.entries.range(range).flatten().cloned().collect(), up_to })
    }

    /// May anything after `position` be about this session?
    pub(crate) fn mentions(&self, session: SessionId, position: u64) -> bool {
        let ring = self.ring.lock();
        let Some(skip) = (position + 1).checked_sub(ring.first) else { return position < self.newest() };
        let skip = usize::try_from(skip).unwrap_or(usize::MAX).min(ring.entries.len());
        ring.entries.range(skip..).flatten().any(|stored| stored.entry.session == session)
    }

    pub(crate) fn forget(&self, session: SessionId) {
        let mut ring = self.ring.lock();
        let mut freed = 0;
        for place in &mut ring.entries {
            if let Some(stored) = place.take_if(|stored| stored.entry.session == session) {
                freed += stored.entry.bytes();
            }
        }
        ring.bytes -= freed;
    }

    /// Tells followers that nothing more will come.
    pub(crate) fn close(&self) {
        self.tell(|news| news.open = false);
    }
}
