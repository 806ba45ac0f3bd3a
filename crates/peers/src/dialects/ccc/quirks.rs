//! What ccc's server and its front end do that one would not expect, each with what we make of it. As of January 2026.

use std::time::Duration;

/// How long a question waits.
pub(super) const WAIT: Duration = Duration::from_secs(300);

/// How often the server pings. The front end never answers, and logs that it does not know the type.
pub(super) const PING_EVERY: Duration = Duration::from_secs(30);

/// The tools that the original allows from the start. Others ask for permission, which its sessions grant.
pub(super) const ALLOWED_TOOLS: &[&str] = &["Read", "Write", "Edit", "Bash", "Glob", "Grep"];

/// What a client sends without a type is something to say.
pub(super) const TYPE_LEFT_OUT: &str = "chat";

/// The tool whose call is not shown: its card is.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";

/// Before an answer in the person's own words.
pub(super) const OTHER: &str = "other:";

/// The front end takes every error with "not found" or "Session" in it for the end of the session, and does not come back.
/// Only the one error that means it may say so.
pub(super) fn harmless(text: &str) -> String {
    text.replace("Session", "session").replace("not found", "missing")
}
