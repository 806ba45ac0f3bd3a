//! The tools that always go to a person, and what they ask.

use askbridge_core::ask::{Body, Plan};
use askbridge_core::wild;
use serde_json::value::RawValue;

use crate::json;

/// The tools by which Claude Code asks a person, whatever its mode.
pub(crate) const HELD_TOOLS: &[&str] = &["AskUserQuestion", "ExitPlanMode"];

/// Reads the input of a tool that we hold. `Err(None)`: we do not hold this tool.
pub(crate) fn held(tool: &str, input: Option<&RawValue>) -> Result<Body, Option<String>> {
    if !HELD_TOOLS.contains(&tool) {
        return Err(None);
    }
    match tool {
        "ExitPlanMode" => Ok(Body::Plan(plan(input))),
        _ => questions(input).map_err(Some),
    }
}

pub(crate) fn questions(input: Option<&RawValue>) -> Result<Body, String> {
    let value = input.and_then(|input| json::parse(input.get())).ok_or("it has no input")?;
    wild::body(&value, &json::parse).map_err(|error| error.to_string())
}

/// An agent may want to leave plan mode without having written a plan.
fn plan(input: Option<&RawValue>) -> Plan {
    let value = input.and_then(|input| json::parse(input.get()));
    let plan = value.and_then(|value| wild::plan(&value).ok());
    plan.unwrap_or_else(|| Plan { text: "(The agent wrote no plan.)".to_owned() })
}
