//! Ids of conversations and messages, derived from ours, so that a reloaded page finds the same ones.

use askbridge_core::ask::Ask;
use askbridge_core::ids::{Position, SessionId};

use crate::uuid;

/// The session of a conversation. Pages of the first generation make up names of their own.
pub(super) fn session_of(conversation: &str) -> SessionId {
    uuid::read_session(conversation).unwrap_or_else(|| uuid::session_of_text(conversation))
}

/// The id of the message that a tool call is drawn in.
pub(super) fn message_of_call(session: SessionId, call: &str) -> String {
    short(&format!("{session}/{call}"))
}

/// The id of the message of a text block, while it streams and when it is loaded again.
pub(super) fn message_of_block(session: SessionId, block: u32) -> String {
    short(&format!("{session}~{block}"))
}

/// The id of the message at a position.
pub(super) fn message_at(session: SessionId, position: Position) -> String {
    short(&format!("{session}#{}", position.0))
}

fn short(text: &str) -> String {
    format!("assistant-{}", &uuid::of_text(text).replace('-', "")[20..])
}

/// The id of a card: the agent's call, or the ask's own id where there is none. A number alone would occur again when
/// the conversation continues as another session.
pub(super) fn call_of(ask: &Ask) -> String {
    ask.call.as_ref().map_or_else(|| ask.id.to_string(), |call| call.as_str().to_owned())
}

/// The MCP server of a tool, from its name.
pub(super) fn server_of(tool: &str) -> &str {
    let mut parts = tool.split("__");
    match (parts.next(), parts.next(), parts.next()) {
        (Some("mcp"), Some(server), Some(_)) => server,
        _ => "builtin",
    }
}

/// How a page draws a tool. It works this out itself while a call streams, and takes it from us when it loads one: then
/// a command is shown only for `bash`, a file only for `read` and `edit`.
pub(super) fn type_of(tool: &str) -> &'static str {
    match tool {
        "Bash" => "bash",
        "Read" => "read",
        "Edit" | "Write" | "MultiEdit" => "edit",
        "Grep" => "grep",
        "Glob" | "LS" => "glob",
        _ if tool.starts_with("mcp__") => "mcp",
        _ => "unknown",
    }
}
