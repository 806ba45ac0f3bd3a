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

/// Which calls are reported before they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reported {
    /// Only those that ask a person.
    #[default]
    Asks,
    /// Every one, and what else rules can look at.
    Everything,
}

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

/// The events that only rules look at.
const FOR_RULES: [Entry; 2] = [
    Entry { event: "PreCompact", matcher: None, timeout_s: A_WORD_S },
    // Held as long as a person thinks about overruling it.
    Entry { event: "PermissionDenied", matcher: Some("*"), timeout_s: A_PERSONS_TIME_S },
];

/// Returns the events in the order in which they are written.
pub(crate) fn entries(reported: Reported) -> Vec<Entry> {
    match reported {
        Reported::Asks => ENTRIES.to_vec(),
        Reported::Everything => {
            let wider = |entry: &Entry| match entry.event {
                "PreToolUse" => Entry { matcher: Some("*"), ..*entry },
                _ => *entry,
            };
            ENTRIES.iter().map(wider).chain(FOR_RULES).collect()
        }
    }
}

/// Returns the value of `hooks` for a settings file or the plugin's `hooks.json`, with this command for each event.
pub(crate) fn hooks(command: &str, reported: Reported) -> Value {
    let one = |entry: &Entry| {
        let call = json!([{ "type": "command", "command": command, "timeout": entry.timeout_s }]);
        match entry.matcher {
            Some(matcher) => json!([{ "matcher": matcher, "hooks": call }]),
            None => json!([{ "hooks": call }]),
        }
    };
    Value::Object(entries(reported).iter().map(|entry| (entry.event.to_owned(), one(entry))).collect::<Map<_, _>>())
}
