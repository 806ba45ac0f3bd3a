//! What an agent is going to ask.

use std::time::Duration;

use serde_json::{Value, json};

use crate::dice::Dice;

/// One ask, from the question to the last word about it.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) key: String,
    pub(super) body: Value,
    /// Asked in a session that the agent's other asks share?
    pub(super) shared: bool,
    /// Taken back after so long, if nobody has decided by then.
    pub(super) withdraw_after: Option<Duration>,
}

impl Round {
    pub(super) fn draw(agent: &str, number: usize, dice: &mut Dice) -> Self {
        let options = json!([{"label": "North"}, {"label": "East"}, {"label": "South"}]);
        let question = |text: &str| json!({"question": text, "options": options});
        let key = format!("{agent}-{number}");
        let mut body = match dice.below(4) {
            0 => json!({"approval": {"tool": "Bash", "input": {"command": format!("make {key}")}}}),
            1 => json!({"questions": [question("Which way?"), question("And then?")]}),
            _ => json!({"questions": [question("Which way?")]}),
        };
        if dice.in_thousand(500) {
            body["timeout_seconds"] = json!(1 + dice.below(20));
            if body["approval"].is_null() && dice.in_thousand(400) {
                let two = body["questions"].as_array().is_some_and(|questions| questions.len() > 1);
                let both = json!({"Which way?": "South", "And then?": "East"});
                let assume = if two { both } else { json!({"Which way?": "South"}) };
                body["on_expiry"] = json!({"assume": assume});
            }
        }
        let shared = dice.in_thousand(500);
        if shared || dice.in_thousand(300) {
            body["call"] = json!(key);
        }
        let withdraw_after = dice.in_thousand(120).then(|| dice.millis(10, 4_000));
        Self { key, body, shared, withdraw_after }
    }
}
