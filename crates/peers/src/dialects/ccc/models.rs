//! Which models its page offers: names that Claude Code understands in every version, so that none of them is ever gone.

use serde_json::{Value, json};

/// Claude Code's own choice.
pub(super) const DEFAULT: &str = "default";

const MODELS: [(&str, &str); 4] = [
    (DEFAULT, "Claude Code's default"),
    ("opus", "Claude Opus"),
    ("sonnet", "Claude Sonnet"),
    ("haiku", "Claude Haiku"),
];

/// Without one of them its page falls back to ids of early 2026.
pub(super) fn list() -> Value {
    let models = MODELS.map(|(id, name)| json!({"id": id, "display_name": name, "created_at": null, "type": "model"}));
    json!({"total": models.len(), "models": models})
}

/// The model that a session is started with. `None`: nobody chose one.
pub(super) fn chosen(model: Option<&str>) -> Option<String> {
    model.filter(|model| *model != DEFAULT).map(str::to_owned)
}
