//! The asks that a simulated agent makes, drawn by chance.

use std::time::Duration;

use serde_json::{Value, json};

use crate::dice::Dice;

/// One ask that an agent is going to make.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) key: String,
    pub(super) body: Value,
    /// Is it made in a session that the agent's other asks share?
    pub(super) shared: bool,
    /// Withdrawn after this long, if it is still open.
    pub(super) withdraw_after: Option<Duration>,
}

impl Round {
    /// Draws an ask; with `thoughts`, sometimes with an undo time or a quorum.
    pub(super) fn draw(agent: &str, number: usize, dice: &mut Dice, thoughts: Option<&mut Dice>) -> Self {
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
        if let Some(thoughts) = thoughts {
            if thoughts.in_thousand(500) {
                body["undo_seconds"] = json!(1 + thoughts.below(8));
            }
            if thoughts.in_thousand(300) {
                body["quorum"] = json!(2);
                // People who never agree would keep the agent waiting for ever.
                body["timeout_seconds"] = json!(5 + thoughts.below(20));
            }
        }
        Self { key, body, shared, withdraw_after }
    }

    /// Draws an approval with a large input.
    pub(super) fn large(agent: &str, number: usize, dice: &mut Dice) -> Self {
        let key = format!("{agent}-{number}");
        let content = "0123456789abcdef".repeat(1_000 + dice.below(11_000));
        let input = json!({"file_path": format!("/tmp/{key}"), "content": content});
        let body = json!({"approval": {"tool": "Write", "input": input}});
        Self { key, body, shared: false, withdraw_after: None }
    }
}
