//! The frames, named as the wire names them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json::{Answering, AskJson, ListedAsk, NewSession, Problem, Rfc3339, SessionChanges};
use crate::peer::BlockKind;

/// What a client sends.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ClientFrame {
    /// Says who you are, and from where to follow. The first frame.
    Hello { token: Option<String>, cursor: Option<String> },
    /// Answers an ask.
    Answer(Box<Tagged<Answering>>),
    /// Closes an ask without an answer.
    Dismiss(Tagged<Words>),
    /// Moves the deadline.
    Extend(Tagged<Extending>),
    /// Takes an answer back, within the undo time, or a vote while more people have to agree.
    Undo(Tagged<Nothing>),
    /// Whoever asked no longer wants to know.
    Withdraw(Tagged<Words>),
    /// Keeps what was half written, for your other devices.
    Draft(Tagged<Drafting>),
    /// Wants to see an ask as it is.
    Show(Tagged<Nothing>),
    /// Starts a session, as `POST /v1/sessions` does.
    Start(Box<Starting>),
    /// Changes a session while it goes on.
    Configure(Box<Configuring>),
    /// Ends a session. Its agent's process ends, and what it had asked is taken back.
    Close { tag: u64, session: String, why: Option<String> },
    /// Forgets the whole conversation that a session belongs to, as `DELETE /v1/sessions/{id}` does.
    Forget { tag: u64, session: String },
    /// Says something to an agent.
    Say { tag: u64, session: String, text: String, about: Option<String> },
    /// Takes back a message that still waits.
    Unsay { tag: u64, message: String },
    /// Interrupts an agent.
    Interrupt { tag: u64, session: String },
    /// What your page shows, instead of what you said before. Whoever looks at a card is not rung for it, so say it
    /// again with every ping, and say that you show nothing when the page is hidden or not in use.
    Looking {
        /// The asks whose cards are on the screen; at most 64 count.
        asks: Vec<String>,
    },
    /// Are you there?
    Ping { tag: Option<u64> },
    /// Here I am.
    Pong,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Starting {
    pub(super) tag: u64,
    #[serde(flatten)]
    pub(super) new: NewSession,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Configuring {
    pub(super) tag: u64,
    pub(super) session: String,
    #[serde(flatten)]
    pub(super) changes: SessionChanges,
}

/// Something about one ask.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Tagged<T> {
    pub(super) tag: u64,
    pub(super) ask: String,
    #[serde(flatten)]
    pub(super) what: T,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Words {
    pub(super) words: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Extending {
    /// `null` or missing: wait for ever.
    pub(super) seconds: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Drafting {
    pub(super) draft: serde_json::Value,
}

/// What a client is sent.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ServerFrame<'a> {
    /// After hello: who you turned out to be.
    Welcome {
        protocol: u32,
        name: &'a str,
        role: &'a str,
        heartbeat_seconds: u64,
        /// Milliseconds since 1970 by our clock, by which deadlines are kept.
        now: i64,
    },
    /// Everything that is open. Replaces what a client shows.
    Snapshot {
        cursor: &'a str,
        /// The longest waiting first. Those that carry `truncated` are shortened.
        asks: &'a [ListedAsk],
        /// More is open than one frame holds: `GET /v1/asks?order=longest_waiting` leads to the rest, page by page.
        more: bool,
        /// What does not fit here follows in frames of its own.
        drafts: Vec<DraftJson<'a>>,
    },
    /// Streaming text: `text` goes on `offset` bytes from the beginning of the block. What is stored later completes it.
    Delta { session: String, block: u32, kind: BlockKind, offset: usize, text: &'a str },
    /// You wrote a draft, here or on another device.
    Draft(DraftJson<'a>),
    /// You hid an ask until then, here or on another device. `null`: it is shown again.
    Snooze { ask: String, until: Option<Rfc3339> },
    /// A device of yours came, went, or has another name.
    Devices,
    /// A way in which you are reached came, went, was changed, or works no longer or again.
    Channels,
    /// These sessions were forgotten, for good: take them out of your lists.
    Gone { sessions: Vec<String> },
    /// The ruling on a frame of yours: granted.
    Reply {
        tag: u64,
        #[schemars(extend("const" = true))]
        ok: bool,
        #[serde(flatten)]
        granted: Granted,
    },
    /// The ruling on a frame of yours: refused.
    #[schemars(title = "Refused")]
    #[serde(rename = "reply")]
    Refused {
        /// `null`: the frame had none, or none that could be read.
        tag: Option<u64>,
        #[schemars(extend("const" = false))]
        ok: bool,
        error: Problem,
    },
    /// We are still there.
    Ping {
        /// Milliseconds since 1970 by our clock.
        now: i64,
    },
    /// You pinged.
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        tag: Option<u64>,
    },
    /// Too slow: connect again with the last cursor.
    Lagged,
}

/// What a person has half written about an ask.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub(super) struct DraftJson<'a> {
    pub(super) ask: String,
    pub(super) draft: &'a RawValue,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Granted {
    /// `false`: it was so already.
    pub(super) news: bool,
    /// The answer goes to the agent as a message.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) late: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ask: Option<AskJson>,
}
