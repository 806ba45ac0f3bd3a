//! Tells watchers on this machine of the changes of a shelf.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use askbridge_core::limits;
use futures_util::{Stream, stream};
use parking_lot::Mutex;
use tokio::sync::broadcast::{Receiver, Sender, error::RecvError};

use super::db::Db;
use super::shelves::snapshot;
use crate::shelf::{Item, Revision, ShelfChange, Watched};

/// The changes of a shelf, from its writer to its watchers.
#[derive(Debug)]
pub(crate) struct ShelfFeed(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    /// `None` once the store is closed.
    sender: Option<Sender<Arc<ShelfChange>>>,
    /// The last removals: what is gone is not on the shelf to be found.
    removed: VecDeque<(Revision, String)>,
}

impl Default for ShelfFeed {
    fn default() -> Self {
        let sender = Some(Sender::new(limits::SHELF_CHANGES_MAX));
        Self(Mutex::new(Inner { sender, removed: VecDeque::new() }))
    }
}

impl ShelfFeed {
    /// Tells of changes that were committed, in order.
    pub(crate) fn tell(&self, changes: Vec<ShelfChange>) {
        if changes.is_empty() {
            return;
        }
        let mut inner = self.0.lock();
        for change in changes {
            if change.item.is_none() {
                inner.removed.push_back((change.revision, change.key.clone()));
                if inner.removed.len() > limits::SHELF_REMOVALS_MAX {
                    inner.removed.pop_front();
                }
            }
            if let Some(sender) = &inner.sender {
                // An error means that there is no watcher.
                let _ = sender.send(Arc::new(change));
            }
        }
    }

    /// Ends every watch.
    pub(crate) fn close(&self) {
        self.0.lock().sender = None;
    }

    fn subscribe(&self) -> Option<Receiver<Arc<ShelfChange>>> {
        self.0.lock().sender.as_ref().map(Sender::subscribe)
    }

    fn removed_after(&self, after: Revision) -> Vec<(Revision, String)> {
        self.0.lock().removed.iter().filter(|(revision, _)| *revision > after).cloned().collect()
    }
}

/// One watch.
struct Watcher {
    db: Db,
    feed: Arc<ShelfFeed>,
    prefix: String,
    /// What happened up to here is not told.
    after: Revision,
    /// Everything up to here was told.
    up_to: Revision,
    /// The keys that are there, as far as the watcher was told.
    there: BTreeSet<String>,
    receiver: Option<Receiver<Arc<ShelfChange>>>,
    /// What is to be told next.
    queue: VecDeque<Watched>,
}

pub(crate) fn watch(
    db: Db,
    feed: Arc<ShelfFeed>,
    prefix: &str,
    after: Revision,
) -> impl Stream<Item = Watched> + Send + use<> {
    let (there, queue) = (BTreeSet::new(), VecDeque::new());
    let watcher = Watcher { db, feed, prefix: prefix.to_owned(), after, up_to: after, there, receiver: None, queue };
    stream::unfold(watcher, |mut watcher| async move { Some((watcher.next().await?, watcher)) })
}

impl Watcher {
    async fn next(&mut self) -> Option<Watched> {
        loop {
            if let Some(told) = self.queue.pop_front() {
                return Some(told);
            }
            let Some(receiver) = &mut self.receiver else {
                self.read().await?;
                continue;
            };
            match receiver.recv().await {
                Ok(change) if self.is_news(&change) => {
                    self.up_to = self.up_to.max(change.revision);
                    match change.item {
                        Some(_) => self.there.insert(change.key.clone()),
                        None => self.there.remove(&change.key),
                    };
                    return Some(Watched::Changed(ShelfChange::clone(&change)));
                }
                Ok(_) => {}
                // It was too slow: the shelf has what it missed.
                Err(RecvError::Lagged(_)) => self.receiver = None,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn is_news(&self, change: &ShelfChange) -> bool {
        // A removal that was committed just before the shelf was read may not have been remembered yet.
        let is_late = change.item.is_none() && change.revision > self.after && !self.there.contains(&change.key);
        (change.revision > self.up_to || is_late) && change.key.starts_with(&self.prefix)
    }

    /// Reads the shelf, and queues what the watcher has not been told. Later changes wait in the new receiver.
    async fn read(&mut self) -> Option<()> {
        let receiver = self.feed.subscribe()?;
        let prefix = self.prefix.clone();
        let (items, revision) = match self.db.run(move |conn| snapshot(conn, &prefix)).await {
            Ok(read) => read,
            Err(fault) => {
                self.queue.push_back(Watched::Interrupted(fault));
                // The disk may need a moment.
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                return Some(());
            }
        };
        let there: BTreeSet<_> = items.iter().map(|item| item.key.clone()).collect();
        let mut changes: Vec<_> = items.into_iter().filter(|item| item.revision > self.up_to).map(changed).collect();
        let mut removed = self.feed.removed_after(self.up_to);
        removed.retain(|(at, key)| *at <= revision && key.starts_with(&self.prefix) && !there.contains(key));
        // What was removed so long ago that it is no longer remembered.
        let mut gone: BTreeSet<_> = self.there.difference(&there).cloned().collect();
        for (at, key) in removed {
            gone.remove(&key);
            changes.push(ShelfChange { key, revision: at, item: None });
        }
        changes.extend(gone.into_iter().map(|key| ShelfChange { key, revision, item: None }));
        changes.sort_by_key(|change| change.revision);
        self.queue.extend(changes.into_iter().map(Watched::Changed));
        self.queue.push_back(Watched::CaughtUp);
        (self.up_to, self.there, self.receiver) = (revision.max(self.up_to), there, Some(receiver));
        Some(())
    }
}

fn changed(item: Item) -> ShelfChange {
    ShelfChange { key: item.key.clone(), revision: item.revision, item: Some(item) }
}
