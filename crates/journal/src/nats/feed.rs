//! The messages of one stream in order, from a sequence on. Its consumer is recreated when it breaks or skips.
//!
//! The consumers are plain ones. The ordered consumer of async-nats 0.51 does the same, but after a first missed
//! heartbeat `Ordered::poll_next` returns `Pending` without polling again, so that no timer is left to wake it: if the
//! server with the consumer is gone, it waits for a message that cannot come.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::pull::{Config, Stream as Messages};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::jetstream::stream::Stream as JetStream;
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::time::{sleep, timeout};

use crate::fault::Fault;

/// The pause after a failure.
const PAUSE: Duration = Duration::from_millis(250);
/// How long the server keeps an unused consumer.
const UNUSED_MAX: Duration = Duration::from_secs(60);
/// How long to wait for a message before the caller is asked whether there should be one.
const QUIET: Duration = Duration::from_secs(3);
/// Messages in flight at once.
const IN_FLIGHT: usize = 256;

/// Reads one stream, or a part of it.
pub(super) struct Feed {
    stream: JetStream,
    /// Only messages under this subject.
    filter: String,
    /// Interval of the heartbeats of a quiet server. A consumer whose server died is missed after two of them.
    heartbeat: Duration,
    at: u64,
    messages: Option<Messages>,
    /// How many messages the consumer has delivered.
    heard: u64,
}

/// One message.
pub(super) struct Fed {
    pub(super) sequence: u64,
    pub(super) subject: String,
    pub(super) headers: Option<HeaderMap>,
    pub(super) payload: Bytes,
    /// Messages that the server will send after this one.
    pub(super) pending: u64,
}

/// What comes next.
pub(super) enum Next {
    Message(Fed),
    /// There is a consumer now.
    Began {
        /// The server has nothing for it yet.
        is_empty: bool,
    },
    /// It broke; the next call makes a new consumer.
    Broke(Fault),
    /// No message came for a while. If there is one, the caller has to [`Feed::restart`]: the consumer or the client
    /// library has lost track.
    Quiet,
}

impl Feed {
    pub(super) fn new(stream: JetStream, filter: String, after: u64, heartbeat: Duration) -> Self {
        Self { stream, filter, heartbeat, at: after, messages: None, heard: 0 }
    }

    /// The sequence of the last message.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Has the next call make a new consumer.
    pub(super) fn restart(&mut self) {
        self.messages = None;
    }

    pub(super) async fn next(&mut self) -> Next {
        loop {
            let Some(messages) = &mut self.messages else {
                return match self.consume().await {
                    Ok(is_empty) => Next::Began { is_empty },
                    Err(fault) => {
                        sleep(PAUSE).await;
                        Next::Broke(fault)
                    }
                };
            };
            let Ok(next) = timeout(QUIET, messages.next()).await else { return Next::Quiet };
            match next {
                Some(Ok(message)) => {
                    let Ok(info) = message.info() else {
                        self.messages = None;
                        return Next::Broke(Fault::new(std::io::Error::other("a message has no sequence")));
                    };
                    let (sequence, pending) = (info.stream_sequence, info.pending);
                    self.heard += 1;
                    if info.consumer_sequence != self.heard || sequence <= self.at {
                        // A message was lost, or the consumer repeats itself.
                        self.messages = None;
                        continue;
                    }
                    self.at = sequence;
                    let message = message.message;
                    return Next::Message(Fed {
                        sequence,
                        subject: message.subject.to_string(),
                        headers: message.headers,
                        payload: message.payload,
                        pending,
                    });
                }
                Some(Err(error)) => {
                    self.messages = None;
                    return Next::Broke(Fault::new(error));
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
            filter_subject: self.filter.clone(),
            inactive_threshold: UNUSED_MAX,
            num_replicas: 1,
            memory_storage: true,
            ..Default::default()
        };
        let consumer = self.stream.create_consumer(config).await.map_err(Fault::new)?;
        let is_empty = consumer.cached_info().num_pending == 0;
        let messages = consumer.stream().heartbeat(self.heartbeat).expires(5 * self.heartbeat);
        let messages = messages.max_messages_per_batch(IN_FLIGHT);
        self.messages = Some(messages.messages().await.map_err(Fault::new)?);
        self.heard = 0;
        Ok(is_empty)
    }
}
