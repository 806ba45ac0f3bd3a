//! The index of a node, updated by following the journal.

use std::path::Path;
use std::sync::Arc;

use futures_util::{Stream, StreamExt};
use tokio::sync::oneshot;

use super::error::Error;
use super::store::Nats;
use crate::cursor::Cursor;
use crate::entry::Stored;
use crate::fault::Fault;
use crate::index::Index;
use crate::index::copy::Copy;
use crate::journal::{FollowError, Followed, Journal};

/// Entries that are applied in one transaction, if that many have arrived.
const BATCH: usize = 256;

impl Nats {
    /// Opens this node's index, at `path` or in memory, and returns it once it has caught up. It keeps following until
    /// the last handle of the journal is dropped.
    pub async fn index(&self, path: Option<&Path>) -> Result<Index, Error> {
        let request = |source| Error::Request { what: "build the index", source };
        let copy = Copy::open(path, &self.start()).map_err(|error| request(Fault::new(error)))?;
        let cursor = copy.cursor().map_err(request)?.unwrap_or_else(|| self.start());
        let index = copy.index();
        let (ready, wait) = oneshot::channel();
        self.keep(copy.clone(), tokio::spawn(feed(self.clone_weakly(), copy, cursor, ready)));
        wait.await.map_err(|error| request(Fault::new(error)))?.map_err(request)?;
        Ok(index)
    }
}

async fn feed(journal: Nats, copy: Copy, mut cursor: Cursor, ready: oneshot::Sender<Result<(), Fault>>) {
    let mut ready = Some(ready);
    loop {
        let stream = Box::pin(journal.follow(cursor.clone()));
        match follow(stream, &copy, &mut cursor, &mut ready).await {
            Ok(Next::StartOver) => {
                if let Err(error) = copy.clear(&journal.start()) {
                    tracing::error!(%error, "Could not empty the index");
                    return;
                }
                cursor = journal.start();
            }
            Ok(Next::GoOn) => {}
            Err(fault) => {
                tracing::error!(error = %fault, "The index no longer follows the journal");
                if let Some(ready) = ready.take() {
                    let _ = ready.send(Err(fault));
                }
                return;
            }
        }
    }
}

enum Next {
    /// The index is of another journal.
    StartOver,
    GoOn,
}

async fn follow(
    stream: impl Stream<Item = Result<Followed, FollowError>> + Unpin,
    copy: &Copy,
    cursor: &mut Cursor,
    ready: &mut Option<oneshot::Sender<Result<(), Fault>>>,
) -> Result<Next, Fault> {
    let mut batches = stream.ready_chunks(BATCH);
    while let Some(batch) = batches.next().await {
        let mut entries: Vec<Arc<Stored>> = Vec::with_capacity(batch.len());
        let mut caught_up = false;
        for followed in batch {
            match followed {
                Ok(Followed::Entry(stored)) => {
                    cursor.advance(&stored);
                    entries.push(stored);
                }
                // Another node may have forgotten them. Earlier entries are applied first, so that none of them stays.
                Ok(Followed::Forgotten(forgetting)) => {
                    copy.take_in(&entries, cursor)?;
                    entries.clear();
                    forgetting.gone.iter().try_for_each(|gone| copy.forget(gone.session))?;
                }
                Ok(Followed::CaughtUp) => caught_up = true,
                Ok(Followed::Gone(_)) => return Ok(Next::StartOver),
                // A record of a newer release stops the index: skipping it would make the index wrong.
                Err(error @ FollowError::Record { .. }) => return Err(Fault::new(error)),
                Err(FollowError::Down(_)) => {
                    copy.take_in(&entries, cursor)?;
                    return Ok(Next::GoOn);
                }
            }
        }
        copy.take_in(&entries, cursor)?;
        if caught_up && let Some(ready) = ready.take() {
            let _ = ready.send(Ok(()));
        }
    }
    Ok(Next::GoOn)
}
