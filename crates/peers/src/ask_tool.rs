//! The tool that agents ask with, as the model sees it: one description and one schema for every door.

use serde_json::{Value, json};

const WHEN: &str = "Ask the person you work for, wait for the answer, and get it back. Use this when you cannot \
     go on without a decision that only they can make, or when guessing wrong would cost them work.";

const HOW: &str = "Ask everything you need at once, offer two to four options each where you can (free text is always \
     possible), and say in each description what the option means for them. The answer may take hours. If nobody \
     answers or the question is dismissed, you are told so: never assume an answer.";

/// The tool's description for the model; `here` is what this door adds to it.
pub fn description(here: &str) -> String {
    format!("{WHEN} {here} {HOW}")
}

/// The schema of the list of questions: at least one, at most `max`.
pub fn questions(max: usize) -> Value {
    let option = json!({
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "One to five words"},
            "description": {"type": "string", "description": "What choosing it means"},
            "preview": {"type": "string", "description": "Something to look at before choosing it: code, a drawing"},
        },
        "required": ["label"],
    });
    let question = json!({
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The whole question, ending with a question mark"},
            "header": {"type": "string", "description": "A word or two for a label"},
            "options": {
                "type": "array",
                "items": option,
                "description": "What can be chosen; without options, the answer is free text",
            },
            "multiSelect": {"type": "boolean", "description": "May several options be chosen?"},
        },
        "required": ["question"],
    });
    json!({"type": "array", "items": question, "minItems": 1, "maxItems": max})
}

/// Has Claude Code put the tool into its first prompt, instead of behind its tool search.
pub fn always_loaded() -> Value {
    json!({"anthropic/alwaysLoad": true})
}

/// The result of a call.
pub fn said(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}
