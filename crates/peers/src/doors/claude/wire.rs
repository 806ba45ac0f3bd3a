//! What Claude Code writes to its stdout, as far as we look at it. Unknown fields are passed over, never refused.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// One line, looked at only as far as every kind of line allows.
#[derive(Deserialize)]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) subtype: Option<String>,
    pub(super) uuid: Option<String>,
    pub(super) parent_tool_use_id: Option<String>,
    pub(super) request_id: Option<String>,
    #[serde(borrow)]
    pub(super) request: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) event: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    pub(super) command_uuid: Option<String>,
    #[serde(borrow)]
    pub(super) state: Option<&'a RawValue>,
}

/// An event of the model's API, passed through.
#[derive(Deserialize)]
pub(super) struct Streaming<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    pub(super) content_block: Option<BlockHead>,
    pub(super) message: Option<MessageHead>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) thinking: Option<Cow<'a, str>>,
    /// Of a call's input.
    #[serde(borrow)]
    pub(super) partial_json: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(super) struct BlockHead {
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Of a tool.
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct MessageHead {
    pub(super) id: String,
}

/// A whole message. Claude Code writes one for each block of content, all with the same id.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(default)]
    pub(super) id: String,
    #[serde(borrow)]
    pub(super) content: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<String>,
    /// A text, or a list of blocks.
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) is_error: bool,
}

/// What Claude Code wants from us.
#[derive(Deserialize)]
pub(super) struct Request<'a> {
    pub(super) subtype: String,
    pub(super) tool_name: Option<String>,
    pub(super) tool_use_id: Option<String>,
    pub(super) agent_id: Option<String>,
    pub(super) description: Option<String>,
    pub(super) title: Option<String>,
    pub(super) decision_reason: Option<String>,
    pub(super) blocked_path: Option<String>,
    #[serde(borrow)]
    pub(super) permission_suggestions: Option<&'a RawValue>,
    /// Of the tool, or of the hook.
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    pub(super) server_name: Option<String>,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct HookInput<'a> {
    pub(super) hook_event_name: String,
    pub(super) tool_name: Option<String>,
    #[serde(borrow)]
    pub(super) tool_input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<String>,
    pub(super) agent_id: Option<String>,
    pub(super) permission_mode: Option<String>,
}

/// A request of an MCP client to the server that we are.
#[derive(Deserialize)]
pub(super) struct Rpc<'a> {
    pub(super) method: Option<String>,
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct ToolCall<'a> {
    pub(super) name: String,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta")]
    pub(super) meta: Option<CallMeta>,
}

#[derive(Deserialize)]
pub(super) struct CallMeta {
    #[serde(rename = "claudecode/toolUseId")]
    pub(super) tool_use_id: Option<String>,
}

/// The answer to a request of ours.
#[derive(Deserialize)]
pub(super) struct Answered {
    pub(super) subtype: String,
    pub(super) request_id: Option<String>,
    pub(super) error: Option<String>,
}

/// How a turn ended.
#[derive(Deserialize)]
pub(super) struct TurnResult<'a> {
    pub(super) subtype: Option<String>,
    #[serde(default)]
    pub(super) is_error: bool,
    pub(super) result: Option<String>,
    pub(super) stop_reason: Option<String>,
    pub(super) terminal_reason: Option<String>,
    pub(super) deferred_tool_use: Option<Deferred>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, rename = "modelUsage")]
    pub(super) model_usage: Option<&'a RawValue>,
    pub(super) total_cost_usd: Option<f64>,
    pub(super) duration_ms: Option<u64>,
    pub(super) num_turns: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Deferred {
    pub(super) id: String,
}

/// Fields of `system` lines that a person should hear about.
#[derive(Deserialize)]
pub(super) struct System<'a> {
    #[serde(rename = "permissionMode")]
    pub(super) permission_mode: Option<String>,
    #[serde(borrow)]
    pub(super) tasks: Option<Vec<&'a RawValue>>,
    /// A text; some versions put an object here.
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    pub(super) attempt: Option<u64>,
    pub(super) max_retries: Option<u64>,
}
