//! Publishes a message at most once, with retries until its outcome is known.

use std::time::Duration;

use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{Context, message::StreamMessage};
use bytes::Bytes;
use tokio::time::{Instant, sleep};

use crate::fault::Fault;

/// How long an append is retried. The death of a leader stops acknowledgements for 4 to 10 seconds.
const TRIES_MAX: Duration = Duration::from_secs(20);
/// The backoff between tries, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(500));

/// A message to publish.
#[derive(Debug)]
pub(super) struct GuardedMessage<'a> {
    pub(super) stream: &'a Stream,
    pub(super) subject: String,
    /// Chosen by the sender; the same for every try.
    pub(super) id: String,
    pub(super) payload: Bytes,
    /// The sequence of the last message under this subject, zero if there is none.
    pub(super) expect: Option<u64>,
    /// Additional headers.
    pub(super) headers: Vec<(&'static str, &'static str)>,
}

#[derive(Debug, Clone)]
pub(super) enum Undelivered {
    /// Another message was stored first.
    Conflict,
    /// It may be stored, or may still be.
    Unknown(Fault),
}

/// What is stored under the subject after the guard.
enum AfterGuard {
    Ours(u64),
    Others,
    Nothing,
}

impl GuardedMessage<'_> {
    /// Sends until the outcome is known, or the time is over.
    pub(super) async fn send(&self, context: &Context) -> Result<u64, Undelivered> {
        let until = Instant::now() + TRIES_MAX;
        let mut pause = PAUSE.0;
        loop {
            let error = match self.publish(context).await {
                Ok(sequence) => return Ok(sequence),
                Err(error) => error,
            };
            let refused = error.kind() == PublishErrorKind::WrongLastSequence;
            let fault = Fault::new(error);
            // Without a guard there can be no conflict: the server deduplicates by our id.
            let found = match self.expect {
                Some(expect) => self.look(expect).await,
                None => Ok(AfterGuard::Nothing),
            };
            match found {
                Ok(AfterGuard::Ours(sequence)) => return Ok(sequence),
                Ok(AfterGuard::Others) => return Err(Undelivered::Conflict),
                // The guard names a message that no longer exists, because it was removed.
                Ok(AfterGuard::Nothing) if refused && Instant::now() >= until => {
                    return Err(Undelivered::Conflict);
                }
                Ok(AfterGuard::Nothing) | Err(_) if Instant::now() >= until => {
                    return Err(Undelivered::Unknown(fault));
                }
                Ok(AfterGuard::Nothing) | Err(_) => {}
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    async fn publish(&self, context: &Context) -> Result<u64, async_nats::jetstream::context::PublishError> {
        let mut message = PublishMessage::build().message_id(&self.id).payload(self.payload.clone());
        if let Some(expect) = self.expect {
            message = message.expected_last_subject_sequence(expect);
        }
        for (name, value) in &self.headers {
            message = message.header(*name, *value);
        }
        let ack = context.send_publish(self.subject.clone(), message).await?.await?;
        Ok(ack.sequence)
    }

    /// Looks for our message after the guard.
    async fn look(&self, after: u64) -> Result<AfterGuard, Fault> {
        let mut after = after;
        let mut others = false;
        while let Some(message) = next(self.stream, &self.subject, after).await? {
            if message.headers.get(NATS_MESSAGE_ID).is_some_and(|id| id.as_str() == self.id) {
                return Ok(AfterGuard::Ours(message.sequence));
            }
            others = true;
            after = message.sequence;
        }
        Ok(if others { AfterGuard::Others } else { AfterGuard::Nothing })
    }
}

/// Reads the first message under `subject` after a sequence, from the leader.
pub(super) async fn next(stream: &Stream, subject: &str, after: u64) -> Result<Option<StreamMessage>, Fault> {
    let request = stream.raw_message_builder().sequence(after + 1).next_by_subject(subject);
    match request.send().await {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(Fault::new(error)),
    }
}

/// Retries a request that changes nothing until it succeeds or the time is over.
pub(super) async fn ask<T, F>(mut request: impl FnMut() -> F) -> Result<T, Fault>
where
    F: Future<Output = Result<T, Fault>>,
{
    let until = Instant::now() + TRIES_MAX;
    let mut pause = PAUSE.0;
    loop {
        match request().await {
            Ok(found) => return Ok(found),
            Err(fault) if Instant::now() >= until => return Err(fault),
            Err(_) => sleep(pause).await,
        }
        pause = (pause * 2).min(PAUSE.1);
    }
}
