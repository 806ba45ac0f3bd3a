//! The events of Claude Code that call `askbridge hook`: the one list, for settings files and for the plugin.

use serde_json::{Map, Value, json};

/// One event that calls us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) event: &'static str,
    /// Which tools it applies to; `None` for events without a tool.
    pub(crate) matcher: Option<&'static str>,
    pub(crate) timeout_s: u64,
}

/// The timeout of a hook that carries a question: 23 days. Claude Code keeps it in milliseconds in 31 bits; beyond
/// 2,147,483 s it would expire at once.
const A_PERSONS_TIME_S: u64 = 2_000_000;
/// The timeout of a hook that only notifies us, which takes milliseconds.
const A_WORD_S: u64 = 10;

const ENTRIES: [Entry; 9] = [
    // From here on no process below the agent may decide.
    Entry { event: "SessionStart", matcher: None, timeout_s: A_WORD_S },
    // With the next prompt an interrupted agent learns why, and messages that wait for it are delivered.
    Entry { event: "UserPromptSubmit", matcher: None, timeout_s: A_WORD_S },
    // Only for tools that always go to a person: the others come as `PermissionRequest` alone, and a process for each
    // call of each tool would be wasted.
    Entry { event: "PreToolUse", matcher: Some("AskUserQuestion|ExitPlanMode"), timeout_s: A_PERSONS_TIME_S },
    Entry { event: "PermissionRequest", matcher: Some("*"), timeout_s: A_PERSONS_TIME_S },
    Entry { event: "PostToolUse", matcher: Some("*"), timeout_s: A_WORD_S },
    Entry { event: "PostToolUseFailure", matcher: Some("*"), timeout_s: A_WORD_S },
    Entry { event: "Notification", matcher: None, timeout_s: A_WORD_S },
    Entry { event: "Stop", matcher: None, timeout_s: A_WORD_S },
    Entry { event: "SessionEnd", matcher: None, timeout_s: A_WORD_S },
];

/// Returns the events in the order in which they are written.
pub(crate) fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// Returns the value of `hooks` for a settings file or the plugin's `hooks.json`, with this command for each event.
pub(crate) fn hooks(command: &str) -> Value {
    let one = |entry: &Entry| {
        let call = json!([{ "type": "command", "command": command, "timeout": entry.timeout_s }]);
        match entry.matcher {
            Some(matcher) => json!([{ "matcher": matcher, "hooks": call }]),
            None => json!([{ "hooks": call }]),
        }
    };
    Value::Object(entries().iter().map(|entry| (entry.event.to_owned(), one(entry))).collect::<Map<_, _>>())
}
