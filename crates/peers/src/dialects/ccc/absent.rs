//! Features of Claude-Code-Cloud that askbridge does not have: lists are empty, and changes are refused in words.

use serde_json::{Value, json};

/// The response to a request for a feature that is not here.
#[derive(Debug, PartialEq)]
pub(super) enum Absent {
    /// An empty result, in the shape that its page reads.
    Empty(Value),
    Refused(u16, &'static str),
}

const NO_SETTINGS: &str =
    "This is set in the project's own files (.claude, .mcp.json), which Claude Code reads; it cannot be changed here";

/// `None`: the original has no such address.
pub(super) fn answer(method: &str, parts: &[&str]) -> Option<Absent> {
    Some(match (method, parts) {
        ("GET", ["templates"] | ["agents" | "commands" | "skills", "available"] | ["cron", "presets"])
        | (
            "GET",
            ["projects", _, "mcp-servers" | "agents" | "skills" | "commands"] | ["cron", "projects", _, "logs"],
        ) => Absent::Empty(json!([])),
        ("GET", ["projects", _, "config"]) => {
            Absent::Empty(json!({"mcp_servers": [], "agents": [], "skills": [], "commands": []}))
        }
        ("GET", ["cron", "projects", _, "schedules"]) => Absent::Empty(json!({"schedules": [], "path": ""})),
        ("GET", ["projects", _, "commands", "public-settings"]) => Absent::Empty(json!({"commands": [], "total": 0})),
        // Its page takes a 404 for "not switched on".
        ("GET", ["projects", _, "public-access", ..]) => Absent::Refused(404, "Nothing is public here"),
        (_, ["projects", _, "public-access", ..] | ["public", ..]) => {
            Absent::Refused(501, "Nothing can be made public here: answering needs a token")
        }
        (_, ["projects", _, "mcp-servers" | "agents" | "skills" | "commands", ..])
        | (_, ["agents" | "commands" | "skills" | "mcp", "projects", ..]) => Absent::Refused(501, NO_SETTINGS),
        (_, ["cron", ..]) => Absent::Refused(501, "There are no schedules here"),
        (_, ["templates", ..]) => Absent::Refused(501, "There are no templates here"),
        (_, ["files", ..]) => Absent::Refused(501, "Files are not served here; the agent reads and writes them"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_empty_and_changes_are_refused() {
        assert_eq!(answer("GET", &["templates"]), Some(Absent::Empty(json!([]))));
        assert_eq!(answer("GET", &["projects", "p", "skills"]), Some(Absent::Empty(json!([]))));
        for (method, parts) in [
            ("POST", vec!["templates"]),
            ("PATCH", vec!["templates", "t"]),
            ("PUT", vec!["projects", "p", "mcp-servers", "m"]),
            ("GET", vec!["files", "content"]),
            ("POST", vec!["cron", "projects", "p", "schedules"]),
        ] {
            assert!(matches!(answer(method, &parts), Some(Absent::Refused(501, _))), "{method} {parts:?}");
        }
        assert_eq!(answer("GET", &["sessions"]), None);
    }
}
