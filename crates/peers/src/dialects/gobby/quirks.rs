//! Unexpected behaviour of gobby's daemon and its pages, and what we do about it. Seen with 0.4.6.

use std::time::Duration;

/// How long a question or a plan waits.
pub(super) const WAIT: Duration = Duration::from_secs(600);

/// How long an approval waits, then it is denied.
pub(super) const APPROVAL_WAIT: Duration = Duration::from_secs(300);

/// The cookie of a page that logged in: its own login is a form that sets one.
pub(super) const COOKIE: &str = "gobby_session";

/// The tool whose calls are drawn as a card with options.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";

/// A page accepts only frames whose `request_id` is that of its own last message, whichever conversation they are of;
/// after a reload it has none, and accepts `null`. A page that lost its socket still has its old id. We cannot tell
/// which it is, so a page that has not sent a message on this socket gets both: it accepts exactly one. `null` is only
/// for the conversation that the page shows (its heartbeats name it), or the page would draw what belongs to another.
pub(super) fn candidates(own: Option<&String>, known: Option<&String>, is_looked_at: bool) -> Vec<Option<String>> {
    match own {
        Some(own) => vec![Some(own.clone())],
        None => is_looked_at.then_some(None).into_iter().chain(known.cloned().map(Some)).collect(),
    }
}

/// A card whose answer was sent never opens again. After a refusal it is shown as another one, under this id.
pub(super) fn shown_again(call: &str, times: u32) -> String {
    if times == 0 { call.to_owned() } else { format!("{call}~{times}") }
}

/// The id of a card, without how often it was shown.
pub(super) fn first_shown(call: &str) -> &str {
    match call.rsplit_once('~') {
        Some((first, times)) if !times.is_empty() && times.bytes().all(|byte| byte.is_ascii_digit()) => first,
        _ => call,
    }
}

/// The only frame that closes the plan panel says that the plan was approved. For every other ending it is sent with
/// the mode unchanged.
pub(super) const CLOSES_PLAN: &str = "plan_approved";

/// Shown by a page below a file that it could not upload.
pub(super) const NO_ATTACHMENTS: &str =
    "askbridge passes on text alone: write it into the message, or put the file into the project's folder and name it";

/// Prefix of the names under which the settings of people's pages are kept.
pub(super) const SETTINGS: &str = "settings/";

/// How long a title may be.
pub(super) const TITLE_CHARS_MAX: usize = 200;

/// Frames about agents, voices and terminals, which are silently ignored.
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

/// Responses to requests for what we do not have, where `{}` is not enough: the page of 0.4.6 breaks without a list.
pub(super) const EMPTY: &[(&str, &str)] = &[("/api/agents/running", r#"{"agents":[]}"#)];
