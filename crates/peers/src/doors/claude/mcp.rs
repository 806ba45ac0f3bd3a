//! The MCP server of the tool that subagents ask with: JSON-RPC inside control requests.
//!
//! Claude Code's own question tool is not available to subagents.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::ask_tool;
pub(super) use crate::ask_tool::said;

/// As many as Claude Code's own tool takes.
const QUESTIONS_MAX: usize = 4;

/// The name of our server, as the model sees it in `mcp__askbridge__ask_user`.
pub const SERVER: &str = "askbridge";
/// The tool's full name.
pub const TOOL: &str = "mcp__askbridge__ask_user";
const NAME: &str = "ask_user";

const HERE: &str = "It works inside subagents, where AskUserQuestion is not available; if you have AskUserQuestion, use \
     that instead.";

/// What a request of the MCP client needs from us.
pub(super) enum McpReply {
    /// This answer, at once.
    Answer(Value),
    /// Nothing: it was a notification.
    Nothing,
    Ask,
}

pub(super) fn wanted(method: &str, params: Option<&RawValue>) -> McpReply {
    match method {
        "initialize" => {
            let params: Option<Value> = params.and_then(|params| serde_json::from_str(params.get()).ok());
            let version = params.and_then(|params| params["protocolVersion"].as_str().map(str::to_owned));
            McpReply::Answer(json!({
                "protocolVersion": version.unwrap_or_else(|| "2025-06-18".to_owned()),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": SERVER, "version": env!("CARGO_PKG_VERSION")},
            }))
        }
        "tools/list" => McpReply::Answer(json!({"tools": [tool()]})),
        "tools/call" => McpReply::Ask,
        "ping" => McpReply::Answer(json!({})),
        method if method.starts_with("notifications/") => McpReply::Nothing,
        _ => McpReply::Answer(Value::Null),
    }
}

/// Wraps a response for the control protocol.
pub(super) fn response(id: Option<&RawValue>, result: Value) -> Value {
    let mut rpc = json!({"jsonrpc": "2.0"});
    match result {
        Value::Null => rpc["error"] = json!({"code": -32601, "message": "there is no such method"}),
        result => rpc["result"] = result,
    }
    if let Some(id) = id.and_then(|id| serde_json::from_str::<Value>(id.get()).ok()) {
        rpc["id"] = id;
    }
    json!({"mcp_response": rpc})
}

fn tool() -> Value {
    json!({
        "name": NAME,
        "description": ask_tool::description(HERE),
        "inputSchema": {
            "type": "object",
            "properties": {"questions": ask_tool::questions(QUESTIONS_MAX)},
            "required": ["questions"],
        },
        "_meta": ask_tool::always_loaded(),
    })
}
