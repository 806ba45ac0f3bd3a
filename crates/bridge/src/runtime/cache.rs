//! The cache of sessions in memory: folded once, then kept as long as they are used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use askbridge_core::Session;
use askbridge_core::ids::{Epoch, Position, SessionId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_journal::journal::Guard;
use askbridge_journal::{Digest, Entry, Written};
use foldhash::HashMap;
use parking_lot::Mutex;

/// One session in memory.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Locked by a decision until it is durable.
    state: tokio::sync::Mutex<CellState>,
    /// How often it was locked.
    #[cfg(test)]
    pub(crate) locked: AtomicU64,
    pub(crate) riding: Mutex<Riding>,
    touched: AtomicU64,
    /// The approximate size of its session in bytes.
    weight: AtomicUsize,
}

#[derive(Debug)]
pub(crate) struct CellState {
    pub(crate) session: Session,
    /// The position of the session's last decision.
    pub(crate) head: Option<Position>,
    pub(crate) digest: Digest,
    pub(crate) last_at: Timestamp,
    /// Where which epochs were claimed, oldest first. Empty on a store that no other node writes to.
    pub(super) claims: Vec<(Position, Epoch)>,
    /// `false`: the state may differ from the journal and has to be folded again. So before the first use, and after an
    /// append that was abandoned or failed half-way.
    pub(crate) trusted: bool,
    /// An append that was abandoned, or whose result is unknown, with content aboard.
    pub(crate) in_doubt: Option<InDoubt>,
}

/// An entry that may be stored, although the riders in it wait again.
#[derive(Debug)]
pub(crate) struct InDoubt {
    pub(crate) entry: Arc<Entry>,
    pub(crate) guard: Guard,
    /// How many of the riders, from the first, are in the entry.
    pub(crate) riders: usize,
}

impl CellState {
    /// A session before anything of it was read.
    pub(super) fn unread(session: SessionId) -> Self {
        let (session, digest, last_at) = (Session::new(session), Digest::ZERO, Timestamp(0));
        Self { session, head: None, digest, last_at, claims: Vec::new(), trusted: false, in_doubt: None }
    }
}

/// Something to be written with a session's next decision.
#[derive(Debug, Clone)]
pub enum Rider {
    /// Decided about when it is written.
    Note(Intent),
    /// What an agent said or did whose process runs under the claim of this epoch.
    Content(Epoch, Written),
}

/// The riders of a session, in the order in which they happened.
#[derive(Debug, Default)]
pub(crate) struct Riding {
    pub(crate) waiting: Vec<Rider>,
    /// The flusher's round in which the first of them came.
    pub(crate) since: u64,
    /// Some are in an entry that is not durable yet. They may come back.
    pub(crate) aboard: bool,
    /// The flusher knows of this session.
    pub(crate) listed: bool,
}

/// The riders of one entry. If this is dropped before the entry is durable, they wait for the next.
#[derive(Debug)]
pub(crate) struct Riders<'a> {
    cell: &'a Cell,
    was_taken: bool,
    pub(crate) waiting: Vec<Rider>,
    /// How many of them, from the first, are in the entry.
    pub(crate) aboard: usize,
}

impl Cell {
    /// Locks the session. On a remote journal, this is the step that costs a round trip.
    pub(crate) fn lock(&self) -> impl Future<Output = tokio::sync::MutexGuard<'_, CellState>> {
        #[cfg(test)]
        self.locked.fetch_add(1, Ordering::Relaxed);
        self.state.lock()
    }

    /// Locks the session, unless a decision holds it.
    pub(crate) fn lock_if_free(&self) -> Option<tokio::sync::MutexGuard<'_, CellState>> {
        self.state.try_lock().ok()
    }

    /// Nothing waits to be written, and nothing is being written that may have to wait again.
    pub(crate) fn has_no_riders(&self) -> bool {
        let riding = self.riding.lock();
        riding.waiting.is_empty() && !riding.aboard
    }

    pub(crate) fn take_riders(&self) -> Riders<'_> {
        let mut riding = self.riding.lock();
        let waiting = std::mem::take(&mut riding.waiting);
        riding.aboard = !waiting.is_empty();
        Riders { cell: self, was_taken: riding.aboard, waiting, aboard: 0 }
    }
}

impl Riders<'_> {
    /// Is there content among the riders in the entry? Notes need no care: what is noted twice is stored once.
    pub(crate) fn bring_content(&self) -> bool {
        self.waiting[..self.aboard].iter().any(|rider| matches!(rider, Rider::Content(..)))
    }

    /// The entry is durable: its riders no longer wait.
    pub(crate) fn arrive(&mut self) {
        self.waiting.drain(..std::mem::take(&mut self.aboard));
    }
}

impl Drop for Riders<'_> {
    fn drop(&mut self) {
        if self.was_taken {
            let mut riding = self.cell.riding.lock();
            riding.aboard = false;
            riding.waiting.splice(0..0, self.waiting.drain(..));
        }
    }
}

/// Spreads the sessions over several locks.
const SHARDS: usize = 16;

#[derive(Debug)]
pub(crate) struct Cache {
    shards: [Mutex<HashMap<SessionId, Arc<Cell>>>; SHARDS],
    clock: AtomicU64,
    /// The size of all sessions.
    bytes: AtomicUsize,
    /// The clock when idle sessions were last evicted.
    swept: AtomicU64,
}

impl Cache {
    pub(crate) fn new() -> Self {
        Self {
            shards: Default::default(),
            clock: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
            swept: AtomicU64::new(0),
        }
    }

    /// Records the size of a session that was changed or folded. If the total is too large, the least recently used
    /// sessions are evicted.
    pub(crate) fn weigh(&self, cell: &Cell, session: &Session) {
        let weight = session.weight();
        let change = weight.wrapping_sub(cell.weight.swap(weight, Ordering::Relaxed));
        let bytes = self.bytes.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        if bytes > limits::CACHED_BYTES_MAX {
            self.shards.iter().for_each(|shard| self.evict_older_half(&mut shard.lock()));
        }
    }

    /// Returns a session that is in memory already. Reads do not extend its stay in the cache.
    pub(crate) fn known(&self, session: SessionId) -> Option<Arc<Cell>> {
        self.shard(session).lock().get(&session).cloned()
    }

    fn shard(&self, session: SessionId) -> &Mutex<HashMap<SessionId, Arc<Cell>>> {
        &self.shards[(session.0 ^ (session.0 >> 64)) as usize % SHARDS]
    }

    /// Evicts a session that no longer exists, unless another task uses it.
    pub(super) fn leave(&self, session: SessionId, cell: Arc<Cell>) {
        let mut cells = self.shard(session).lock();
        // Ours, and the one in the map. No task can take another while the map is locked.
        if Arc::strong_count(&cell) == 2 && cells.get(&session).is_some_and(|known| Arc::ptr_eq(known, &cell)) {
            cells.remove(&session);
            self.bytes.fetch_sub(cell.weight.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    pub(crate) fn cell(&self, session: SessionId) -> Arc<Cell> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut cells = self.shard(session).lock();
        if let Some(cell) = cells.get(&session) {
            cell.touched.store(now, Ordering::Relaxed);
            return Arc::clone(cell);
        }
        if cells.len() >= limits::CACHED_SESSIONS_MAX / SHARDS {
            self.evict_older_half(&mut cells);
        }
        let cell = Arc::new(Cell {
            state: tokio::sync::Mutex::new(CellState::unread(session)),
            #[cfg(test)]
            locked: AtomicU64::new(0),
            riding: Mutex::default(),
            touched: AtomicU64::new(now),
            weight: AtomicUsize::new(0),
        });
        cells.insert(session, Arc::clone(&cell));
        cell
    }

    /// Evicts sessions that were not used since the last call.
    pub(crate) fn sweep(&self) {
        let since = self.swept.swap(self.clock.load(Ordering::Relaxed), Ordering::Relaxed);
        for shard in &self.shards {
            let mut cells = shard.lock();
            self.retain(&mut cells, |touched| touched >= since);
            cells.shrink_to_fit();
        }
    }

    fn evict_older_half(&self, cells: &mut HashMap<SessionId, Arc<Cell>>) {
        if cells.is_empty() {
            return;
        }
        let mut touched: Vec<_> = cells.values().map(|cell| cell.touched.load(Ordering::Relaxed)).collect();
        let middle = touched.len() / 2;
        let (_, &mut median, _) = touched.select_nth_unstable(middle);
        self.retain(cells, |touched| touched > median);
    }

    /// Keeps the cells that were touched late enough, and those that are in use or have riders to write.
    fn retain(&self, cells: &mut HashMap<SessionId, Arc<Cell>>, is_late: impl Fn(u64) -> bool) {
        let mut gone = 0;
        cells.retain(|_, cell| {
            let idle = Arc::strong_count(cell) == 1 && cell.riding.lock().waiting.is_empty();
            let stays = !idle || is_late(cell.touched.load(Ordering::Relaxed));
            if !stays {
                gone += cell.weight.load(Ordering::Relaxed);
            }
            stays
        });
        self.bytes.fetch_sub(gone, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::event::{Event, Said};
    use askbridge_core::ids::MessageId;

    use super::*;

    /// A session with a message of this many bytes.
    fn said(session: SessionId, bytes: usize) -> Session {
        let message = MessageId { session, number: 1 };
        let said = Said { message, text: "x".repeat(bytes), by: None, about: None, client_id: None, at: Timestamp(0) };
        Session::replay(session, [&Event::Said(Box::new(said))])
    }

    #[test]
    fn what_nobody_uses_for_a_while_is_let_go() {
        let cache = Cache::new();
        let [quiet, busy, held] = [SessionId(1), SessionId(2), SessionId(3)];
        let holding = cache.cell(held);
        [quiet, busy].iter().for_each(|session| cache.weigh(&cache.cell(*session), &said(*session, 1000)));
        cache.sweep();
        assert!(cache.known(quiet).is_some(), "it was used since the beginning");
        cache.cell(busy);
        cache.sweep();
        assert_eq!([quiet, busy, held].map(|session| cache.known(session).is_some()), [false, true, true]);
        assert_eq!(cache.bytes.load(Ordering::Relaxed), said(busy, 1000).weight());
        drop(holding);
    }

    #[test]
    fn what_is_large_makes_room_for_what_is_used() {
        let cache = Cache::new();
        let large = limits::CACHED_BYTES_MAX / 8;
        let sessions: Vec<_> = (1..=40).map(SessionId).collect();
        let busy = cache.cell(SessionId(0));
        cache.weigh(&busy, &said(SessionId(0), large));
        for session in &sessions {
            cache.weigh(&cache.cell(*session), &said(*session, large));
            let bytes = cache.bytes.load(Ordering::Relaxed);
            assert!(bytes <= limits::CACHED_BYTES_MAX + large * 2, "{bytes} bytes");
        }
        assert!(cache.known(SessionId(0)).is_some(), "it is in use");
        assert!(cache.known(SessionId(1)).is_none() && cache.known(SessionId(40)).is_some());
        // The counted size is that of the remaining sessions.
        let left: usize = cache
            .shards
            .iter()
            .flat_map(|shard| shard.lock().values().cloned().collect::<Vec<_>>())
            .map(|cell| cell.weight.load(Ordering::Relaxed))
            .sum();
        assert_eq!(left, cache.bytes.load(Ordering::Relaxed));
    }
}
