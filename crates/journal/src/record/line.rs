//! An entry as one line of JSON, for exports and for NATS.

use std::fmt::Write;
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{EntryId, Epoch, NodeId, Position, SessionId, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::v1::{DecodeError, decode};
use crate::entry::{Digest, Entry, Written};

/// How a line of this release begins. Others are examined further.
const OURS: &str = "{\"v\":1,";
const _: () = assert!(super::FORMAT == 1, "`OURS` names the format");

/// Writes an entry as one line. The events are copied as they were encoded.
pub fn write_line(entry: &Entry, position: Option<Position>) -> String {
    let mut line = String::with_capacity(entry.bytes() + 320);
    let mut put = |args: std::fmt::Arguments<'_>| line.write_fmt(args).expect("a string takes everything");
    put(format_args!("{{\"v\":{}", super::FORMAT));
    if let Some(position) = position {
        put(format_args!(",\"position\":{}", position.0));
    }
    let lane = match entry.lane {
        Lane::Decisions => "decisions",
        Lane::Content => "content",
    };
    put(format_args!(
        ",\"id\":\"{}\",\"session\":\"{}\",\"lane\":\"{lane}\",\"at\":{},\"node\":\"{:016x}\",\"epoch\":{}",
        entry.id, entry.session, entry.at.0, entry.node.0, entry.epoch.0,
    ));
    if entry.prev != Digest::ZERO {
        put(format_args!(",\"prev\":\"{}\"", entry.prev));
    }
    put(format_args!(",\"events\":{}}}", entry.body()));
    line
}

/// Reads what [`write_line`] wrote.
pub fn read_line(line: &str) -> Result<Entry, DecodeError> {
    #[derive(Deserialize)]
    struct EntryLine<'a> {
        id: &'a str,
        session: &'a str,
        lane: &'a str,
        at: i64,
        node: &'a str,
        epoch: u32,
        #[serde(default)]
        prev: Option<&'a str>,
        #[serde(borrow)]
        events: Vec<&'a RawValue>,
    }
    let malformed = |source| DecodeError::Malformed { kind: "entry".to_owned(), source: Arc::new(source) };
    let bad = |what: &str| {
        let source = <serde_json::Error as serde::de::Error>::custom(format!("`{what}` cannot be read"));
        DecodeError::Malformed { kind: "entry".to_owned(), source: Arc::new(source) }
    };
    // A newer format may have other fields, so its number is read first.
    if !line.starts_with(OURS)
        && let Some(format) = written_by(line).format.filter(|format| *format > super::FORMAT)
    {
        return Err(DecodeError::Newer { kind: format!("entry, format {format}") });
    }
    let line: EntryLine<'_> = serde_json::from_str(line).map_err(malformed)?;
    let written = |raw: &RawValue| Ok(Written { event: decode(raw.get())?.into(), json: raw.get().into() });
    Ok(Entry {
        id: line.id.parse::<EntryId>().map_err(|_| bad("id"))?,
        session: line.session.parse::<SessionId>().map_err(|_| bad("session"))?,
        lane: match line.lane {
            "decisions" => Lane::Decisions,
            "content" => Lane::Content,
            _ => return Err(bad("lane")),
        },
        at: Timestamp(line.at),
        node: NodeId(u64::from_str_radix(line.node, 16).map_err(|_| bad("node"))?),
        epoch: Epoch(line.epoch),
        prev: line.prev.map_or(Some(Digest::ZERO), read_digest).ok_or_else(|| bad("prev"))?,
        events: line.events.into_iter().map(written).collect::<Result<_, DecodeError>>()?,
    })
}

/// Who wrote a line, as far as it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WrittenBy {
    pub format: Option<u32>,
    pub session: Option<SessionId>,
    pub node: Option<NodeId>,
}

/// Reads who wrote a line, also if this release cannot read the rest of it.
pub fn written_by(line: &str) -> WrittenBy {
    #[derive(Deserialize)]
    struct Head<'a> {
        v: Option<u32>,
        session: Option<&'a str>,
        node: Option<&'a str>,
    }
    let Ok(head) = serde_json::from_str::<Head<'_>>(line) else { return WrittenBy::default() };
    WrittenBy {
        format: head.v,
        session: head.session.and_then(|session| session.parse().ok()),
        node: head.node.and_then(|node| u64::from_str_radix(node, 16).ok()).map(NodeId),
    }
}

fn read_digest(text: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if text.len() != 2 * digest.len() || !text.is_ascii() {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(Digest(digest))
}
