//! The trait that every door and dialect implements: hear, tell, reply, wake.

use std::borrow::Cow;

use askbridge_core::event::Event;
use askbridge_core::ids::{SessionId, Timestamp};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::told::Told;
use crate::wish::{Query, Receipt, Rejection, Watch, Wish};

/// One side of one connection: a state machine without I/O.
///
/// The order is always decide → append → evolve → tell → reply: a peer is told only what is durable.
pub trait Peer: Send {
    /// The other side sent a frame.
    ///
    /// The last frame is always [`Frame::Close`]: the connection has ended, on either side. Wishes that the peer then
    /// makes are still granted and replied to; frames that it writes are dropped.
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled>;

    /// Something happened that this peer watches.
    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>);

    /// The reply to a wish or query of this peer's.
    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>);

    /// The requested time has come. Also called once when a socket opens. Returns when to wake this peer next.
    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp>;
}

impl Peer for Box<dyn Peer> {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        (**self).hear(frame, cx)
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        (**self).tell(told, cx);
    }

    fn reply(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        (**self).reply(tag, reply, cx);
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        (**self).wake(cx)
    }
}

/// Identifies one wish of one peer, so that its reply can be matched to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub u64);

/// What travels on a connection. A REST call is a peer with one request; an event stream is a response and then chunks.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame<'a> {
    Text(Cow<'a, str>),
    Request(Req<'a>),
    Response(Resp),
    Chunk(Bytes),
    /// The other side has closed the connection, or is to close it.
    Close(u16, Cow<'a, str>),
}

impl Frame<'_> {
    /// The bytes on the wire, without the envelope.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Close(_, text) => text.len(),
            Self::Request(request) => request.body.len(),
            Self::Response(response) => response.body.len(),
            Self::Chunk(chunk) => chunk.len(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Req<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// Without the leading `?`. Never logged.
    pub query: &'a str,
    /// Names in lower case, values as text. Peers do not get headers that carry secrets (`authorization`, `cookie`).
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

impl<'a> Req<'a> {
    /// Returns a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Resp {
    pub status: u16,
    pub content_type: &'static str,
    /// Headers besides the content type.
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
    /// More chunks follow.
    pub open: bool,
}

/// The other side broke its own protocol; the connection is closed with this code and text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Garbled {
    pub code: u16,
    pub why: String,
}

/// What a peer works with: the time, a source of fresh ids, and its outbox.
pub struct Cx<'a> {
    pub now: Timestamp,
    pub ids: &'a mut dyn Ids,
    pub out: &'a mut Outbox,
}

/// Source of fresh ids. Tests count them up.
pub trait Ids {
    fn fresh(&mut self) -> u128;
}

/// What a peer wants done: one list per kind, each in order.
#[derive(Debug, Default)]
pub struct Outbox {
    pub frames: Vec<Frame<'static>>,
    pub wishes: Vec<(Tag, Wish)>,
    pub queries: Vec<(Tag, Query)>,
    pub watches: Vec<Watch>,
    /// What the agent said and did: content to store and announce, in order.
    pub records: Vec<Record>,
    /// Streaming text, announced and not stored.
    pub streams: Vec<Streamed>,
    /// Messages for this language's other connections to a session. Lossy; sent only if the caller may ask in it.
    pub whispers: Vec<(SessionId, String)>,
    /// Sessions that the bridge closes after this connection has ended.
    pub endings: Vec<(SessionId, EndsWith)>,
    /// Close the connection once the frames are written.
    pub hang_up: Option<(u16, String)>,
    /// Wake this peer at that time.
    pub wake_at: Option<Timestamp>,
}

/// When the bridge closes a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndsWith {
    /// When the process at the other end has exited, if it is on this machine.
    Process,
    /// Now, or as soon as the session has no open question whose answer can still be fetched.
    LastQuestion,
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub session: SessionId,
    /// The agent's own id of this piece, so that hearing it again does not store it twice. Empty: it has none.
    pub name: String,
    pub event: Event,
}

/// What a block of streaming text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// What the agent says.
    Text,
    /// What it thinks before it says or does something.
    Thinking,
    /// What it is about to ask: the call as it is being written, JSON that is not whole yet. Never stored; the ask takes
    /// its place.
    Asking,
}

/// A piece of a growing block of text: `text` begins `offset` bytes into the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streamed {
    pub session: SessionId,
    pub block: u32,
    pub kind: BlockKind,
    pub offset: usize,
    pub text: String,
}

impl Streamed {
    /// Does `next` go on where this piece ends?
    pub fn is_followed_by(&self, next: &Self) -> bool {
        let here = (self.session, self.block, self.kind, self.offset + self.text.len());
        here == (next.session, next.block, next.kind, next.offset)
    }
}

impl Outbox {
    /// The total size of the frames that wait to be written.
    pub fn bytes(&self) -> usize {
        self.frames.iter().map(Frame::bytes).sum()
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.frames.push(Frame::Text(Cow::Owned(text.into())));
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
            && self.wishes.is_empty()
            && self.queries.is_empty()
            && self.watches.is_empty()
            && self.records.is_empty()
            && self.streams.is_empty()
            && self.whispers.is_empty()
            && self.endings.is_empty()
            && self.hang_up.is_none()
            && self.wake_at.is_none()
    }
}
