//! The frames, named as the wire names them. All but one carry the time.

use std::borrow::Cow;

use askbridge_core::fit::CardQuestion;
use askbridge_core::ids::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::quirks::on_one_line;

/// A frame from a client; the handler of each type reads the fields it needs.
#[derive(Deserialize)]
pub(super) struct CccFrame {
    #[serde(rename = "type")]
    pub(super) kind: Option<Value>,
    pub(super) content: Option<Value>,
    pub(super) tool_use_id: Option<Value>,
    pub(super) answers: Option<Value>,
}

/// A frame with the time it was sent, in seconds.
#[derive(Serialize)]
pub(super) struct Timed<'a> {
    #[serde(flatten)]
    pub(super) said: CccEvent<'a>,
    pub(super) timestamp: Option<f64>,
}

impl<'a> Timed<'a> {
    pub(super) fn at(now: Timestamp, said: CccEvent<'a>) -> Self {
        Self { said, timestamp: Some(now.0 as f64 / 1000.0) }
    }
}

/// A frame to a client.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum CccEvent<'a> {
    Connected {
        session_id: &'a str,
    },
    Ping,
    Thinking,
    Text {
        content: &'a str,
    },
    ToolUseStart {
        tool: &'a str,
        tool_use_id: &'a str,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: &'a str,
        success: bool,
        output: &'a str,
    },
    UserQuestion {
        tool_use_id: &'a str,
        questions: Vec<Question<'a>>,
    },
    Result {
        usage: Usage,
        interrupted: bool,
    },
    Error {
        error: &'a str,
        code: &'static str,
        details: Option<Value>,
    },
    Interrupted {
        message: &'static str,
        partial_saved: bool,
    },
    State {
        session_id: &'a str,
        connection_state: &'static str,
        is_processing: bool,
        has_partial_response: bool,
        last_activity: Option<f64>,
    },
    ResumeNotNeeded {
        message: &'static str,
    },
    ResumeStarted {
        sdk_session_id: String,
    },
}

#[derive(Default, Serialize)]
pub(super) struct Usage {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cache_creation_input_tokens: u64,
    pub(super) cache_read_input_tokens: u64,
    pub(super) total_cost_usd: f64,
    pub(super) duration_ms: u64,
}

/// A question as Claude Code writes it.
#[derive(Serialize)]
pub(super) struct Question<'a> {
    question: Cow<'a, str>,
    header: &'a str,
    options: Vec<Choice<'a>>,
    #[serde(rename = "multiSelect")]
    multi_select: bool,
}

#[derive(Serialize)]
struct Choice<'a> {
    label: &'a str,
    description: Cow<'a, str>,
}

impl<'a> From<&'a CardQuestion> for Question<'a> {
    fn from(question: &'a CardQuestion) -> Self {
        let options = question.options.iter().map(|option| Choice {
            label: &option.label,
            description: on_one_line(option.description.as_deref().unwrap_or_default()),
        });
        Self {
            question: on_one_line(&question.text),
            header: question.header.as_deref().unwrap_or_default(),
            options: options.collect(),
            multi_select: question.multi,
        }
    }
}
