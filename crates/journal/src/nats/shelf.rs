//! The shelf: a key-value bucket, written with guarded messages and read from the leader.

use std::sync::Arc;

use askbridge_core::ids::Timestamp;
use async_nats::HeaderMap;
use async_nats::jetstream::kv;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::guarded_message::{GuardedMessage, Undelivered, ask};
use super::store::Inner;
use crate::fault::Fault;
use crate::shelf::{Expect, Item, Revision, ShelfError};

/// Prefix of each value: when it expires, in milliseconds, or the largest number.
const HEAD_BYTES: usize = 8;
/// Keys that are read from the leader at the same time.
const AT_ONCE: usize = 16;
/// The headers with which a bucket's clients mark a removed key.
const PURGED: [(&str, &str); 2] = [("KV-Operation", "PURGE"), ("Nats-Rollup", "sub")];

/// The state of a key, removed or not.
struct Slot {
    /// The sequence of its last message; zero if there never was one.
    revision: u64,
    item: Option<Item>,
}

impl Slot {
    fn at(self, now: Timestamp) -> Option<Item> {
        self.item.filter(|item| item.is_there(now))
    }
}

pub(super) fn bucket(inner: &Inner) -> &kv::Store {
    &inner.connection.bucket
}

async fn look(inner: &Inner, key: &str) -> Result<Slot, ShelfError> {
    let subject = format!("{}{}", bucket(inner).prefix, encode(key));
    let read = ask(|| async {
        match bucket(inner).stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(Fault::new(error)),
        }
    });
    let message = read.await.map_err(ShelfError::Down)?;
    Ok(message.map_or(Slot { revision: 0, item: None }, |message| slot(key, &message)))
}

async fn look_owned(inner: &Inner, key: String) -> Result<Slot, ShelfError> {
    look(inner, &key).await
}

fn slot(key: &str, message: &StreamMessage) -> Slot {
    let revision = message.sequence;
    Slot { revision, item: item(key, revision, Some(&message.headers), &message.payload) }
}

/// Reads an item from a message; `None` if the message removed it.
pub(super) fn item(key: &str, revision: u64, headers: Option<&HeaderMap>, payload: &[u8]) -> Option<Item> {
    let removed = headers.is_some_and(|headers| headers.get("KV-Operation").is_some());
    let (head, value) = payload.split_at_checked(HEAD_BYTES).filter(|_| !removed)?;
    let expires_at = head.try_into().map_or(i64::MAX, i64::from_be_bytes);
    Some(Item {
        key: key.to_owned(),
        value: Arc::from(value),
        revision: Revision(revision),
        expires_at: (expires_at != i64::MAX).then_some(Timestamp(expires_at)),
    })
}

pub(super) async fn get(inner: &Inner, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
    Ok(look(inner, key).await?.at(now))
}

/// Writes a value, or a removal, under a key whose last message is `revision`.
async fn write(
    inner: &Inner,
    key: &str,
    value: Option<(&[u8], Option<Timestamp>)>,
    revision: Option<u64>,
) -> Result<u64, ShelfError> {
    let payload = value.map_or_else(Bytes::new, |(value, expires_at)| {
        let expires_at = expires_at.map_or(i64::MAX, |at| at.0);
        [&expires_at.to_be_bytes(), value].concat().into()
    });
    let message = GuardedMessage {
        stream: &bucket(inner).stream,
        subject: format!("{}{}", bucket(inner).prefix, encode(key)),
        id: inner.mark(),
        payload,
        expect: revision,
        headers: if value.is_some() { Vec::new() } else { PURGED.to_vec() },
    };
    message.send(&inner.connection.context).await.map_err(|error| match error {
        Undelivered::Conflict => ShelfError::Conflict { key: key.to_owned() },
        Undelivered::Unknown(fault) => ShelfError::Down(fault),
    })
}

pub(super) async fn put(
    inner: &Inner,
    key: &str,
    value: &[u8],
    expect: Expect,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<Revision, ShelfError> {
    let conflict = || ShelfError::Conflict { key: key.to_owned() };
    let revision = match expect {
        Expect::Any => None,
        Expect::Revision(revision) => Some(revision.0),
        Expect::Absent => {
            let slot = look(inner, key).await?;
            let revision = slot.revision;
            if slot.at(now).is_some() {
                return Err(conflict());
            }
            Some(revision)
        }
    };
    write(inner, key, Some((value, expires_at)), revision).await.map(Revision)
}

pub(super) async fn delete(inner: &Inner, key: &str, expect: Expect) -> Result<(), ShelfError> {
    let slot = look(inner, key).await?;
    let there = slot.item.as_ref().map(|item| item.revision);
    let holds = match expect {
        Expect::Any => true,
        Expect::Absent => there.is_none(),
        Expect::Revision(revision) => there == Some(revision),
    };
    if !holds {
        return Err(ShelfError::Conflict { key: key.to_owned() });
    }
    if there.is_none() {
        return Ok(());
    }
    let guard = (expect != Expect::Any).then_some(slot.revision);
    write(inner, key, None, guard).await.map(|_| ())
}

pub(super) async fn take(inner: &Inner, key: &str, now: Timestamp) -> Result<Option<Item>, ShelfError> {
    let slot = look(inner, key).await?;
    let revision = slot.revision;
    let Some(item) = slot.item else { return Ok(None) };
    match write(inner, key, None, Some(revision)).await {
        Ok(_) => Ok(Some(item).filter(|item| item.is_there(now))),
        Err(ShelfError::Conflict { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the subjects of all keys in the folder of a prefix.
pub(super) fn filter_of(inner: &Inner, prefix: &str) -> String {
    let folder = prefix.rfind('/').map_or("", |end| &prefix[..end]);
    let kv_prefix = &bucket(inner).prefix;
    if folder.is_empty() { format!("{kv_prefix}>") } else { format!("{kv_prefix}{}.>", encode(folder)) }
}

/// Returns everything under a prefix, expired or not.
async fn everything(inner: &Inner, prefix: &str) -> Result<Vec<Item>, ShelfError> {
    let filter = filter_of(inner, prefix);
    let subjects = ask(|| async {
        let info = bucket(inner).stream.info_with_subjects(&filter).await.map_err(Fault::new)?;
        info.try_collect::<Vec<_>>().await.map_err(Fault::new)
    });
    let subjects = subjects.await.map_err(ShelfError::Down)?;
    let mut looks = Vec::with_capacity(subjects.len());
    for (subject, _) in subjects {
        if let Some(key) = subject.strip_prefix(&bucket(inner).prefix).and_then(decode)
            && key.starts_with(prefix)
        {
            looks.push(look_owned(inner, key));
        }
    }
    let found: Vec<Slot> = stream::iter(looks).buffer_unordered(AT_ONCE).try_collect().await?;
    let mut items: Vec<_> = found.into_iter().filter_map(|slot| slot.item).collect();
    items.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(items)
}

pub(super) async fn list(inner: &Inner, prefix: &str, now: Timestamp) -> Result<Vec<Item>, ShelfError> {
    let mut items = everything(inner, prefix).await?;
    items.retain(|item| item.is_there(now));
    Ok(items)
}

pub(super) async fn sweep(inner: &Inner, now: Timestamp) -> Result<usize, ShelfError> {
    let mut swept = 0;
    for item in everything(inner, "").await?.into_iter().filter(|item| !item.is_there(now)) {
        match write(inner, &item.key, None, Some(item.revision.0)).await {
            Ok(_) => swept += 1,
            // Another client has just written a new item there.
            Err(ShelfError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(swept)
}

/// Encodes a key in the characters that a subject may have. A slash becomes the dot between two words, so that a folder
/// can be listed by itself.
fn encode(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    for (at, word) in key.split('/').enumerate() {
        if at > 0 {
            out.push('.');
        }
        if word.is_empty() {
            // A subject has no empty words.
            out.push_str("==");
        }
        for byte in word.bytes() {
            if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
                out.push(char::from(byte));
            } else {
                out.push_str(&format!("={byte:02x}"));
            }
        }
    }
    out
}

/// Decodes what [`encode`] wrote.
pub(super) fn decode(subject: &str) -> Option<String> {
    let mut words = Vec::new();
    for word in subject.split('.') {
        if word == "==" {
            words.push(String::new());
            continue;
        }
        let mut bytes = Vec::with_capacity(word.len());
        let mut rest = word.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'=' {
                let digits = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            } else {
                bytes.push(byte);
            }
        }
        words.push(String::from_utf8(bytes).ok()?);
    }
    Some(words.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_be_a_key() {
        for key in ["", "a", "a/b", "/a", "a/", "//", "a.b*>", "ünïcode key", "=2f", "a//b"] {
            let encoded = encode(key);
            assert_eq!(decode(&encoded).as_deref(), Some(key), "{encoded}");
            assert!(encoded.split('.').all(|word| !word.is_empty()), "{encoded}");
        }
    }
}
