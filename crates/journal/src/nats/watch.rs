//! Watches the shelf: reads the bucket's stream from a revision on.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::stream::LastRawMessageErrorKind;
use futures_util::{Stream, stream};
use tokio::time::{Instant, timeout_at};

use super::feed::{Fed, Feed, Next};
use super::guarded_message::ask;
use super::shelf::{bucket, decode, filter_of, item};
use super::store::Inner;
use crate::fault::Fault;
use crate::shelf::{Revision, ShelfChange, Watched};

/// Interval of the heartbeats of a quiet server. Short, because a revoked token is refused only once this node knows.
const HEARTBEAT: Duration = Duration::from_millis(250);
/// How long to wait for the last change if the server has nothing to send. Beyond: it was removed.
const END_MAX: Duration = Duration::from_secs(10);

struct Watcher {
    inner: Arc<Inner>,
    feed: Feed,
    filter: String,
    prefix: String,
    /// The revision of the last change when the watch began or was interrupted, until that is reached.
    end: Option<u64>,
    wait_until: Option<Instant>,
    interrupted: bool,
}

pub(super) fn watch(inner: Arc<Inner>, prefix: &str, after: Revision) -> impl Stream<Item = Watched> + Send + use<> {
    let filter = filter_of(&inner, prefix);
    let feed = Feed::new(bucket(&inner).stream.clone(), filter.clone(), after.0, HEARTBEAT);
    let prefix = prefix.to_owned();
    let watcher = Watcher { inner, feed, filter, prefix, end: None, wait_until: None, interrupted: false };
    stream::unfold(watcher, |mut watcher| async move { Some((watcher.next().await, watcher)) })
}

impl Watcher {
    async fn next(&mut self) -> Watched {
        loop {
            if self.end.is_some_and(|end| self.feed.at() >= end) {
                return self.caught_up();
            }
            let next = match self.wait_until.filter(|_| self.end.is_some()) {
                None => self.feed.next().await,
                Some(until) => match timeout_at(until, self.feed.next()).await {
                    Ok(next) => next,
                    Err(_) => return self.caught_up(),
                },
            };
            match next {
                Next::Message(fed) => {
                    self.wait_until = (fed.pending == 0).then(|| Instant::now() + END_MAX);
                    if let Some(change) = self.read(&fed) {
                        return Watched::Changed(change);
                    }
                }
                Next::Began { is_empty } => {
                    // The consumer may be on a server that lags behind, so only the leader can say where the end is.
                    match self.find_end().await {
                        Ok(end) => {
                            self.end = Some(end);
                            self.wait_until = is_empty.then(|| Instant::now() + END_MAX);
                            self.interrupted = false;
                        }
                        Err(fault) => {
                            self.feed.restart();
                            if let Some(told) = self.interrupt(fault) {
                                return told;
                            }
                        }
                    }
                }
                Next::Quiet => match self.find_end().await {
                    Ok(end) if end > self.feed.at() => self.feed.restart(),
                    Ok(_) => {}
                    Err(fault) => {
                        self.feed.restart();
                        if let Some(told) = self.interrupt(fault) {
                            return told;
                        }
                    }
                },
                Next::Broke(fault) => {
                    if let Some(told) = self.interrupt(fault) {
                        return told;
                    }
                }
            }
        }
    }

    fn caught_up(&mut self) -> Watched {
        (self.end, self.wait_until) = (None, None);
        Watched::CaughtUp
    }

    /// Says once that the watch is interrupted.
    fn interrupt(&mut self, fault: Fault) -> Option<Watched> {
        self.end = None;
        let is_new = !std::mem::replace(&mut self.interrupted, true);
        is_new.then_some(Watched::Interrupted(fault))
    }

    async fn find_end(&self) -> Result<u64, Fault> {
        ask(|| async {
            match bucket(&self.inner).stream.get_last_raw_message_by_subject(&self.filter).await {
                Ok(message) => Ok(message.sequence),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(0),
                Err(error) => Err(Fault::new(error)),
            }
        })
        .await
    }

    fn read(&self, fed: &Fed) -> Option<ShelfChange> {
        let key = fed.subject.strip_prefix(&bucket(&self.inner).prefix).and_then(decode)?;
        if !key.starts_with(&self.prefix) {
            return None;
        }
        let item = item(&key, fed.sequence, fed.headers.as_ref(), &fed.payload);
        Some(ShelfChange { key, revision: Revision(fed.sequence), item })
    }
}
