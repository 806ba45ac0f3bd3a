//! Unexpected behaviour of prime's server and client, and what we do about it. As of January 2026.

use std::time::Duration;

use serde_json::Value;

use crate::slot::Ending;

/// How long a question waits. The original chose 55 seconds because the SDK's documentation of that time promised no
/// more than 60; clients count down from it.
pub(super) const WAIT: Duration = Duration::from_secs(55);

/// What a client counts down from when an ask of another system has no deadline: its frame needs a number.
pub(super) const WITHOUT_DEADLINE_SECONDS: u64 = 86_400;

/// Events that a client gets when it reconnects. The original buffered no more, and clients size their lists for it.
pub(super) const REPLAY_MAX: usize = 100;

/// The tools that the original allows from the start. Others ask for permission, which its sessions grant.
pub(super) const ALLOWED_TOOLS: &[&str] =
    &["Read", "Write", "Edit", "Glob", "Grep", "Bash", "Skill", "WebSearch", "WebFetch"];

/// Every type of the protocol, in both directions: the original accepts a server's frame from a client, and ignores it.
pub(super) const TYPES: &[&str] = &[
    "user_message",
    "ask_user_response",
    "interrupt",
    "connected",
    "session_status",
    "session_id",
    "text",
    "tool_use",
    "thinking",
    "ask_user_question",
    "ask_user_timeout",
    "complete",
    "error",
    "session_taken",
];

/// Text that is not JSON closes the connection silently.
pub(super) const NOT_JSON: (u16, &str) = (1000, "");

/// The text that a client shows when its card closes. `ask_user_timeout` is the only frame that closes one, so it is
/// sent for every ending, with another text.
pub(super) fn closing_words(ending: &Ending) -> String {
    match ending {
        Ending::Expired => "User response timed out".to_owned(),
        other => other.in_words(),
    }
}

/// The tool that prime shows with its input before it asks a question.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";

/// How many characters of a title and of a body its relay takes.
pub(super) const PUSH_TITLE_CHARS: usize = 100;
pub(super) const PUSH_BODY_CHARS: usize = 500;

/// The relay's status for a device that does not exist any more: it is forgotten, as in the original.
pub(super) const DEVICE_GONE: u16 = 410;

/// Both spellings of an id are read; the client was migrating from one to the other.
pub(super) fn question_id(data: &Value) -> Option<&str> {
    data["question_id"].as_str().or_else(|| data["questionId"].as_str())
}
