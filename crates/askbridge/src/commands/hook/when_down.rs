//! What becomes of a call in a terminal while the server does not answer.
//!
//! Nothing, unless a rule of the operator says `when_down = "deny"`. The server keeps a copy of its rules in the data
//! folder while one of them says so. It is read here only if the server did not answer about a call.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use askbridge_bridge::clock::Clock;
use askbridge_bridge::when_down::{WHEN_DOWN_FILE, WhenDownRules};
use askbridge_core::limits::RULES_BYTES_MAX;
use askbridge_core::rules::asks::{AskRule, LocalTime, Weekday, WhenDown};
use askbridge_platform::local_time::Zone;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The parts of an event that count here.
#[derive(Deserialize)]
struct Event<'a> {
    hook_event_name: String,
    cwd: Option<String>,
    tool_name: Option<String>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
}

/// Returns what the hook prints because no server answered. `None`: the terminal goes on as if there were no rules.
pub(super) fn when_down(data: &Path, text: &str, zone: Option<&str>) -> Option<String> {
    let event: Event<'_> = serde_json::from_str(text).ok().filter(|event: &Event<'_>| is_before_a_call(event))?;
    let rules = read(data)?;
    let local = Zone::find(zone).and_then(|zone| {
        let (minute, weekday) = zone.at(Clock::System.now().0)?;
        Some(LocalTime { minute, weekday: *Weekday::ALL.get(usize::from(weekday))? })
    });
    let input = event.tool_input.map_or("{}", RawValue::get);
    let denied = rules.denies(event.tool_name.as_deref()?, input, event.cwd.as_deref(), local, Clock::System.now())?;
    let output = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": words(denied),
    }});
    Some(output.to_string())
}

fn is_before_a_call(event: &Event<'_>) -> bool {
    event.hook_event_name == "PreToolUse"
}

fn words(rule: &AskRule) -> String {
    let place = rule.place.as_ref().map(|place| format!(" ({}:{})", place.file, place.line)).unwrap_or_default();
    let name = &rule.name;
    debug_assert_eq!(rule.when_down, WhenDown::Deny);
    format!(
        "Denied by the rule “{name}”{place}: askbridge does not answer, and the rule says to deny until it does. \
         Go on without this call, or ask the person at the terminal to start askbridge."
    )
}

/// `None`: no rule says to deny, or the copy cannot be read. An unreadable one must not block a terminal.
fn read(data: &Path) -> Option<WhenDownRules> {
    let mut text = String::new();
    // The text is JSON inside JSON, so it may be longer than the rules are.
    let limit = 2 * RULES_BYTES_MAX as u64;
    File::open(data.join(WHEN_DOWN_FILE)).ok()?.take(limit).read_to_string(&mut text).ok()?;
    WhenDownRules::read(&text)
}
