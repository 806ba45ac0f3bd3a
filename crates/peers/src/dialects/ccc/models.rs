//! The models that its page offers: names that every version of Claude Code understands, so that none is ever gone.

use serde_json::{Value, json};

/// Claude Code's own choice.
pub(super) const DEFAULT: &str = "default";

const MODELS: [(&str, &str); 4] = [
    (DEFAULT, "Claude Code's default"),
    ("opus", "Claude Opus"),
    ("sonnet", "Claude Sonnet"),
    ("haiku", "Claude Haiku"),
];

/// With an empty list its page falls back to ids of early 2026.
pub(super) fn list() -> Value {
    let models = MODELS.map(|(id, name)| json!({"id": id, "display_name": name, "created_at": null, "type": "model"}));
    json!({"total": models.len(), "models": models})
}

/// The model that a session is started with. `None`: none was chosen.
pub(super) fn chosen(model: Option<&str>) -> Option<String> {
    model.filter(|model| *model != DEFAULT).map(str::to_owned)
}
