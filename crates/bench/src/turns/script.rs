//! What is said in a round. The double of Claude Code answers every message with a sentence, a question and a last
//! sentence, which repeats the answer.

/// Makes the double do so (`crates/scripted/src/bin/fake-claude/drill_turn.rs`). A script of the double could say the
/// same, but then it takes most of the machine.
pub(super) const DOUBLE: (&str, &str) = ("FAKE_CLAUDE_DRILL", "turns");

/// What stands before the answer in the agent's last sentence. The answer ends it.
pub(super) const CHOSEN: &str = "You have chosen: ";

/// The two options of the question; a person chooses them in turn.
const LABELS: [&str; 2] = ["PostgreSQL", "SQLite"];

pub(super) fn message(round: usize) -> String {
    format!("Please go on with part {round}.")
}

pub(super) fn label(round: usize) -> &'static str {
    LABELS[round % LABELS.len()]
}
