//! The index of a node, updated by following the journal.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use tokio::time::sleep;

use super::error::Error;
use super::follow::{self, Ended, Heard};
use super::store::Nats;
use crate::cursor::Cursor;
use crate::entry::Stored;
use crate::fault::Fault;
use crate::health::Lag;
use crate::index::Index;
use crate::index::copy::Copy;
use crate::index::following::Following;
use crate::journal::Journal;

/// Entries that are applied in one transaction, if that many have arrived.
const BATCH: usize = 256;
/// The pause after the index's file could not be written.
const PAUSE: Duration = Duration::from_secs(1);

/// An index that is on its way to its first moment of completeness.
#[derive(Debug, Clone)]
pub struct CatchingUp(Arc<Following>);

impl CatchingUp {
    /// Waits until the index has everything that was stored when it was opened.
    pub async fn done(&self) -> Result<(), Error> {
        let stopped = self.0.until_ready().await;
        stopped.map_err(|stopped| Error::Request { what: "build the index", source: Fault::new(stopped) })
    }

    /// Returns how much is missing.
    pub fn lag(&self) -> Lag {
        self.0.lag()
    }
}

impl Nats {
    /// Opens this node's index, at `path` or in memory, and returns it once it has caught up. It keeps following until
    /// the last handle of the journal is dropped.
    pub async fn index(&self, path: Option<&Path>) -> Result<Index, Error> {
        let (index, catching_up) = self.begin_index(path)?;
        catching_up.done().await?;
        Ok(index)
    }

    /// The same, but returns at once. Until it has caught up, queries show a part only.
    pub fn begin_index(&self, path: Option<&Path>) -> Result<(Index, CatchingUp), Error> {
        let request = |source| Error::Request { what: "build the index", source };
        let copy = Copy::open(path, &self.start()).map_err(|error| request(Fault::new(error)))?;
        let cursor = copy.cursor().map_err(request)?.unwrap_or_else(|| self.start());
        let weak = self.clone_weakly();
        let ask_newest = Box::new(move || {
            let journal = weak.clone();
            let asked = async move { follow::newest_now(&journal.inner).await.ok().map(|now| now.places().to_vec()) };
            Box::pin(asked) as futures_util::future::BoxFuture<'static, _>
        });
        let following = Arc::new(Following::new(Arc::clone(&self.inner.known), cursor.clone(), ask_newest));
        let index = copy.index(Arc::clone(&following)).map_err(|error| request(Fault::new(error)))?;
        let feed = IndexFeed { journal: self.clone_weakly(), copy, following: Arc::clone(&following), cursor };
        self.keep(Arc::clone(&following), tokio::spawn(feed.run()));
        Ok((index, CatchingUp(following)))
    }
}

/// Applies what the journal tells to the index.
struct IndexFeed {
    journal: Nats,
    copy: Copy,
    following: Arc<Following>,
    /// What the index has.
    cursor: Cursor,
}

/// Why the index stopped following for now.
enum Interrupted {
    /// The index is of another journal.
    OtherJournal,
    /// The journal cannot be reached.
    Down,
    /// The index cannot be written.
    NotApplied(Fault),
    Unreadable(crate::health::Unreadable),
}

impl IndexFeed {
    async fn run(mut self) {
        loop {
            let stream = Box::pin(follow::hear(Arc::clone(&self.journal.inner), self.cursor.clone()));
            match self.follow(stream).await {
                Interrupted::OtherJournal => {
                    let start = self.journal.start();
                    match self.copy.clear(&start) {
                        Ok(()) => self.cursor = start,
                        Err(fault) => self.wait_after(fault).await,
                    }
                }
                Interrupted::Down => {}
                Interrupted::NotApplied(fault) => self.wait_after(fault).await,
                // Skipping it would make the index wrong.
                Interrupted::Unreadable(at) => {
                    tracing::error!(error = %at, cause = %at.source, "The index stopped at a record that cannot be read");
                    self.following.stop(at);
                    return;
                }
            }
        }
    }

    async fn wait_after(&self, fault: Fault) {
        tracing::error!(error = %fault, "Could not write to the index; trying again");
        self.following.fails(fault);
        sleep(PAUSE).await;
    }

    async fn follow(&mut self, stream: impl Stream<Item = Result<Heard, Ended>> + Unpin) -> Interrupted {
        let mut batches = stream.ready_chunks(BATCH);
        while let Some(batch) = batches.next().await {
            if let Err(interrupted) = self.apply(batch) {
                return interrupted;
            }
        }
        Interrupted::Down
    }

    /// Applies a batch. The cursor moves only with what is stored.
    fn apply(&mut self, batch: Vec<Result<Heard, Ended>>) -> Result<(), Interrupted> {
        let mut entries: Vec<Arc<Stored>> = Vec::with_capacity(batch.len());
        let mut cursor = self.cursor.clone();
        let (mut is_ready, mut interrupted) = (false, None);
        for heard in batch {
            match heard {
                Ok(Heard::Entry(stored)) => {
                    cursor.advance(&stored);
                    entries.push(stored);
                }
                // Earlier entries are applied first, so that none of them stays.
                Ok(Heard::Forgotten { stream, sequence, forgetting }) => {
                    self.store(&entries, &cursor)?;
                    entries.clear();
                    let forget = |gone: &crate::forgetting::Gone| self.copy.forget(gone.session);
                    forgetting.gone.iter().try_for_each(forget).map_err(Interrupted::NotApplied)?;
                    cursor.advance_stream(stream, sequence);
                }
                Ok(Heard::CaughtUp) => is_ready = true,
                Ok(Heard::Gone(_)) => interrupted = Some(Interrupted::OtherJournal),
                Err(Ended::Unreadable(at)) => interrupted = Some(Interrupted::Unreadable(at)),
                Err(Ended::Down(_)) => interrupted = Some(Interrupted::Down),
            }
            if interrupted.is_some() {
                break;
            }
        }
        self.store(&entries, &cursor)?;
        if is_ready {
            self.following.ready();
        }
        interrupted.map_or(Ok(()), Err)
    }

    fn store(&mut self, entries: &[Arc<Stored>], cursor: &Cursor) -> Result<(), Interrupted> {
        if *cursor != self.cursor {
            self.copy.take_in(entries, cursor).map_err(Interrupted::NotApplied)?;
            self.cursor.clone_from(cursor);
        }
        self.following.applied(&self.cursor);
        Ok(())
    }
}
