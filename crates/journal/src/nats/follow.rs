//! Follows all streams at once, with one consumer each: a node follows once, not once per client.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, SelectAll, StreamExt};
use tokio::time::{Instant, timeout_at};

use super::feed::{Feed, Next};
use super::forget::is_chain;
use super::guarded_message::ask;
use super::read::stored;
use super::store::Inner;
use crate::cursor::Cursor;
use crate::entry::Stored;
use crate::fault::Fault;
use crate::forgetting::Forgetting;
use crate::health::Unreadable;
use crate::journal::{FollowError, Followed, ReadError};
use crate::record::{self, DecodeError};

/// How long a stream may stay unreachable. Beyond: following ends with an error.
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// Interval of the heartbeats of a quiet server. Short, because a node whose consumer was on a server that died does not
/// read its own writes until two of them were missed.
const HEARTBEAT: Duration = Duration::from_millis(750);
/// How long to wait for the last message of a stream if the server has nothing to send. Beyond: it was removed, and the
/// stream counts as followed to its end.
const END_MAX: Duration = Duration::from_secs(10);

/// What a follower of all streams is told.
pub(super) enum Heard {
    Entry(Arc<Stored>),
    Forgotten {
        stream: usize,
        sequence: u64,
        forgetting: Arc<Forgetting>,
    },
    /// Everything that was there when following began has been told.
    CaughtUp,
    /// The cursor is not of this journal. What follows begins after this one.
    Gone(Cursor),
}

/// Why following ended.
pub(super) enum Ended {
    Unreadable(Unreadable),
    Down(Fault),
}

impl From<Ended> for ReadError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Unreadable(Unreadable { position, source, .. }) => Self::Record { position, source },
            Ended::Down(fault) => Self::Down(fault),
        }
    }
}

/// An item from one stream.
enum StreamItem {
    Entry(Arc<Stored>),
    Forgotten(u64, Arc<Forgetting>),
    CaughtUp,
}

struct Follower {
    all: SelectAll<BoxStream<'static, (usize, Result<StreamItem, Ended>)>>,
    /// Streams that have not caught up yet.
    behind: HashSet<usize>,
    said: bool,
    failed: bool,
}

pub(super) fn follow(
    inner: Arc<Inner>,
    after: Cursor,
) -> impl stream::Stream<Item = Result<Followed, FollowError>> + Send + 'static {
    hear(inner, after).map(|heard| match heard {
        Ok(Heard::Entry(stored)) => Ok(Followed::Entry(stored)),
        Ok(Heard::Forgotten { forgetting, .. }) => Ok(Followed::Forgotten(forgetting)),
        Ok(Heard::CaughtUp) => Ok(Followed::CaughtUp),
        Ok(Heard::Gone(now)) => Ok(Followed::Gone(now)),
        Err(ended) => Err(ended.into()),
    })
}

pub(super) fn hear(
    inner: Arc<Inner>,
    after: Cursor,
) -> impl stream::Stream<Item = Result<Heard, Ended>> + Send + 'static {
    stream::once(begin(inner, after)).flatten()
}

/// Finds the end of the streams. The cursor may come from another node that has seen more than this one.
async fn begin(inner: Arc<Inner>, after: Cursor) -> BoxStream<'static, Result<Heard, Ended>> {
    let now = match newest(&inner).await {
        Ok(now) => now,
        Err(fault) => return stream::iter([Err(Ended::Down(fault))]).boxed(),
    };
    let known = after.is_known_to(&now);
    let from = if known { after } else { now.clone() };
    let gone = (!known).then_some(Ok(Heard::Gone(now.clone())));
    let followers = from.places().iter().zip(now.places()).enumerate();
    let followers = followers.map(|(number, (at, end))| {
        let one = StreamFollower::new(&inner, number, *at, *end);
        stream::unfold(one, |mut one| async move { Some(((one.number, one.next().await), one)) }).boxed()
    });
    let behind = (0..inner.connection.streams.len()).collect();
    let follower = Follower { all: stream::select_all(followers), behind, said: false, failed: false };
    let rest = stream::unfold(follower, |mut follower| async move { Some((follower.next().await?, follower)) });
    stream::iter(gone).chain(rest).boxed()
}

/// Gets the newest sequence of each stream from its leader.
pub(super) async fn newest(inner: &Inner) -> Result<Cursor, Fault> {
    let mut places = Vec::with_capacity(inner.connection.streams.len());
    for (number, stream) in inner.connection.streams.iter().enumerate() {
        let info = ask(|| async { stream.get_info().await.map_err(Fault::new) }).await?;
        inner.known.saw(number, info.state.last_sequence);
        places.push(info.state.last_sequence);
    }
    Ok(Cursor::new(inner.connection.identity, places))
}

/// Returns how many messages the streams have.
pub(super) async fn messages(inner: &Inner) -> Result<u64, Fault> {
    let mut messages = 0;
    for stream in &inner.connection.streams {
        messages += ask(|| async { stream.get_info().await.map_err(Fault::new) }).await?.state.messages;
    }
    Ok(messages)
}

/// The same, asked once: an error if a leader does not reply now.
pub(super) async fn newest_now(inner: &Inner) -> Result<Cursor, Fault> {
    let asked = inner.connection.streams.iter().map(|stream| async { stream.get_info().await.map_err(Fault::new) });
    let found = futures_util::future::try_join_all(asked).await?;
    let places = found.into_iter().map(|info| info.state.last_sequence).collect();
    Ok(Cursor::new(inner.connection.identity, places))
}

/// All entries of a journal in order: within a stream by sequence, between streams by their times.
struct InOrder {
    /// Each with its next entry. Those that are at their end are removed.
    streams: Vec<(StreamFollower, Option<Arc<Stored>>)>,
}

/// Reads all entries that are there now. Goes on after a record that cannot be read; ends after another error.
pub(super) async fn in_order(
    inner: &Arc<Inner>,
) -> Result<impl stream::Stream<Item = Result<Arc<Stored>, Ended>> + Send + 'static, Fault> {
    let now = newest(inner).await?;
    let ends = now.places().iter().enumerate();
    let streams = ends.map(|(number, end)| (StreamFollower::new(inner, number, 0, *end), None)).collect();
    Ok(stream::unfold(InOrder { streams }, |mut all| async move { Some((all.next().await?, all)) }))
}

impl InOrder {
    async fn next(&mut self) -> Option<Result<Arc<Stored>, Ended>> {
        let mut number = 0;
        while let Some((stream, next)) = self.streams.get_mut(number) {
            if next.is_none() {
                match stream.next().await {
                    Ok(StreamItem::Entry(stored)) => *next = Some(stored),
                    Ok(StreamItem::Forgotten(..)) => continue,
                    Ok(StreamItem::CaughtUp) => {
                        drop(self.streams.remove(number));
                        continue;
                    }
                    Err(Ended::Down(fault)) => {
                        self.streams.clear();
                        return Some(Err(Ended::Down(fault)));
                    }
                    Err(unreadable) => return Some(Err(unreadable)),
                }
            }
            number += 1;
        }
        let time = |(_, next): &(StreamFollower, Option<Arc<Stored>>)| next.as_ref().map(|stored| stored.entry.at);
        let (first, _) = self.streams.iter().enumerate().min_by_key(|(_, stream)| time(stream))?;
        self.streams[first].1.take().map(Ok)
    }
}

impl Follower {
    async fn next(&mut self) -> Option<Result<Heard, Ended>> {
        if self.failed {
            return None;
        }
        loop {
            if self.behind.is_empty() && !self.said {
                self.said = true;
                return Some(Ok(Heard::CaughtUp));
            }
            match self.all.next().await? {
                (_, Ok(StreamItem::Entry(stored))) => return Some(Ok(Heard::Entry(stored))),
                (stream, Ok(StreamItem::Forgotten(sequence, forgetting))) => {
                    return Some(Ok(Heard::Forgotten { stream, sequence, forgetting }));
                }
                (number, Ok(StreamItem::CaughtUp)) => {
                    self.behind.remove(&number);
                }
                (_, Err(error)) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// A follower of one stream.
struct StreamFollower {
    inner: Arc<Inner>,
    number: usize,
    feed: Feed,
    /// The last sequence when following began, until that is reached. The consumer may be on a server that lags behind,
    /// so what it calls the end is not enough.
    end: Option<u64>,
    /// The server has nothing to send before the end: wait for the rest until then.
    wait_until: Option<Instant>,
    broken_since: Option<Instant>,
}

impl StreamFollower {
    fn new(inner: &Arc<Inner>, number: usize, at: u64, end: u64) -> Self {
        let feed = Feed::new(inner.connection.streams[number].clone(), String::new(), at, HEARTBEAT);
        let end = Some(end);
        Self { inner: Arc::clone(inner), number, feed, end, wait_until: None, broken_since: None }
    }

    async fn next(&mut self) -> Result<StreamItem, Ended> {
        loop {
            if self.end.is_some_and(|end| self.feed.at() >= end) {
                self.end = None;
                return Ok(StreamItem::CaughtUp);
            }
            let next = match self.wait_until.filter(|_| self.end.is_some()) {
                None => self.feed.next().await,
                Some(until) => match timeout_at(until, self.feed.next()).await {
                    Ok(next) => next,
                    Err(_) => {
                        self.end = None;
                        return Ok(StreamItem::CaughtUp);
                    }
                },
            };
            let wait_until = self.wait_until.take();
            match next {
                Next::Message(fed) => {
                    self.broken_since = None;
                    self.inner.known.saw(self.number, fed.sequence);
                    self.inner.known.heard_of(self.number, fed.sequence + fed.pending);
                    if fed.pending == 0 {
                        self.wait_until = Some(Instant::now() + END_MAX);
                    }
                    return read(fed.sequence, &fed.subject, &fed.payload).map_err(Ended::Unreadable);
                }
                Next::Began { is_empty } => {
                    self.broken_since = None;
                    if is_empty {
                        self.wait_until = Some(Instant::now() + END_MAX);
                    }
                }
                Next::Quiet => {
                    self.wait_until = wait_until;
                    let is_waiting = wait_until.is_some() && self.end.is_some();
                    if !is_waiting && self.inner.known.has_after(self.number, self.feed.at()) {
                        tracing::debug!(stream = self.number, "A consumer is silent although there is more");
                        self.feed.restart();
                    }
                }
                Next::Broke(fault) => {
                    tracing::debug!(stream = self.number, error = %fault, "Following a stream anew");
                    let since = *self.broken_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= SILENCE_MAX {
                        return Err(Ended::Down(fault));
                    }
                }
            }
        }
    }
}

/// Reads a message of a stream.
fn read(sequence: u64, subject: &str, payload: &[u8]) -> Result<StreamItem, Unreadable> {
    let position = askbridge_core::ids::Position(sequence);
    if is_chain(subject) {
        let newer = || DecodeError::Newer { kind: "forgetting".to_owned() };
        return match Forgetting::decode(payload) {
            Some(forgetting) => Ok(StreamItem::Forgotten(sequence, Arc::new(forgetting))),
            None => Err(Unreadable { position, session: None, node: None, format: None, source: newer() }),
        };
    }
    match stored(sequence, payload) {
        Ok(stored) => Ok(StreamItem::Entry(stored)),
        Err(source) => {
            let by = record::written_by(&String::from_utf8_lossy(payload));
            Err(Unreadable { position, session: by.session, node: by.node, format: by.format, source })
        }
    }
}
