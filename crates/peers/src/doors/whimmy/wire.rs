//! The frames: an envelope with a `type`; the plugin's news is an `event` with a name of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
}

/// The payload of an `event`.
#[derive(Deserialize)]
pub(super) struct EventPayload<'a> {
    pub(super) event: String,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
}

/// The fields that events may have. Each event has some of them; missing ones are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Payload {
    pub(super) session_key: String,
    pub(super) agent_id: String,
    pub(super) question_id: String,
    pub(super) execution_id: String,
    pub(super) questions: Value,
    pub(super) tool_name: String,
    pub(super) action: String,
    pub(super) params: Value,
    pub(super) content: Option<String>,
    pub(super) caption: Option<String>,
    pub(super) status: String,
    pub(super) token_count: Value,
    pub(super) cost: Value,
    pub(super) context: Value,
    pub(super) models: Vec<Value>,
    pub(super) files: Value,
    pub(super) emoji: Option<String>,
    pub(super) url: Option<String>,
    pub(super) media_url: Option<String>,
    pub(super) file_url: Option<String>,
}

/// The frames that we send.
#[derive(Serialize)]
#[serde(tag = "type", content = "payload")]
pub(super) enum WhimmyFrame<'a> {
    #[serde(rename = "ping")]
    Ping,
    #[serde(rename = "hook.agent")]
    Agent(Hook<'a>),
    #[serde(rename = "hook.read", rename_all = "camelCase")]
    Read { session_key: &'a str, agent_id: &'a str },
    #[serde(rename = "hook.react", rename_all = "camelCase")]
    React { session_key: &'a str, agent_id: &'a str, emoji: &'a str },
    #[serde(rename = "hook.ask_user_answer", rename_all = "camelCase")]
    Answer { question_id: &'a str, answers: BTreeMap<String, String> },
    #[serde(rename = "hook.approval", rename_all = "camelCase")]
    Approval {
        execution_id: &'a str,
        approved: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hook<'a> {
    pub(super) message: &'a str,
    pub(super) agent_id: &'a str,
    pub(super) session_key: &'a str,
    pub(super) channel: &'static str,
    pub(super) agent_config: AgentConfig<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<&'a str>,
    pub(super) temperature: f64,
    pub(super) max_tokens: u32,
    pub(super) approvals: Approvals,
    pub(super) ask_user_question: AskUserQuestion,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Approvals {
    pub(super) enabled: bool,
    pub(super) mode: &'static str,
    pub(super) tools: [&'static str; 1],
    pub(super) timeout_ms: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AskUserQuestion {
    pub(super) enabled: bool,
    pub(super) timeout_ms: u64,
}
