//! Unexpected behaviour of Seline's server and client, and what we do about it. As of March 2026.

use std::time::Duration;

use serde_json::{Value, json};

/// How long a question waits: the timeout of the original's hook.
pub(super) const WAIT: Duration = Duration::from_secs(300);

/// Its server stops waiting for a tool's result after this time, and reports that.
pub(super) const RESULT_WAIT: Duration = Duration::from_secs(300);

/// Tools without that limit.
pub(super) const ENDLESS: &[&str] = &["Task", "Agent", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList"];

/// How long the stream may be silent before a comment keeps it open.
pub(super) const SILENCE: Duration = Duration::from_secs(30);

/// `Delivered` is written late, as a rider, and may arrive a little after what the agent did with the message.
pub(super) const AFTERTHOUGHT: Duration = Duration::from_millis(400);

/// The tools that its client draws as cards. Anything else that is asked is drawn as the first.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";
pub(super) const PLAN_TOOL: &str = "ExitPlanMode";

/// The texts that a plan's card sends.
pub(super) const APPROVE: &str = "Approve & Continue";
pub(super) const SEND_BACK: &str = "Reject / Edit";

/// How deep its client unwraps JSON inside strings.
pub(super) const NESTED_MAX: usize = 3;

/// Bytes of one piece of a call's arguments.
pub(super) const PIECE_BYTES: usize = 1024;

/// Characters that one request may ask about. The original ignores the rest.
pub(super) const CHARACTERS_MAX: usize = 100;

/// A prompt that begins so is meant to end the run: the original says `stopIntent`, and tells the model to stop.
const STOPS: &[&str] = &["stop", "cancel", "halt", "abort", "wait", "pause", "nevermind", "never mind"];

pub(super) fn wants_a_stop(prompt: &str) -> bool {
    let prompt = prompt.trim().to_lowercase();
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    STOPS.iter().any(|word| prompt.strip_prefix(word).is_some_and(is_whole))
}

/// What the original adds to the output of a call with a large input: that it was large, its size, and its beginning.
/// Ours are those that the journal does not keep; only a sentence that says so is left of them.
pub(super) fn large_input(input: &str) -> Option<serde_json::Map<String, Value>> {
    let read: Value = serde_json::from_str(input).ok()?;
    let note = read.as_object().filter(|fields| fields.len() == 1)?.get("askbridge")?.as_str()?;
    let bytes: u64 = note.strip_prefix("an input of ")?.split(' ').next()?.parse().ok()?;
    let fields = json!({"_sdkLargeInput": true, "_sdkLargeInputBytes": bytes, "_sdkLargeInputPreview": note});
    fields.as_object().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_begins_with_a_stop_is_one() {
        for stop in ["stop", " Stop!", "cancel please", "WAIT", "never mind, go on", "pause."] {
            assert!(wants_a_stop(stop), "{stop}");
        }
        for other in ["", "stopwatch", "please stop", "waiting", "do not stop", "cancelled"] {
            assert!(!wants_a_stop(other), "{other}");
        }
    }

    #[test]
    fn an_input_that_was_too_large_says_how_large() {
        let large = large_input(r#"{"askbridge":"an input of 300000 bytes, too large to be kept"}"#).unwrap();
        assert_eq!((&large["_sdkLargeInput"], &large["_sdkLargeInputBytes"]), (&json!(true), &json!(300_000)));
        for small in
            [r#"{"command":"ls"}"#, r#"{"askbridge":"x"}"#, r#"{"askbridge":"an input of 1 bytes","a":1}"#, "7"]
        {
            assert!(large_input(small).is_none(), "{small}");
        }
    }
}
