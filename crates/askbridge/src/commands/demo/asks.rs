//! The asks of the demo's agent.

use serde_json::{Value, json};

pub(super) const PROJECT: &str = "What shall we pretend to build?";
pub(super) const PARTS: &str = "Which parts come first?";
pub(super) const LOOK: &str = "Which greeting do you like better?";
pub(super) const NAME: &str = "What is it called?";
pub(super) const LICENCE: &str = "Under which licence?";
pub(super) const TESTS: &str = "Write tests first?";
pub(super) const AGAIN: &str = "Shall I show one more thing: what happens when nobody comes?";
pub(super) const PUBLISH: &str = "Publish it now?";

const CONTEXT: &str = "This is a demo: a script inside askbridge, not a real agent.";

fn ask(questions: Value) -> Value {
    json!({"questions": questions, "context": {"text": CONTEXT}})
}

pub(super) fn project() -> Value {
    ask(json!([{"question": PROJECT, "header": "Demo", "options": [
        {"label": "A web shop", "description": "with a basket and a cat as mascot"},
        {"label": "A command-line tool", "description": "no mouse needed"},
        {"label": "A game", "description": "with dragons, or without"},
    ]}]))
}

/// The question depends on an earlier answer.
pub(super) fn parts(project: Option<&str>) -> Value {
    let parts = match project {
        Some("A web shop") => ["Catalogue", "Basket", "Payment"],
        Some("A command-line tool") => ["Arguments", "Help", "Completions"],
        Some("A game") => ["World", "Dragons", "Sound"],
        _ => ["The core", "The looks", "The manual"],
    };
    ask(json!([{"question": PARTS, "options": parts, "multiSelect": true}]))
}

pub(super) fn look(name: &str) -> Value {
    ask(json!([{"question": LOOK, "options": [
        {"label": "Plain", "preview": format!("$ {name}\nWelcome.")},
        {"label": "Framed", "preview": format!("$ {name}\n+----------+\n| Welcome. |\n+----------+")},
    ]}]))
}

pub(super) fn several() -> Value {
    ask(json!([
        {"question": NAME},
        {"question": LICENCE, "options": ["Apache-2.0", "MIT", "Something else"]},
        {"question": TESTS, "options": ["Yes", "No"]},
    ]))
}

pub(super) fn approval(name: &str) -> Value {
    json!({
        "approval": {
            "tool": "Bash",
            "input": {"command": format!("git init '{name}'")},
            "summary": "Make a new repository (a pretended one)",
            "rules": [{"label": "git init", "rule": "Bash(git init:*)"}],
        },
        "context": {"text": CONTEXT},
    })
}

pub(super) fn plan(plan: &str) -> Value {
    json!({"plan": plan, "context": {"text": CONTEXT}})
}

pub(super) fn again() -> Value {
    ask(json!([{"question": AGAIN, "options": ["Yes", "No"]}]))
}

/// An ask with a deadline, and with an answer to assume on expiry.
pub(super) fn publish(seconds: u32) -> Value {
    let mut body = ask(json!([{"question": PUBLISH, "options": ["Yes", "No"]}]));
    body["timeout_seconds"] = json!(seconds);
    body["on_expiry"] = json!({"assume": {PUBLISH: "No"}});
    body
}
