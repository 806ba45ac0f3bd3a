//! The chunks of a UI message stream, version 1, and the bodies of requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(super) enum Chunk<'a> {
    Start { message_id: String },
    StartStep,
    TextStart { id: &'a str },
    TextDelta { id: &'a str, delta: &'a str },
    TextEnd { id: &'a str },
    ReasoningStart { id: &'a str },
    ReasoningDelta { id: &'a str, delta: &'a str },
    ReasoningEnd { id: &'a str },
    ToolInputStart { tool_call_id: &'a str, tool_name: &'a str },
    ToolInputDelta { tool_call_id: &'a str, input_text_delta: &'a str },
    ToolInputAvailable { tool_call_id: &'a str, tool_name: &'a str, input: &'a RawValue },
    ToolOutputAvailable { tool_call_id: &'a str, output: Value },
    ToolOutputError { tool_call_id: &'a str, error_text: &'a str },
    FinishStep,
    Finish { finish_reason: &'static str },
    Abort { reason: &'a str },
    Error { error_text: &'a str },
}

/// The body of `POST /api/chat`, as far as it is read.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Posted {
    pub(super) id: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) messages: Vec<Message>,
}

#[derive(Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) id: Option<Value>,
    #[serde(default)]
    pub(super) role: String,
    /// Older clients have this instead of parts.
    #[serde(default)]
    pub(super) content: Option<Value>,
    #[serde(default)]
    pub(super) parts: Vec<Part>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Part {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) tool_call_id: Option<String>,
    pub(super) state: Option<String>,
    pub(super) output: Value,
}

/// The body of `POST /api/chat/tool-result`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolResult {
    pub(super) session_id: String,
    pub(super) tool_use_id: String,
    pub(super) answers: BTreeMap<String, String>,
}
