//! What the double of Claude Code does with every message: says a sentence, asks a question, says another.

use serde_json::json;

use crate::tongues::questions;

/// The two answers that a person gives in turn; each is an option of the question.
pub(super) const LABELS: [&str; 2] = ["PostgreSQL", "SQLite"];

/// Returns the script, for `FAKE_CLAUDE_SCRIPT`.
pub(super) fn script() -> String {
    let call = json!({"id": "toolu_{turn}", "name": "AskUserQuestion", "input": {"questions": questions()}});
    let asks = json!([{"text": "Before I go on, I have one question."}, {"tool": call}]);
    let ends = json!([{"text": "Thank you. That is all I needed to know."}]);
    let turns =
        json!([{"when": "any_result", "say": {"message": ends}}, {"when": "anything", "say": {"message": asks}}]);
    json!({"turns": turns}).to_string()
}

/// Returns the message of a round. It names the answer that the person will give, so that the agent's transcript says
/// by itself whether that answer arrived.
pub(super) fn message(round: usize) -> String {
    format!("Round {round}. {WILL_SAY}{}", label(round))
}

pub(super) const WILL_SAY: &str = "The answer will be ";

pub(super) fn label(round: usize) -> &'static str {
    LABELS[round % LABELS.len()]
}
