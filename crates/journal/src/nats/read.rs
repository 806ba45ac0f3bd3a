//! Reading a session, from the leader of its stream.

use std::sync::Arc;

use askbridge_core::ids::Position;
use async_nats::jetstream::stream::Stream;

use super::letter::{ask, next};
use crate::entry::Stored;
use crate::journal::ReadError;
use crate::record;

/// Reads what stands under `subject` after a position.
///
/// One message at a time: only the leader knows of every acknowledged append, and it hands them out singly.
pub(super) async fn read(
    stream: &Stream,
    subject: &str,
    after: Option<Position>,
    max: usize,
) -> Result<Vec<Arc<Stored>>, ReadError> {
    let mut after = after.map_or(0, |after| after.0);
    let mut read = Vec::new();
    while read.len() < max {
        let message = ask(|| next(stream, subject, after)).await.map_err(ReadError::Down)?;
        let Some(message) = message else { break };
        after = message.sequence;
        read.push(stored(message.sequence, &message.payload)?);
    }
    Ok(read)
}

/// Reads an entry out of a message.
pub(super) fn stored(sequence: u64, payload: &[u8]) -> Result<Arc<Stored>, ReadError> {
    let position = Position(sequence);
    let entry = record::read_line(&String::from_utf8_lossy(payload));
    let entry = entry.map_err(|source| ReadError::Record { position, source })?;
    Ok(Arc::new(Stored { position, entry: Arc::new(entry) }))
}
