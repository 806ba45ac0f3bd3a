//! A call of a tool, as its agent writes it.

use std::collections::BTreeMap;

use askbridge_core::ids::Raw;
use askbridge_core::limits::{RULED_FIELD_BYTES_MAX, RULED_INPUT_BYTES_MAX};
use serde_json::Value;
use serde_json::value::RawValue;

use super::held::HELD_TOOLS;

/// The last parts of the names of our own tools.
const OUR_TOOLS: &[&str] =
    &["ask_user", "ask_user_question", "wait_for_answer", "cancel_question", "notify_user", "approve"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// `None` where the event does not carry it.
    pub id: Option<String>,
    pub tool: String,
    pub input: Raw,
}

impl ToolCall {
    /// Whether its tool asks a person by itself, in every mode.
    pub fn asks_a_person(&self) -> bool {
        HELD_TOOLS.contains(&self.tool.as_str()) || is_our_tool(&self.tool)
    }

    /// The top-level strings of its input: a command, a path, an address.
    pub fn texts(&self) -> Vec<String> {
        texts(self.input.as_str())
    }

    /// Leaves the long fields of a large input out. Returns whether it did.
    pub fn cut(&mut self) -> bool {
        if self.input.as_str().len() <= RULED_INPUT_BYTES_MAX {
            return false;
        }
        let fields = serde_json::from_str::<BTreeMap<String, &RawValue>>(self.input.as_str()).unwrap_or_default();
        let mut left = RULED_INPUT_BYTES_MAX;
        let short = fields.into_iter().filter(|(name, value)| {
            let bytes = name.len() + value.get().len();
            let fits = bytes <= RULED_FIELD_BYTES_MAX.min(left);
            left -= if fits { bytes } else { 0 };
            fits
        });
        let short: BTreeMap<_, _> = short.collect();
        self.input = Raw::from(serde_json::to_string(&short).unwrap_or_else(|_| "{}".to_owned()));
        true
    }

    /// Whether this is the same call, as far as can be told: by its id where both have one.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(one), Some(two)) => one == two,
            _ => self.tool == other.tool && same_json(self.input.as_str(), other.input.as_str()),
        }
    }
}

/// The tools that we offer to ask with, under whatever name our server has in the agent.
fn is_our_tool(tool: &str) -> bool {
    let named = tool.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__"));
    named.is_some_and(|(server, name)| server.contains("askbridge") && OUR_TOOLS.contains(&name))
}

/// The top-level strings of an input.
pub(crate) fn texts(input: &str) -> Vec<String> {
    let fields = serde_json::from_str::<BTreeMap<String, Value>>(input).unwrap_or_default();
    let texts = fields.into_values().filter_map(|value| match value {
        Value::String(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// Whether these are the same value, however they are written.
fn same_json(one: &str, two: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == two || read(one).is_some_and(|value| Some(value) == read(two))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, input: String) -> ToolCall {
        ToolCall { id: None, tool: tool.to_owned(), input: Raw::from(input) }
    }

    #[test]
    fn tools_that_ask_a_person_are_known_whatever_our_server_is_called() {
        for tool in
            ["AskUserQuestion", "ExitPlanMode", "mcp__askbridge__ask_user", "mcp__plugin_askbridge_askbridge__ask_user"]
        {
            assert!(of(tool, "{}".to_owned()).asks_a_person(), "{tool}");
        }
        for tool in ["Bash", "mcp__github__ask_user", "mcp__askbridge__delete"] {
            assert!(!of(tool, "{}".to_owned()).asks_a_person(), "{tool}");
        }
    }

    #[test]
    fn a_large_input_keeps_its_short_fields() {
        let content = "x".repeat(RULED_INPUT_BYTES_MAX);
        let mut large = of("Write", format!(r#"{{"content":"{content}","file_path":"/srv/a"}}"#));
        assert!(large.cut());
        assert_eq!(large.input, Raw::from(r#"{"file_path":"/srv/a"}"#));
        let fields: Vec<_> = (0..100).map(|n| format!(r#""f{n:02}":"{}""#, "y".repeat(10_000))).collect();
        let mut many = of("Write", format!("{{{}}}", fields.join(",")));
        assert!(many.cut() && many.input.as_str().len() <= RULED_INPUT_BYTES_MAX + 1024);
        let mut small = of("Bash", r#"{"command":"ls"}"#.to_owned());
        assert!(!small.cut());
        assert_eq!(small.texts(), ["ls"]);
    }

    #[test]
    fn a_call_is_known_by_its_name_or_else_by_what_it_does() {
        let call = |id: Option<&str>, input: &str| ToolCall {
            id: id.map(str::to_owned),
            tool: "Bash".to_owned(),
            input: Raw::from(input),
        };
        let known = call(Some("toolu_1"), r#"{"a":1,"b":2}"#);
        assert!(known.is(&call(None, r#"{ "b": 2, "a": 1 }"#)));
        assert!(!known.is(&call(None, r#"{"a":1}"#)));
        assert!(!known.is(&call(Some("toolu_2"), r#"{"a":1,"b":2}"#)));
        assert!(known.is(&call(Some("toolu_1"), r#"{"a":"changed"}"#)), "a person may change what is run");
    }
}
