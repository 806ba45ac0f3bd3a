//! What prime's server and its client do that one would not expect, each with what we make of it. As of January 2026.

use std::time::Duration;

use serde_json::Value;

use crate::slot::Ending;

/// How long a question waits. The original chose 55 seconds because the SDK's documentation of that time promised no
/// more than 60; clients count down from it.
pub(super) const WAIT: Duration = Duration::from_secs(55);

/// What a client counts down from when an ask of another system has no deadline: its frame needs a number.
pub(super) const WITHOUT_DEADLINE_SECONDS: u64 = 86_400;

/// Events that a client gets on coming back. The original buffered no more, and clients size their lists for it.
pub(super) const REPLAY_MAX: usize = 100;

/// The tools that the original allows from the start. Others ask for permission, which its sessions grant.
pub(super) const ALLOWED_TOOLS: &[&str] =
    &["Read", "Write", "Edit", "Glob", "Grep", "Bash", "Skill", "WebSearch", "WebFetch"];

/// Every name of the protocol, whoever says it: the original takes a frame of the server's from a client, and ignores it.
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

/// Text that is no JSON ends the connection without a word.
pub(super) const NOT_JSON: (u16, &str) = (1000, "");

/// What a client reads when its card closes. `ask_user_timeout` is the only frame that closes one, so that is sent for
/// every ending, with another text.
pub(super) fn closing_words(ending: &Ending) -> String {
    match ending {
        Ending::Expired => "User response timed out".to_owned(),
        other => other.in_words(),
    }
}

/// The name of a tool, and what it was given, as prime shows a question before it asks it.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";

/// How long nobody has to be connected before devices are told: the original's own grace, which it gives the end of a turn.
pub(super) const PUSH_GRACE: Duration = Duration::from_secs(5);

/// How long after the first try a push is tried again, and twice that after the second.
pub(super) const PUSH_AGAIN: Duration = Duration::from_secs(30);

/// What its relay takes of a title and of a body, in characters.
pub(super) const PUSH_TITLE_CHARS: usize = 100;
pub(super) const PUSH_BODY_CHARS: usize = 500;

/// The relay's status for a device that is no longer there: it is forgotten, as the original does.
pub(super) const DEVICE_GONE: u16 = 410;

/// Both spellings of an id are read; the client was migrating from one to the other.
pub(super) fn question_id(data: &Value) -> Option<&str> {
    data["question_id"].as_str().or_else(|| data["questionId"].as_str())
}
