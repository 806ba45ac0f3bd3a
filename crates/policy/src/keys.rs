//! The keys of a rule, each with a sentence.

/// Conditions and what a rule does. Terms are in [`TERMS`].
pub const KEYS: &[(&str, &str)] = &[
    ("name", "What to call the rule. Every rule needs one of its own"),
    ("do", "What it does: `ask`, `park`, `answer`, `allow`, `deny`; without it, it only sets terms"),
    ("words", "With `deny`: what the agent reads"),
    ("every_call", "It looks at every call of a tool, not only at those that would ask a person"),
    (
        "when_down",
        "With `every_call`: what becomes of such a call in a terminal while askbridge does not answer, `pass` or `deny`",
    ),
    (
        "answer",
        "With `answer`: a label, several, the number of an option, `recommended`, `first`, or a table of these by question",
    ),
    ("door", "The ask came through this door: `claude`, `hook`, `mcp`, `http`"),
    ("agent", "The agent that asks is called this"),
    ("session", "The session has this id or this title"),
    ("folder", "The session works in this folder, or below it"),
    ("branch", "The session is on this git branch"),
    ("kind", "The ask is of this kind: `questions`, `approval`, `plan`, `form`"),
    ("tool", "The approval is for such a call, as Claude Code writes its rules: `Bash(npm test *)`"),
    ("input", "Fields of the call's input: `input.branch = \"release/*\"`"),
    (
        "input_sha256",
        "The whole call has this digest: tool and input, but for a command's description; or all questions do",
    ),
    (
        "risk",
        "The call has one of these hints: `deletes`, `network`, `privileged` and others; not for rules that allow",
    ),
    ("question", "A question reads so; every question, if the rule answers"),
    ("header", "The same for a question's header"),
    ("option", "The same for the label of an option that a question offers"),
    ("asks_about", "The headline contains these words, in any case"),
    ("hours", "It is this time of day, like `22:00-07:00`"),
    ("days", "It is this day: `mon` to `sun`"),
    ("present", "A person is at the machine, or is not"),
    ("decided_before", "The same was decided the same way at least this often in a row"),
    ("until", "It is earlier than this: `2026-12-31T18:00:00Z`, without quotes"),
    ("examples", "Asks and what is to become of them, for `askbridge policy test`"),
];

/// The terms that a rule can set, named as in the settings.
pub const TERMS: &[&str] = &["timeout", "on_expiry", "on_dismissal", "undo", "messages", "parallel", "quorum"];

/// What a rule can do.
pub const ACTIONS: &[&str] = &["ask", "park", "answer", "allow", "deny"];

/// The keys of an example.
pub(crate) const EXAMPLE: &[&str] = &[
    "is",
    "by",
    "tool",
    "command",
    "input",
    "question",
    "options",
    "header",
    "plan",
    "form",
    "door",
    "agent",
    "session",
    "folder",
    "branch",
    "time",
    "day",
    "present",
    "decided_before",
];
