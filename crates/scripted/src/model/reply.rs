//! What a scripted model can say: parts of a message, or an error instead of one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One part of a message, in the order in which it is streamed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    Text(String),
    Thinking(String),
    Tool {
        id: String,
        name: String,
        input: Value,
        /// How many bytes of the input one event carries; all of it if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chunk_bytes: Option<usize>,
    },
    /// The stream stops here until the test opens the gate of this name.
    Gate(String),
    /// A piece that stops halfway until the test opens the gate of this name.
    Halting {
        gate: String,
        piece: Box<Piece>,
    },
    /// The connection is closed here, in the middle of the message.
    BrokenOff,
}

/// What a turn says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Message(Vec<Piece>),
    Error { status: u16, kind: String, message: String },
}

impl<const N: usize> From<[Piece; N]> for Reply {
    fn from(pieces: [Piece; N]) -> Self {
        Self::Message(pieces.into())
    }
}

impl From<Vec<Piece>> for Reply {
    fn from(pieces: Vec<Piece>) -> Self {
        Self::Message(pieces)
    }
}

pub fn text(text: impl Into<String>) -> Piece {
    Piece::Text(text.into())
}

pub fn thinking(text: impl Into<String>) -> Piece {
    Piece::Thinking(text.into())
}

/// Calls any tool.
pub fn tool(id: impl Into<String>, name: impl Into<String>, input: Value) -> Piece {
    Piece::Tool { id: id.into(), name: name.into(), input, chunk_bytes: None }
}

/// Asks one question with `AskUserQuestion`; each option is described as "Option `label`".
pub fn ask<'a>(id: impl Into<String>, question: &str, labels: impl IntoIterator<Item = &'a str>) -> Piece {
    let option = |label: &str| json!({"label": label, "description": format!("Option {label}")});
    let options: Vec<Value> = labels.into_iter().map(option).collect();
    let question = json!({"question": question, "header": "Header", "options": options, "multiSelect": false});
    ask_with(id, json!({"questions": [question]}))
}

/// Calls `AskUserQuestion` with exactly this input.
pub fn ask_with(id: impl Into<String>, input: Value) -> Piece {
    tool(id, "AskUserQuestion", input)
}

/// Streams the input of a tool call in parts of this many bytes.
pub fn chunked(bytes: usize, piece: Piece) -> Piece {
    match piece {
        Piece::Tool { id, name, input, .. } => Piece::Tool { id, name, input, chunk_bytes: Some(bytes.max(1)) },
        other => other,
    }
}

pub fn gate(name: impl Into<String>) -> Piece {
    Piece::Gate(name.into())
}

/// Sends half of a piece, and the rest once the gate is open.
pub fn halting(gate: impl Into<String>, piece: Piece) -> Piece {
    Piece::Halting { gate: gate.into(), piece: Box::new(piece) }
}

pub fn broken_off() -> Piece {
    Piece::BrokenOff
}

/// An error of the API. `kind` is its `error.type`.
pub fn fail(status: u16, kind: &str, message: &str) -> Reply {
    Reply::Error { status, kind: kind.to_owned(), message: message.to_owned() }
}

pub fn rate_limited() -> Reply {
    fail(429, "rate_limit_error", "too many requests")
}

pub fn overloaded() -> Reply {
    fail(529, "overloaded_error", "Overloaded")
}
