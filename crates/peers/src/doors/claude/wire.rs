//! The lines of Claude Code's stdout, as far as we read them. Unknown fields are ignored, never refused.
//!
//! Everything is borrowed from the line. One `borrow` in a struct applies to all of its fields.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::Lent;

/// One line, parsed only as far as all kinds of lines have in common.
#[derive(Deserialize)]
pub(super) struct ClaudeLine<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Lent<'a>,
    pub(super) subtype: Option<Lent<'a>>,
    pub(super) uuid: Option<Lent<'a>>,
    pub(super) parent_tool_use_id: Option<Lent<'a>>,
    pub(super) request_id: Option<Lent<'a>>,
    pub(super) request: Option<&'a RawValue>,
    pub(super) response: Option<&'a RawValue>,
    pub(super) event: Option<&'a RawValue>,
    pub(super) message: Option<&'a RawValue>,
    pub(super) command_uuid: Option<Lent<'a>>,
    pub(super) state: Option<&'a RawValue>,
}

/// An event of the model's API, passed through.
#[derive(Deserialize)]
pub(super) struct Streaming<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Lent<'a>,
    pub(super) delta: Option<Delta<'a>>,
    pub(super) content_block: Option<BlockHead>,
    pub(super) message: Option<MessageHead>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Lent<'a>>,
    pub(super) thinking: Option<Lent<'a>>,
    /// Of a call's input.
    pub(super) partial_json: Option<Lent<'a>>,
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
    #[serde(default, borrow)]
    pub(super) id: Lent<'a>,
    pub(super) content: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Lent<'a>,
    pub(super) text: Option<Lent<'a>>,
    pub(super) thinking: Option<Lent<'a>>,
    pub(super) id: Option<Lent<'a>>,
    pub(super) name: Option<Lent<'a>>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<Lent<'a>>,
    /// A text, or a list of blocks.
    pub(super) content: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) is_error: bool,
}

/// A request from Claude Code.
#[derive(Deserialize)]
pub(super) struct Request<'a> {
    #[serde(borrow)]
    pub(super) subtype: Lent<'a>,
    pub(super) tool_name: Option<Lent<'a>>,
    pub(super) tool_use_id: Option<Lent<'a>>,
    pub(super) agent_id: Option<Lent<'a>>,
    pub(super) description: Option<Lent<'a>>,
    pub(super) title: Option<Lent<'a>>,
    pub(super) decision_reason: Option<Lent<'a>>,
    pub(super) blocked_path: Option<Lent<'a>>,
    pub(super) permission_suggestions: Option<&'a RawValue>,
    /// Of the tool, or of the hook.
    pub(super) input: Option<&'a RawValue>,
    pub(super) server_name: Option<Lent<'a>>,
    pub(super) message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct HookInput<'a> {
    #[serde(borrow)]
    pub(super) hook_event_name: Lent<'a>,
    /// What the tool returned.
    pub(super) tool_response: Option<&'a RawValue>,
    /// Of a person.
    pub(super) prompt: Option<Lent<'a>>,
    /// Why a session begins: `startup`, `resume`, `clear`, `compact`.
    pub(super) source: Option<Lent<'a>>,
    /// Who wants to compact: `manual`, `auto`.
    pub(super) trigger: Option<Lent<'a>>,
    /// Why a session ends, or why a call was denied.
    pub(super) reason: Option<Lent<'a>>,
    /// The agent goes on because a hook at the end of this turn made it.
    #[serde(default)]
    pub(super) stop_hook_active: bool,
    pub(super) tool_name: Option<Lent<'a>>,
    pub(super) tool_input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<Lent<'a>>,
    pub(super) agent_id: Option<Lent<'a>>,
    pub(super) permission_mode: Option<Lent<'a>>,
}

/// A request of an MCP client to our server.
#[derive(Deserialize)]
pub(super) struct Rpc<'a> {
    pub(super) method: Option<String>,
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
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

/// The response to a request of ours.
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
    #[serde(rename = "modelUsage")]
    pub(super) model_usage: Option<&'a RawValue>,
    pub(super) total_cost_usd: Option<f64>,
    pub(super) duration_ms: Option<u64>,
    pub(super) num_turns: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Deferred {
    pub(super) id: String,
}

/// Fields of `system` lines that a person should see.
#[derive(Deserialize)]
pub(super) struct System<'a> {
    #[serde(rename = "permissionMode")]
    pub(super) permission_mode: Option<String>,
    #[serde(borrow)]
    pub(super) tasks: Option<Vec<&'a RawValue>>,
    /// A string; some versions put an object here.
    pub(super) content: Option<&'a RawValue>,
    pub(super) error: Option<&'a RawValue>,
    pub(super) attempt: Option<u64>,
    pub(super) max_retries: Option<u64>,
}
