//! Which events of Claude Code call `askbridge hook`: the one list, for settings files and for the plugin.

use serde_json::{Map, Value, json};

/// One event that calls us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) event: &'static str,
    /// For which tools; events that concern no tool have none.
    pub(crate) matcher: Option<&'static str>,
    pub(crate) timeout_s: u64,
}

/// How long a hook that carries a question may wait: 23 days. Claude Code keeps it in milliseconds in 31 bits, and beyond
/// 2,147,483 s it would be over at once.
const A_PERSONS_TIME_S: u64 = 2_000_000;
/// How long one may take that only tells us something. It takes milliseconds.
const A_WORD_S: u64 = 10;

const ENTRIES: [Entry; 9] = [
    // From here on nothing below the agent may decide.
    Entry { event: "SessionStart", matcher: None, timeout_s: A_WORD_S },
    // An agent that was stopped hears why with the next thing that is said to it, and so do messages that wait for it.
    Entry { event: "UserPromptSubmit", matcher: None, timeout_s: A_WORD_S },
    // Only for what always goes to a person: other tools are asked about by `PermissionRequest` alone, and a process for each
    // call of each tool would be a price for nothing.
    Entry { event: "PreToolUse", matcher: Some("AskUserQuestion|ExitPlanMode"), timeout_s: A_PERSONS_TIME_S },
    Entry { event: "PermissionRequest", matcher: Some("*"), timeout_s: A_PERSONS_TIME_S },
    Entry { event: "PostToolUse", matcher: Some("*"), timeout_s: A_WORD_S },
    Entry { event: "PostToolUseFailure", matcher: Some("*"), timeout_s: A_WORD_S },
    Entry { event: "Notification", matcher: None, timeout_s: A_WORD_S },
    Entry { event: "Stop", matcher: None, timeout_s: A_WORD_S },
    Entry { event: "SessionEnd", matcher: None, timeout_s: A_WORD_S },
];

/// Lists them in the order in which they are written.
pub(crate) fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// The value of `hooks` in a settings file, or in the plugin's `hooks.json`, with this command behind each event.
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
