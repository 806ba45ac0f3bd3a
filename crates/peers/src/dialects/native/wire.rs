//! The frames, named as the wire names them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json::{Answering, AskJson, Problem};

/// What a client sends.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Heard {
    Hello { token: Option<String>, cursor: Option<String> },
    Answer(Box<Tagged<Answering>>),
    Dismiss(Tagged<Words>),
    Extend(Tagged<Extending>),
    Undo(Tagged<Nothing>),
    Withdraw(Tagged<Words>),
    Draft(Tagged<Drafting>),
    Show(Tagged<Nothing>),
    Say { tag: u64, session: String, text: String, about: Option<String> },
    Unsay { tag: u64, message: String },
    Interrupt { tag: u64, session: String },
    Ping { tag: Option<u64> },
    Pong,
}

/// Something about one ask.
#[derive(Deserialize)]
pub(super) struct Tagged<T> {
    pub(super) tag: u64,
    pub(super) ask: String,
    #[serde(flatten)]
    pub(super) what: T,
}

#[derive(Deserialize)]
pub(super) struct Nothing {}

#[derive(Deserialize)]
pub(super) struct Words {
    pub(super) words: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Extending {
    /// `null` or missing: wait for ever.
    pub(super) seconds: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Drafting {
    pub(super) draft: serde_json::Value,
}

/// What a client is sent.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Said<'a> {
    Welcome {
        protocol: u32,
        name: &'a str,
        role: &'a str,
        heartbeat_seconds: u64,
    },
    Snapshot {
        cursor: &'a str,
        asks: Vec<AskJson>,
        more: bool,
        drafts: Vec<DraftJson<'a>>,
    },
    Delta {
        session: String,
        block: u32,
        offset: usize,
        text: &'a str,
    },
    Draft(DraftJson<'a>),
    Reply {
        tag: u64,
        ok: bool,
        #[serde(flatten)]
        granted: Granted,
    },
    #[serde(rename = "reply")]
    Refused {
        tag: Option<u64>,
        ok: bool,
        error: Problem,
    },
    Ping,
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        tag: Option<u64>,
    },
    /// Too slow: connect again with the last cursor.
    Lagged,
}

#[derive(Serialize)]
pub(super) struct DraftJson<'a> {
    pub(super) ask: String,
    pub(super) draft: &'a RawValue,
}

#[derive(Serialize)]
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
