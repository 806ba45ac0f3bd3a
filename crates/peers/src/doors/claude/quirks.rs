//! What Claude Code does that nobody promised, each with what we make of it. Seen with 2.1.325.

/// Seconds until Claude Code gives up on the hook; then the call is not run and the model is told that the host did not
/// answer. Four months: the longest that was tried and did not fire early. Without it, ten minutes.
pub(super) const HOOK_TIMEOUT_SECS: u64 = 10_000_000;

/// The same for Claude Code before 2.1.325, where milliseconds beyond 31 bits are taken for none at all: with the longer
/// one 2.1.197 takes every question back within milliseconds. Twenty-three days.
pub(super) const OLD_HOOK_TIMEOUT_SECS: u64 = 2_000_000;

/// Seconds until Claude Code goes on without an answer to the hook that shows what ran; the model reads nothing of that. Short,
/// because an agent whose server is being restarted would wait so long after every call.
pub(super) const RAN_HOOK_TIMEOUT_SECS: u64 = 5;

/// In this mode nothing is asked after the hook, so words have to be said by the hook itself, although the model then
/// reads `hook error:` in front of them.
pub(super) const MODE_WITHOUT_QUESTIONS: &str = "dontAsk";

/// A deny with `interrupt` loses its words: the model reads a fixed sentence instead. They go in front of the next
/// message.
pub(super) fn words_after_a_stop(words: &str, message: &str) -> String {
    format!("(When you were stopped, this was the reason: {words})\n\n{message}")
}

/// What a model reads beside the result of a question, in sessions that want it: Seline says the answers so, because the
/// Claude Code of its time did not take them from the input.
pub(super) fn answers_beside(input: &str) -> String {
    let answers = serde_json::from_str::<serde_json::Value>(input).map(|input| input["answers"].to_string());
    let answers = answers.unwrap_or_default();
    format!(
        "The user has already answered this question. Their selections: {answers}. Use these answers as the tool result."
    )
}
