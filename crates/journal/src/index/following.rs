//! How far an index has followed a remote journal, and who waits for it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use askbridge_core::limits;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::health::{Health, Lag, Unreadable};

/// Why an index does not show what it should.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotCaughtUp {
    /// Try again: it will.
    #[error("this node has not yet read {} entries of the journal", lag.entries)]
    Behind { lag: Lag },
    #[error("this node cannot read the journal any more")]
    Unreadable(#[source] Unreadable),
    /// The cursor is of another journal, or of one that was restored from an older copy: start from a snapshot.
    #[error("the cursor is not of this journal")]
    Foreign,
}

/// What a node knows of one stream.
#[derive(Debug, Default)]
pub(crate) struct KnownStream {
    /// The highest sequence of an entry that this node was told or wrote.
    newest: AtomicU64,
    /// The highest sequence that is known to be stored.
    stored: AtomicU64,
    /// The highest sequence that was acknowledged to this node.
    written: AtomicU64,
}

/// What a node knows of all streams, whether its index has it or not.
#[derive(Debug)]
pub(crate) struct Known(Vec<KnownStream>);

impl Known {
    pub(crate) fn new(streams: usize) -> Self {
        Self((0..streams).map(|_| KnownStream::default()).collect())
    }

    pub(crate) fn streams(&self) -> usize {
        self.0.len()
    }

    /// This node was acknowledged a message.
    pub(crate) fn wrote(&self, stream: usize, sequence: u64) {
        self.0[stream].written.fetch_max(sequence, Ordering::Release);
        self.saw(stream, sequence);
    }

    /// This node was told of a message.
    pub(crate) fn saw(&self, stream: usize, sequence: u64) {
        self.0[stream].newest.fetch_max(sequence, Ordering::Relaxed);
        self.heard_of(stream, sequence);
    }

    /// There are messages up to here.
    pub(crate) fn heard_of(&self, stream: usize, sequence: u64) {
        self.0[stream].stored.fetch_max(sequence, Ordering::Relaxed);
    }

    /// Is there a message after this one?
    pub(crate) fn has_after(&self, stream: usize, sequence: u64) -> bool {
        self.0[stream].stored.load(Ordering::Relaxed) > sequence
    }

    pub(crate) fn newest(&self) -> Vec<u64> {
        self.0.iter().map(|stream| stream.newest.load(Ordering::Relaxed)).collect()
    }

    fn written(&self) -> Vec<u64> {
        self.0.iter().map(|stream| stream.written.load(Ordering::Acquire)).collect()
    }

    fn stored(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|stream| stream.stored.load(Ordering::Relaxed))
    }
}

/// Asks the journal for the newest sequence of each stream; `None` if it cannot be reached.
pub(crate) type AskNewest = Box<dyn Fn() -> BoxFuture<'static, Option<Vec<u64>>> + Send + Sync>;

/// How far one index has come.
pub(crate) struct Following {
    known: Arc<Known>,
    ask_newest: AskNewest,
    applied: watch::Sender<Applied>,
    /// What was stored at a moment when the index did not have it, and when that was.
    goal: Mutex<Option<(Vec<u64>, Instant)>>,
}

#[derive(Debug)]
struct Applied {
    cursor: Cursor,
    /// It has caught up once since it was opened.
    is_ready: bool,
    failing: Option<Fault>,
    stopped: Option<Unreadable>,
}

impl Following {
    pub(crate) fn new(known: Arc<Known>, cursor: Cursor, ask_newest: AskNewest) -> Self {
        let applied = Applied { cursor, is_ready: false, failing: None, stopped: None };
        Self { known, ask_newest, applied: watch::Sender::new(applied), goal: Mutex::default() }
    }

    pub(crate) fn applied(&self, cursor: &Cursor) {
        self.applied.send_modify(|applied| {
            applied.cursor.clone_from(cursor);
            applied.failing = None;
        });
        self.lag();
    }

    pub(crate) fn ready(&self) {
        self.applied.send_modify(|applied| applied.is_ready = true);
    }

    pub(crate) fn fails(&self, why: Fault) {
        self.applied.send_modify(|applied| applied.failing = Some(why));
    }

    pub(crate) fn stop(&self, at: Unreadable) {
        self.applied.send_modify(|applied| applied.stopped = Some(at));
    }

    /// Waits until the index has caught up for the first time.
    pub(crate) async fn until_ready(&self) -> Result<(), Unreadable> {
        let mut changes = self.applied.subscribe();
        let applied = changes.wait_for(|applied| applied.is_ready || applied.stopped.is_some()).await;
        match applied.expect("the sender is in `self`").stopped.clone() {
            Some(stopped) => Err(stopped),
            None => Ok(()),
        }
    }

    pub(crate) async fn with_own_writes(&self) -> Result<(), NotCaughtUp> {
        self.up_to(&self.known.written()).await
    }

    /// Waits for what a client saw, perhaps on another node.
    pub(crate) async fn with(&self, cursor: &Cursor) -> Result<(), NotCaughtUp> {
        if cursor.journal() != self.applied.borrow().cursor.journal() || cursor.places().len() != self.known.streams() {
            return Err(NotCaughtUp::Foreign);
        }
        self.up_to(cursor.places()).await
    }

    async fn up_to(&self, places: &[u64]) -> Result<(), NotCaughtUp> {
        let is_there = |applied: &Applied| has(applied.cursor.places(), places);
        // The usual case: the entry was read back before the next request came.
        {
            let applied = self.applied.borrow();
            match &applied.stopped {
                Some(stopped) => return Err(NotCaughtUp::Unreadable(stopped.clone())),
                None if is_there(&applied) => return Ok(()),
                None => {}
            }
        }
        let mut changes = self.applied.subscribe();
        let wait = changes.wait_for(|applied| applied.stopped.is_some() || is_there(applied));
        let waited = timeout(limits::INDEX_WAIT_MAX, wait).await;
        let waited = waited.map(|applied| applied.expect("the sender is in `self`").stopped.clone());
        match waited {
            Ok(Some(stopped)) => Err(NotCaughtUp::Unreadable(stopped)),
            Ok(None) => Ok(()),
            // A cursor is ahead of its journal if that was restored from an older copy. Only the servers know.
            Err(_) => match (self.ask_newest)().await {
                Some(newest) if !has(&newest, places) => Err(NotCaughtUp::Foreign),
                _ => Err(NotCaughtUp::Behind { lag: self.lag() }),
            },
        }
    }

    /// Returns how far the index is behind what is known to be stored.
    pub(crate) fn lag(&self) -> Lag {
        let applied = self.applied.borrow();
        let places = applied.cursor.places();
        let entries = self.known.stored().zip(places).map(|(stored, place)| stored.saturating_sub(*place)).sum();
        let mut goal = self.goal.lock();
        if goal.as_ref().is_none_or(|(goal, _)| has(places, goal)) {
            *goal = (entries > 0).then(|| (self.known.stored().collect(), Instant::now()));
        }
        let time = goal.as_ref().map_or(Duration::ZERO, |(_, since)| since.elapsed());
        Lag { entries, time }
    }

    pub(crate) fn health(&self) -> Health {
        let by = self.lag();
        let applied = self.applied.borrow();
        match (&applied.stopped, &applied.failing) {
            (Some(stopped), _) => Health::Unreadable(stopped.clone()),
            (None, Some(why)) => Health::Behind { by, why: Some(why.clone()) },
            (None, None) if !applied.is_ready || by.time > limits::INDEX_BEHIND_AFTER => {
                Health::Behind { by, why: None }
            }
            (None, None) => Health::Following,
        }
    }
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("applied", &self.applied).finish_non_exhaustive()
    }
}

fn has(places: &[u64], wanted: &[u64]) -> bool {
    places.iter().zip(wanted).all(|(place, wanted)| place >= wanted)
}
