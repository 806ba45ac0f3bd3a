//! Scripts: which turn a scripted model takes when. The first that matches is used.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reply::{Piece, Reply};
use super::request::ModelRequest;

/// Turns in the order in which they are tried.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    turns: Vec<Turn>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Turn {
    when: When,
    /// How often it may be used; a retry after an error then reaches the next one. Always, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<usize>,
    say: Reply,
}

/// The condition of a turn. "New" is what follows the model's own last message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    Anything,
    /// A new text contains this.
    User(String),
    /// There is a new result of the call with this id.
    Result(String),
    /// There is a new result of some call.
    AnyResult,
    /// The model has spoken this many times in this conversation.
    Turn(usize),
    /// The request comes from a subagent.
    Subagent,
    Not(Box<When>),
    All(Vec<When>),
}

pub fn anything() -> When {
    When::Anything
}

pub fn on_user(text: impl Into<String>) -> When {
    When::User(text.into())
}

pub fn on_result(id: impl Into<String>) -> When {
    When::Result(id.into())
}

pub fn on_any_result() -> When {
    When::AnyResult
}

pub fn on_turn(number: usize) -> When {
    When::Turn(number)
}

pub fn in_subagent() -> When {
    When::Subagent
}

pub fn not(when: When) -> When {
    When::Not(Box::new(when))
}

pub fn all<const N: usize>(conditions: [When; N]) -> When {
    When::All(conditions.into())
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// Says this whenever it matches.
    #[must_use]
    pub fn turn(mut self, when: When, say: impl Into<Reply>) -> Self {
        self.turns.push(Turn { when, times: None, say: say.into() });
        self
    }

    /// Says this the first time it matches, and is skipped afterwards.
    #[must_use]
    pub fn once(self, when: When, say: impl Into<Reply>) -> Self {
        self.times(1, when, say)
    }

    #[must_use]
    pub fn times(mut self, times: usize, when: When, say: impl Into<Reply>) -> Self {
        self.turns.push(Turn { when, times: Some(times), say: say.into() });
        self
    }

    /// A script as text, for `fake-model` and `fake-claude`.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a script is plain data")
    }

    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Returns what the model says to this request, if the script has a turn for it. In its texts, ids and inputs,
    /// `{turn}` is the number of times the model has spoken, so that one turn can serve a long conversation.
    pub fn reply(&mut self, heard: &ModelRequest) -> Option<Reply> {
        let turn = self.turns.iter_mut().find(|turn| turn.times != Some(0) && turn.when.fits(heard))?;
        if let Some(times) = &mut turn.times {
            *times -= 1;
        }
        Some(numbered(&turn.say, &heard.turn().to_string()))
    }
}

impl When {
    fn fits(&self, heard: &ModelRequest) -> bool {
        match self {
            Self::Anything => true,
            Self::User(text) => heard.new_texts().iter().any(|new| new.contains(text)),
            Self::Result(id) => heard.new_results().iter().any(|result| result.id == *id),
            Self::AnyResult => !heard.new_results().is_empty(),
            Self::Turn(number) => heard.turn() == *number,
            Self::Subagent => heard.is_subagent(),
            Self::Not(when) => !when.fits(heard),
            Self::All(conditions) => conditions.iter().all(|when| when.fits(heard)),
        }
    }
}

fn numbered(say: &Reply, number: &str) -> Reply {
    let Reply::Message(pieces) = say else { return say.clone() };
    Reply::Message(pieces.iter().map(|piece| numbered_piece(piece, &|text| text.replace("{turn}", number))).collect())
}

fn numbered_piece(piece: &Piece, put: &impl Fn(&str) -> String) -> Piece {
    match piece {
        Piece::Text(text) => Piece::Text(put(text)),
        Piece::Thinking(text) => Piece::Thinking(put(text)),
        Piece::Tool { id, name, input, chunk_bytes } => Piece::Tool {
            id: put(id),
            name: name.clone(),
            input: numbered_value(input, put),
            chunk_bytes: *chunk_bytes,
        },
        Piece::Gate(name) => Piece::Gate(put(name)),
        Piece::Halting { gate, piece } => {
            Piece::Halting { gate: put(gate), piece: Box::new(numbered_piece(piece, put)) }
        }
        Piece::BrokenOff => Piece::BrokenOff,
    }
}

fn numbered_value(value: &Value, put: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(put(text)),
        Value::Array(items) => items.iter().map(|item| numbered_value(item, put)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), numbered_value(value, put))).collect())
        }
        other => other.clone(),
    }
}
