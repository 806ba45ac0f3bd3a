//! The tools, as the model sees them.

use askbridge_core::limits;
use serde_json::{Value, json};

use super::client_session::Client;
use crate::ask_tool;

pub(super) const ASK: &str = "ask_user_question";
pub(super) const WAIT: &str = "wait_for_answer";
pub(super) const CANCEL: &str = "cancel_question";
pub(super) const NOTIFY: &str = "notify_user";
pub(super) const APPROVE: &str = "approve";

/// The tools that a model calls to reach a person. They do nothing else, so they need no permission.
pub const ASK_TOOLS: [&str; 4] = [ASK, WAIT, CANCEL, NOTIFY];

/// Text that a client may put into its system prompt.
pub(super) const INSTRUCTIONS: &str = "These tools reach the person you work for, wherever they are. Ask with \
     ask_user_question when only they can decide; if the result is a ticket, nobody has answered yet: call \
     wait_for_answer with it, as often as needed. Never make up an answer. Use notify_user for news that need no answer.";

const HERE: &str = "It reaches them on their phone, too. If nobody has answered after a while, you get a ticket instead of \
     an answer: the question stays open, and wait_for_answer goes on waiting. Asking the same again does not ask twice.";

/// The tools that this client is shown.
pub(super) fn list(client: &Client) -> Value {
    let mut tools = vec![ask(), wait(), cancel(), notify()];
    if client.is_claude_code() {
        tools.push(approve());
    }
    json!(tools)
}

fn ask() -> Value {
    json!({
        "name": ASK,
        "title": "Ask the person",
        "description": ask_tool::description(HERE),
        "inputSchema": {
            "type": "object",
            "properties": {
                "questions": ask_tool::questions(limits::QUESTIONS_MAX),
                "context": {
                    "type": "string",
                    "description": "What they need to know to decide, on a small screen and away from their desk",
                },
                "timeout_seconds": {
                    "type": "number",
                    "description": "How long the question may stay open. Leave it out unless an answer is useless later",
                },
                "again": {
                    "type": "boolean",
                    "description": "Ask although the same question was answered a moment ago",
                },
            },
            "required": ["questions"],
        },
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
        "_meta": ask_tool::always_loaded(),
    })
}

fn wait() -> Value {
    json!({
        "name": WAIT,
        "title": "Wait for an answer",
        "description": "Wait for the answer to a question that you asked with ask_user_question and got a ticket for. \
            Returns the answer, or says that nobody has answered yet: then call it again, as often as needed, or do \
            other work first. Calling it twice does no harm.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ticket": {"type": "string", "description": "The ticket. Without it: your oldest question that is open"},
            },
        },
        "annotations": {"readOnlyHint": true, "idempotentHint": true, "openWorldHint": false},
        "_meta": ask_tool::always_loaded(),
    })
}

fn cancel() -> Value {
    json!({
        "name": CANCEL,
        "title": "Take a question back",
        "description": "Take back a question that no longer needs an answer, so that nobody spends time on it. If it was \
            answered before, you get the answer instead.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "ticket": {"type": "string", "description": "The ticket of the question"},
                "reason": {"type": "string", "description": "Why it is no longer needed, for the person to read"},
            },
            "required": ["ticket"],
        },
        "annotations": {"destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
    })
}

fn notify() -> Value {
    json!({
        "name": NOTIFY,
        "title": "Tell the person something",
        "description": "Tell the person something that needs no answer: that long work is done, or what went wrong. Be \
            brief, and do not use it for questions.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "message": {"type": "string", "description": "What they read"},
                "level": {"type": "string", "enum": ["info", "warning", "error"]},
            },
            "required": ["message"],
        },
        "annotations": {"destructiveHint": false, "openWorldHint": false},
    })
}

fn approve() -> Value {
    json!({
        "name": APPROVE,
        "title": "May a tool run?",
        "description": "For Claude Code itself (--permission-prompt-tool mcp__askbridge__approve), never for the model: \
            asks the person whether a tool may run.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "tool_name": {"type": "string"},
                "input": {"type": "object"},
                "tool_use_id": {"type": "string"},
            },
            "required": ["tool_name", "input"],
        },
        "annotations": {"destructiveHint": false, "openWorldHint": false},
    })
}
