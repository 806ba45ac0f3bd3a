//! Reads a session, from the leader of its stream.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::Position;
use askbridge_core::limits;
use async_nats::jetstream::consumer::pull::Config;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::guarded_message::{ask, next};
use crate::entry::Stored;
use crate::fault::Fault;
use crate::journal::ReadError;
use crate::record::{self, DecodeError};

/// Messages that are fetched singly before creating a consumer pays off.
const SINGLY: usize = 8;
/// How long a consumer may take for all of its messages. Beyond: the rest is fetched from the leader, one by one.
const BULK_MAX: Duration = Duration::from_secs(5);

/// Reads the entries under `subject` after a position.
///
/// Only the leader knows every acknowledged append, and it returns them singly. So the bulk of a long session comes
/// from a consumer, which may be on a server that lags behind, and the end from the leader.
pub(super) async fn read(
    stream: &Stream,
    subject: &str,
    after: Option<Position>,
    max: usize,
) -> Result<Vec<Arc<Stored>>, ReadError> {
    let mut after = after.map_or(0, |after| after.0);
    let mut read = Vec::new();
    while read.len() < max && !is_enough(&read) {
        if read.len() == SINGLY && max > 2 * SINGLY {
            // A failure here does no harm: the leader is asked next.
            if let Ok(Ok(bulk)) = timeout(BULK_MAX, read_bulk(stream, subject, after, max - read.len())).await {
                after = bulk.last().map_or(after, |stored| stored.position.0);
                read.extend(bulk);
            }
            if read.len() >= max || is_enough(&read) {
                break;
            }
        }
        let message = ask(|| next(stream, subject, after)).await.map_err(ReadError::Down)?;
        let Some(message) = message else { break };
        after = message.sequence;
        let found = stored(message.sequence, &message.payload);
        read.push(found.map_err(|source| ReadError::Record { position: Position(message.sequence), source })?);
    }
    Ok(read)
}

/// Are there as many bytes as one read returns?
fn is_enough(read: &[Arc<Stored>]) -> bool {
    read.iter().map(|stored| stored.entry.bytes()).sum::<usize>() >= limits::READ_BYTES_MAX
}

/// Reads as many entries as one server has.
async fn read_bulk(stream: &Stream, subject: &str, after: u64, max: usize) -> Result<Vec<Arc<Stored>>, Fault> {
    let config = Config {
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: after + 1 },
        ack_policy: AckPolicy::None,
        filter_subject: subject.to_owned(),
        inactive_threshold: BULK_MAX,
        num_replicas: 1,
        memory_storage: true,
        ..Default::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(Fault::new)?;
    let pending = usize::try_from(consumer.cached_info().num_pending).unwrap_or(usize::MAX);
    let mut bulk: Vec<Arc<Stored>> = Vec::new();
    if pending == 0 {
        return Ok(bulk);
    }
    let mut messages = consumer.fetch().max_messages(max.min(pending)).messages().await.map_err(Fault::new)?;
    while let Some(message) = messages.next().await {
        // Any irregularity ends the bulk; the leader has the rest.
        let Ok(message) = message else { break };
        let Ok(info) = message.info() else { break };
        if info.consumer_sequence != bulk.len() as u64 + 1 {
            break;
        }
        let Ok(read) = stored(info.stream_sequence, &message.payload) else { break };
        bulk.push(read);
        if is_enough(&bulk) {
            break;
        }
    }
    Ok(bulk)
}

/// Decodes an entry from a message.
pub(super) fn stored(sequence: u64, payload: &[u8]) -> Result<Arc<Stored>, DecodeError> {
    let entry = record::read_line(&String::from_utf8_lossy(payload))?;
    Ok(Arc::new(Stored { position: Position(sequence), entry: Arc::new(entry) }))
}
