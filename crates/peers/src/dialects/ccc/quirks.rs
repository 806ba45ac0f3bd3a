//! Unexpected behaviour of ccc's server and front end, and what we do about it. As of January 2026.

use std::time::Duration;

/// How long a question waits.
pub(super) const WAIT: Duration = Duration::from_secs(300);

/// How often the server pings. The front end never answers, and logs an unknown type.
pub(super) const PING_EVERY: Duration = Duration::from_secs(30);

/// The tools that the original allows from the start. Others ask for permission, which its sessions grant.
pub(super) const ALLOWED_TOOLS: &[&str] = &["Read", "Write", "Edit", "Bash", "Glob", "Grep"];

/// A client's frame without a type is a chat message.
pub(super) const TYPE_LEFT_OUT: &str = "chat";

/// The tool whose call is not shown, because its card is.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";

/// The prefix of an answer in the person's own words.
pub(super) const OTHER: &str = "other:";

/// The cookie of a page that logged in, for its socket. The original requires nothing there, and its page cannot send
/// anything of its own, so the browser does. It is sent to the chat, and to the logout that ends it.
pub(super) const COOKIE: &str = "ccc_chat";
const COOKIE_PATHS: [&str; 2] = ["/ws/chat/", "/api/auth/logout"];

/// Has the browser keep a cookie for this long, or delete it.
pub(super) fn cookies(cookie: &str, life: Duration) -> [String; 2] {
    let seconds = life.as_secs();
    COOKIE_PATHS.map(|path| format!("{COOKIE}={cookie}; Path={path}; HttpOnly; SameSite=Strict; Max-Age={seconds}"))
}

/// The refusal of a registration.
pub(super) const NO_ACCOUNTS: &str = "Accounts are made with `askbridge pair`; log in with the token that it prints";

/// The refusal of a key for a project.
pub(super) const NO_KEYS: &str =
    "Agents use the key that the server's own environment has; one for a single project cannot be kept here";

/// Its card shows texts without their line breaks, so two commands would look like one. A sign marks each break.
pub(super) fn on_one_line(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains(['\n', '\r']) {
        true => text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ⏎ ").into(),
        false => text.into(),
    }
}

/// The front end takes every error with "not found" or "Session" in it for the end of the session, and does not
/// reconnect. Only the one error that means this may contain them.
pub(super) fn harmless(text: &str) -> String {
    text.replace("Session", "session").replace("not found", "missing")
}
