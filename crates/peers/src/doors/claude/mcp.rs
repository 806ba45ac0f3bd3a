//! The tool with which subagents ask: we are its MCP server, and speak JSON-RPC inside control requests.
//!
//! Claude Code's own question is not there in subagents.

use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The name of our server, as the model sees it in `mcp__askbridge__ask_user`.
pub const SERVER: &str = "askbridge";
/// The tool's full name.
pub const TOOL: &str = "mcp__askbridge__ask_user";
const NAME: &str = "ask_user";

const DESCRIPTION: &str = "Ask the person you work for, wait for the answer, and get it back. Use this when you cannot \
     go on without a decision that only they can make, or when guessing wrong would cost them work. It works inside \
     subagents, where AskUserQuestion is not available; if you have AskUserQuestion, use that instead. Ask everything \
     you need at once, offer two to four options each where you can (free text is always possible), and say in each \
     description what the option means for them. The answer may take hours. If nobody answers or the question is \
     dismissed, you are told so: never assume an answer.";

/// What a request of the MCP client needs from us.
pub(super) enum Wanted {
    /// This answer, at once.
    Answer(Value),
    /// Nothing: it was a notification.
    Nothing,
    Ask,
}

pub(super) fn wanted(method: &str, params: Option<&RawValue>) -> Wanted {
    match method {
        "initialize" => {
            let params: Option<Value> = params.and_then(|params| serde_json::from_str(params.get()).ok());
            let version = params.and_then(|params| params["protocolVersion"].as_str().map(str::to_owned));
            Wanted::Answer(json!({
                "protocolVersion": version.unwrap_or_else(|| "2025-06-18".to_owned()),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": SERVER, "version": env!("CARGO_PKG_VERSION")},
            }))
        }
        "tools/list" => Wanted::Answer(json!({"tools": [tool()]})),
        "tools/call" => Wanted::Ask,
        "ping" => Wanted::Answer(json!({})),
        method if method.starts_with("notifications/") => Wanted::Nothing,
        _ => Wanted::Answer(Value::Null),
    }
}

/// Wraps an answer for the control protocol.
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

/// The result of a call.
pub(super) fn said(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

fn tool() -> Value {
    let option = json!({
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "One to five words"},
            "description": {"type": "string", "description": "What choosing it means"},
        },
        "required": ["label"],
    });
    let question = json!({
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The whole question, ending with a question mark"},
            "header": {"type": "string", "description": "A word or two for a label"},
            "options": {"type": "array", "items": option},
            "multiSelect": {"type": "boolean", "description": "May several options be chosen?"},
        },
        "required": ["question"],
    });
    json!({
        "name": NAME,
        "description": DESCRIPTION,
        "inputSchema": {
            "type": "object",
            "properties": {"questions": {"type": "array", "items": question, "minItems": 1, "maxItems": 4}},
            "required": ["questions"],
        },
        // In the first prompt, instead of behind a search for tools.
        "_meta": {"anthropic/alwaysLoad": true},
    })
}
