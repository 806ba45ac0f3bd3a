//! What gobby's daemon and its pages do that one would not expect, each with what we make of it. Seen with 0.4.6.

use std::time::Duration;

/// How long a question or a plan waits.
pub(super) const WAIT: Duration = Duration::from_secs(600);

/// How long an approval waits, then it is denied.
pub(super) const APPROVAL_WAIT: Duration = Duration::from_secs(300);

/// Under which name a page that logged in shows who it is: its own login is a form that sets a cookie.
pub(super) const COOKIE: &str = "gobby_session";

/// The tool whose calls are drawn as a card with options.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";

/// A page takes only frames whose `request_id` is the one of its own last message, whichever conversation they are of;
/// after a reload it has none, and takes `null`. A page whose socket was cut still has its old one. We cannot tell which it
/// is, so whoever has not spoken on this socket is sent both: exactly one of them is taken. `null` is for the conversation
/// that the page looks at (its heartbeats name it), or it would draw what belongs to another.
pub(super) fn candidates(own: Option<&String>, known: Option<&String>, is_looked_at: bool) -> Vec<Option<String>> {
    match own {
        Some(own) => vec![Some(own.clone())],
        None => is_looked_at.then_some(None).into_iter().chain(known.cloned().map(Some)).collect(),
    }
}

/// A card whose answer was sent never opens again. After a refusal it is shown as another one, under this name.
pub(super) fn shown_again(call: &str, times: u32) -> String {
    if times == 0 { call.to_owned() } else { format!("{call}~{times}") }
}

/// What a card is called, without how often it was shown.
pub(super) fn first_shown(call: &str) -> &str {
    match call.rsplit_once('~') {
        Some((first, times)) if !times.is_empty() && times.bytes().all(|byte| byte.is_ascii_digit()) => first,
        _ => call,
    }
}

/// The only frame that closes the plan panel is the one that says it was approved. For every other ending it is sent with
/// the mode unchanged.
pub(super) const CLOSES_PLAN: &str = "plan_approved";

/// What a page says below a file that it could not upload.
pub(super) const NO_ATTACHMENTS: &str =
    "askbridge passes on text alone: write it into the message, or put the file into the project's folder and name it";

/// Under which names the settings of people's pages are kept.
pub(super) const SETTINGS: &str = "settings/";

/// How long a title may be.
pub(super) const TITLE_CHARS_MAX: usize = 200;

/// What a client may send that is no affair of ours, and is passed over without a word: agents, voices, terminals.
pub(super) const PASSED_OVER: &[&str] = &[
    "set_project",
    "set_worktree",
    "set_agent",
    "set_provider",
    "voice_start",
    "voice_stop",
    "tts_stop",
    "canvas_interaction",
    "detach_from_session",
    "terminal_input",
];

/// Requests of its pages about things that are not here, where `{}` is not enough: the page of 0.4.6 takes what comes for a
/// list, and breaks.
pub(super) const EMPTY: &[(&str, &str)] = &[("/api/agents/running", r#"{"agents":[]}"#)];
