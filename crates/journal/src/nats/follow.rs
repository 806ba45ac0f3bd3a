//! Follows all streams at once, with one consumer each: a node follows once, not once per client.
//!
//! The consumers are plain ones that are recreated when they break or skip. The ordered consumer of async-nats 0.51
//! does the same, but after a first missed heartbeat `Ordered::poll_next` returns `Pending` without polling again, so
//! that no timer is left to wake it: if the server with the consumer is gone, it waits for a message that cannot come.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::pull::{Config, Stream as Messages};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::jetstream::stream::Stream as JetStream;
use futures_util::stream::{self, BoxStream, SelectAll, StreamExt};
use tokio::time::{Instant, sleep};

use super::forget::is_chain;
use super::guarded_message::ask;
use super::read::stored;
use super::store::Inner;
use crate::cursor::Cursor;
use crate::entry::Stored;
use crate::fault::Fault;
use crate::forgetting::Forgetting;
use crate::journal::{FollowError, Followed, ReadError};

/// How long a stream may stay unreachable. Beyond: following ends with an error.
const SILENCE_MAX: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(250);
/// Interval of the heartbeats of a quiet server.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// How long the server keeps an unused consumer.
const UNUSED_MAX: Duration = Duration::from_secs(60);
/// Messages in flight at once.
const IN_FLIGHT: usize = 256;

/// An item from one stream.
enum StreamItem {
    Entry(Arc<Stored>),
    Forgotten(Arc<Forgetting>),
    /// The stream has nothing else right now.
    CaughtUp,
}

struct Follower {
    all: SelectAll<BoxStream<'static, (usize, Result<StreamItem, FollowError>)>>,
    /// Streams that have not caught up yet.
    behind: HashSet<usize>,
    said: bool,
    failed: bool,
}

pub(super) fn follow(
    inner: Arc<Inner>,
    after: Cursor,
) -> impl stream::Stream<Item = Result<Followed, FollowError>> + Send + 'static {
    stream::once(begin(inner, after)).flatten()
}

/// Finds the end of the streams. The cursor may come from another node that has seen more than this one.
async fn begin(inner: Arc<Inner>, after: Cursor) -> BoxStream<'static, Result<Followed, FollowError>> {
    let now = match newest(&inner).await {
        Ok(now) => now,
        Err(fault) => return stream::iter([Err(ReadError::Down(fault))]).boxed(),
    };
    let known = after.is_known_to(&now);
    let from = if known { after } else { now.clone() };
    let gone = (!known).then_some(Ok(Followed::Gone(now)));
    let followers = from.places().iter().zip(&inner.connection.streams).enumerate();
    let followers = followers.map(|(number, (at, stream))| {
        let one = StreamFollower {
            inner: Arc::clone(&inner),
            number,
            stream: stream.clone(),
            at: *at,
            messages: None,
            heard: 0,
            caught: false,
        };
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
        inner.saw(number, info.state.last_sequence);
        places.push(info.state.last_sequence);
    }
    Ok(Cursor::new(inner.connection.identity, places))
}

impl Follower {
    async fn next(&mut self) -> Option<Result<Followed, FollowError>> {
        if self.failed {
            return None;
        }
        loop {
            if self.behind.is_empty() && !self.said {
                self.said = true;
                return Some(Ok(Followed::CaughtUp));
            }
            match self.all.next().await? {
                (_, Ok(StreamItem::Entry(stored))) => return Some(Ok(Followed::Entry(stored))),
                (_, Ok(StreamItem::Forgotten(forgetting))) => return Some(Ok(Followed::Forgotten(forgetting))),
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

/// A follower of one stream. Its consumer is recreated when it breaks.
struct StreamFollower {
    inner: Arc<Inner>,
    number: usize,
    stream: JetStream,
    at: u64,
    messages: Option<Messages>,
    /// How many messages the consumer has delivered.
    heard: u64,
    caught: bool,
}

impl StreamFollower {
    async fn next(&mut self) -> Result<StreamItem, FollowError> {
        let until = Instant::now() + SILENCE_MAX;
        loop {
            let Some(messages) = &mut self.messages else {
                match self.consume().await {
                    Ok(true) => return Ok(StreamItem::CaughtUp),
                    Ok(false) => {}
                    Err(fault) if Instant::now() >= until => return Err(ReadError::Down(fault)),
                    Err(_) => sleep(PAUSE).await,
                }
                continue;
            };
            if self.caught {
                self.caught = false;
                return Ok(StreamItem::CaughtUp);
            }
            match messages.next().await {
                Some(Ok(message)) => {
                    let info = message
                        .info()
                        .map_err(|error| ReadError::Down(Fault::new(std::io::Error::other(error.to_string()))))?;
                    let (sequence, pending) = (info.stream_sequence, info.pending);
                    self.heard += 1;
                    if info.consumer_sequence != self.heard || sequence <= self.at {
                        // A message was lost, or the consumer repeats itself.
                        self.messages = None;
                        continue;
                    }
                    self.at = sequence;
                    self.caught = pending == 0;
                    self.inner.saw(self.number, sequence);
                    if is_chain(&message.subject) {
                        match Forgetting::decode(&message.payload) {
                            Some(forgetting) => return Ok(StreamItem::Forgotten(Arc::new(forgetting))),
                            None => continue,
                        }
                    }
                    return stored(sequence, &message.payload).map(StreamItem::Entry);
                }
                Some(Err(error)) => {
                    tracing::debug!(stream = self.number, %error, "Following a stream anew");
                    self.messages = None;
                    sleep(PAUSE).await;
                }
                None => self.messages = None,
            }
        }
    }

    /// Creates a consumer. Returns whether there is nothing for it yet.
    async fn consume(&mut self) -> Result<bool, Fault> {
        let config = Config {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.at + 1 },
            ack_policy: AckPolicy::None,
            inactive_threshold: UNUSED_MAX,
            num_replicas: 1,
            memory_storage: true,
            ..Default::default()
        };
        let consumer = self.stream.create_consumer(config).await.map_err(Fault::new)?;
        let nothing = consumer.cached_info().num_pending == 0;
        let messages = consumer.stream().heartbeat(HEARTBEAT).expires(5 * HEARTBEAT).max_messages_per_batch(IN_FLIGHT);
        self.messages = Some(messages.messages().await.map_err(Fault::new)?);
        self.heard = 0;
        Ok(nothing)
    }
}
