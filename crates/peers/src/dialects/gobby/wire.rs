//! The frames, named as the wire names them: flat, `type` first.

use askbridge_core::fit::CardQuestion;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A frame from a client; the handler of each type reads the fields it needs.
#[derive(Deserialize)]
pub(super) struct GobbyFrame {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(flatten)]
    pub(super) more: Map<String, Value>,
}

impl GobbyFrame {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.more.get(name)?.as_str()
    }
}

/// A frame to a client.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum GobbyEvent<'a> {
    ConnectionEstablished {
        client_id: String,
        user_id: String,
        latency: u32,
        conversation_ids: Vec<String>,
    },
    ChatStream {
        message_id: &'a str,
        conversation_id: &'a str,
        request_id: Option<&'a str>,
        content: &'a str,
        done: bool,
        #[serde(flatten)]
        end: Option<End>,
    },
    ChatThinking {
        message_id: &'a str,
        conversation_id: &'a str,
        request_id: Option<&'a str>,
        content: &'a str,
    },
    ChatError {
        message_id: Option<&'a str>,
        conversation_id: &'a str,
        request_id: Option<&'a str>,
        error: &'a str,
    },
    ToolStatus {
        message_id: &'a str,
        conversation_id: &'a str,
        request_id: Option<&'a str>,
        tool_call_id: &'a str,
        status: &'static str,
        tool_name: &'a str,
        server_name: &'a str,
        arguments: &'a Value,
        result: &'a Value,
        error: Option<&'a str>,
    },
    PlanPendingApproval {
        conversation_id: &'a str,
        plan_content: &'a str,
        allowed_prompts: Vec<Value>,
    },
    ModeChanged {
        conversation_id: &'a str,
        mode: &'static str,
        reason: &'static str,
    },
    SessionContinued {
        conversation_id: &'a str,
        db_session_id: &'a str,
        external_id: &'a str,
        source: &'static str,
        session_type: &'static str,
        status: &'static str,
        title: Option<&'a str>,
        model: Option<&'a str>,
        chat_mode: &'static str,
    },
    ChatCleared {
        conversation_id: &'a str,
    },
    ChatDeleted {
        conversation_id: &'a str,
    },
    ProjectEvent {
        event: &'static str,
    },
    SessionEvent {
        event: &'static str,
        session_id: &'a str,
    },
    SubscribeSuccess {
        events: Value,
    },
    UnsubscribeSuccess {
        events: Value,
    },
    Pong {
        latency: u32,
    },
    Error {
        code: &'static str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        request_id: Option<&'a str>,
    },
}

impl GobbyEvent<'_> {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("frames have text keys")
    }
}

/// What comes with the last frame of a turn.
#[derive(Clone, Serialize)]
pub(super) struct End {
    pub(super) tool_calls_count: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) interrupted: bool,
    pub(super) sdk_session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Value>,
    pub(super) context_window: Option<u64>,
}

/// Writes questions in the form that the card reads.
pub(super) fn questions(questions: &[CardQuestion]) -> Value {
    let questions = questions.iter().map(|question| {
        let options = question.options.iter().map(
            |option| json!({"label": option.label, "description": option.description.as_deref().unwrap_or_default()}),
        );
        json!({
            "question": question.text,
            "header": question.header.as_deref().unwrap_or_default(),
            "options": options.collect::<Vec<_>>(),
            "multiSelect": question.multi,
        })
    });
    json!({"questions": questions.collect::<Vec<_>>()})
}
