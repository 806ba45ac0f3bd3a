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

/// Under which name a page that logged in shows who it is when it opens a socket. The original asks for nothing there, and its page
/// has no way to send anything of its own: so the browser does. It is sent to the chat, and to the logout that ends it.
pub(super) const COOKIE: &str = "ccc_chat";
const COOKIE_PATHS: [&str; 2] = ["/ws/chat/", "/api/auth/logout"];

/// Has the browser keep a cookie for so long, or forget it.
pub(super) fn cookies(cookie: &str, life: Duration) -> [String; 2] {
    let seconds = life.as_secs();
    COOKIE_PATHS.map(|path| format!("{COOKIE}={cookie}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={seconds}"))
}

/// Said to a page that wants to register somebody.
pub(super) const NO_ACCOUNTS: &str = "Accounts are made with `askbridge pair`; log in with the token that it prints";

/// Said to a page that wants to keep a key for a project.
pub(super) const NO_KEYS: &str =
    "Agents use the key that the server's own environment has; one for a single project cannot be kept here";

/// Its card shows texts without their line breaks, so that two commands would look like one. A sign stands where each was.
pub(super) fn on_one_line(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains(['\n', '\r']) {
        true => text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ⏎ ").into(),
        false => text.into(),
    }
}

/// The front end takes every error with "not found" or "Session" in it for the end of the session, and does not come back.
/// Only the one error that means it may say so.
pub(super) fn harmless(text: &str) -> String {
    text.replace("Session", "session").replace("not found", "missing")
}
