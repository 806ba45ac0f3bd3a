//! Forgets sessions in a cluster: stores the record first, then removes the messages.
//!
//! Each stream has a chain of its own, under one subject, so that a follower of the stream gets it in order. If the
//! node dies in between, both the record and the messages exist: forgetting the same sessions again removes them.

use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_core::limits;
use async_nats::jetstream::stream::Stream;

use super::guarded_message::{GuardedMessage, Undelivered, ask, next};
use super::read;
use super::store::Inner;
use crate::entry::Digest;
use crate::fault::Fault;
use crate::forgetting::{Forgetting, Going, Gone};
use crate::journal::ReadError;

/// The end of the subject of a stream's chain. No session has this name.
const CHAIN: &str = ".forgotten.chain";
/// How often to retry the append to the chain while other nodes append to it too.
const TRIES_MAX: usize = 16;

/// Is this the subject of a chain?
pub(super) fn is_chain(subject: &str) -> bool {
    subject.ends_with(CHAIN)
}

fn chain_of(inner: &Inner, stream: usize) -> String {
    format!("{}.{stream}{CHAIN}", inner.name)
}

/// Forgets sessions of one stream. Returns what was removed.
pub(super) async fn forget(
    inner: &Inner,
    number: usize,
    sessions: &[SessionId],
    at: Timestamp,
    by: &str,
) -> Result<Option<Forgetting>, Fault> {
    let stream = &inner.connection.streams[number];
    let mut gone = Vec::new();
    for session in sessions {
        gone.extend(read_all(inner, *session).await.map_err(Fault::new)?);
    }
    if gone.is_empty() {
        return Ok(None);
    }
    let (forgetting, sequence) =
        append(inner, number, Forgetting { at, by: by.to_owned(), prev: Digest::ZERO, gone }).await?;
    for gone in &forgetting.gone {
        let (_, subject) = inner.subject(gone.session, "*");
        // Messages after the record are of a session that began again.
        ask(|| async { stream.purge().filter(&subject).sequence(sequence).await.map_err(Fault::new) }).await?;
    }
    Ok(Some(forgetting))
}

/// Stores what another journal has forgotten, each session in the chain of its stream.
pub(super) async fn import(inner: &Inner, at: Timestamp, by: &str, gone: Vec<Gone>) -> Result<(), Fault> {
    for number in 0..inner.known.streams() {
        let gone: Vec<_> = gone.iter().copied().filter(|gone| inner.subject(gone.session, "*").0 == number).collect();
        if !gone.is_empty() {
            append(inner, number, Forgetting { at, by: by.to_owned(), prev: Digest::ZERO, gone }).await?;
        }
    }
    Ok(())
}

async fn read_all(inner: &Inner, session: SessionId) -> Result<Option<Gone>, ReadError> {
    let (stream, subject) = inner.subject(session, "*");
    let (mut going, mut after) = (Going::new(session), None);
    loop {
        let page = read::read(&inner.connection.streams[stream], &subject, after, limits::READ_BATCH_MAX).await?;
        let Some(last) = page.last() else { return Ok(going.done()) };
        after = Some(last.position);
        page.iter().for_each(|stored| going.add(&stored.entry));
    }
}

/// Appends a record to a stream's chain. Returns it and its sequence.
async fn append(inner: &Inner, number: usize, mut forgetting: Forgetting) -> Result<(Forgetting, u64), Fault> {
    let (stream, subject) = (&inner.connection.streams[number], chain_of(inner, number));
    for _ in 0..TRIES_MAX {
        let last = last(stream, &subject).await?;
        forgetting.prev = last.as_ref().map_or(Digest::ZERO, |(_, body)| Digest::of(body));
        let message = GuardedMessage {
            stream,
            subject: subject.clone(),
            id: inner.mark(),
            payload: forgetting.encode().into(),
            expect: Some(last.map_or(0, |(sequence, _)| sequence)),
            headers: Vec::new(),
        };
        match message.send(&inner.connection.context).await {
            Ok(sequence) => {
                inner.known.wrote(number, sequence);
                return Ok((forgetting, sequence));
            }
            Err(Undelivered::Conflict) => {}
            Err(Undelivered::Unknown(fault)) => return Err(fault),
        }
    }
    Err(Fault::new(std::io::Error::other("other nodes kept forgetting something first")))
}

async fn last(stream: &Stream, subject: &str) -> Result<Option<(u64, Vec<u8>)>, Fault> {
    let (mut last, mut after) = (None, 0);
    while let Some(message) = ask(|| next(stream, subject, after)).await? {
        after = message.sequence;
        last = Some((message.sequence, message.payload.to_vec()));
    }
    Ok(last)
}

/// Reads the whole chain of a stream; `None` for a record that cannot be decoded.
pub(super) async fn chain(inner: &Inner, number: usize) -> Result<Vec<Option<Forgetting>>, Fault> {
    let (stream, subject, mut after) = (&inner.connection.streams[number], chain_of(inner, number), 0);
    let mut chain = Vec::new();
    while let Some(message) = ask(|| next(stream, &subject, after)).await? {
        after = message.sequence;
        chain.push(Forgetting::decode(&message.payload));
    }
    Ok(chain)
}

/// Reads the chains of all streams, one after the other.
pub(super) async fn forgettings(inner: &Inner, skip: usize, max: usize) -> Result<Vec<Forgetting>, Fault> {
    let (mut read, mut passed) = (Vec::new(), 0);
    for (number, stream) in inner.connection.streams.iter().enumerate() {
        let (subject, mut after) = (chain_of(inner, number), 0);
        while read.len() < max
            && let Some(message) = ask(|| next(stream, &subject, after)).await?
        {
            after = message.sequence;
            passed += 1;
            if passed > skip {
                read.extend(Forgetting::decode(&message.payload));
            }
        }
    }
    Ok(read)
}
