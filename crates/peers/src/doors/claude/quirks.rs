//! Undocumented behaviour of Claude Code, and what we do about it. Seen with 2.1.325.

/// Seconds until Claude Code gives up on the hook; then the call is not run and the model is told that the host did not
/// answer. Four months: the longest that was tried and did not fire early. Without it, ten minutes.
pub(super) const HOOK_TIMEOUT_SECS: u64 = 10_000_000;

/// The same for Claude Code before 2.1.325, where a timeout of more than 31 bits of milliseconds counts as zero: with
/// the longer one 2.1.197 takes every question back within milliseconds. Twenty-three days.
pub(super) const OLD_HOOK_TIMEOUT_SECS: u64 = 2_000_000;

/// Seconds until Claude Code goes on without an answer to the hook that reports what ran; the model is not told of it.
/// Short, because an agent whose server is being restarted waits this long after every call.
pub(super) const RAN_HOOK_TIMEOUT_SECS: u64 = 5;

/// In this mode nothing is asked after the hook, so the hook itself has to give the words, although the model then
/// reads `hook error:` in front of them.
pub(super) const MODE_WITHOUT_QUESTIONS: &str = "dontAsk";

/// In this mode a classifier of the vendor's allows and denies calls, and no person is asked.
pub const MODE_THAT_DENIES: &str = "auto";

/// A deny with `interrupt` loses its words: the model reads a fixed sentence instead. So they precede the next message.
pub(super) fn words_after_a_stop(words: &str, message: &str) -> String {
    format!("(When you were stopped, this was the reason: {words})\n\n{message}")
}

/// The answers beside a question's result, in sessions that want them: Seline repeats them so, because the Claude Code
/// of its time did not take them from the input.
pub(super) fn answers_beside(input: &str) -> String {
    let answers = serde_json::from_str::<serde_json::Value>(input).map(|input| input["answers"].to_string());
    let answers = answers.unwrap_or_default();
    format!(
        "The user has already answered this question. Their selections: {answers}. Use these answers as the tool result."
    )
}
