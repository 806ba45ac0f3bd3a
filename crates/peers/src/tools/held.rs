//! The tools that always go to a person, and what they ask.

use askbridge_core::ask::{Body, Plan, Question};
use askbridge_core::wild;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::{self, NewQuestion};

/// The tools by which Claude Code asks a person in every mode.
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
    if let Some(questions) = input.and_then(|input| straight(input.get())) {
        return Ok(Body::Questions(questions));
    }
    let value = input.and_then(|input| json::parse(input.get())).ok_or("it has no input")?;
    wild::body(&value, &json::parse).map_err(|error| error.to_string())
}

/// Reads the documented form. `None`: it needs the lenient parser.
fn straight(input: &str) -> Option<Vec<Question>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Input {
        questions: Vec<NewQuestion>,
    }
    json::questions(serde_json::from_str::<Input>(input).ok()?.questions)
}

/// An agent may want to leave plan mode without having written a plan.
fn plan(input: Option<&RawValue>) -> Plan {
    let value = input.and_then(|input| json::parse(input.get()));
    let plan = value.and_then(|value| wild::plan(&value).ok());
    plan.unwrap_or_else(|| Plan { text: "(The agent wrote no plan.)".to_owned() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_the_same_either_way() {
        for input in [
            r#"{"questions":[{"question":"Which?","header":"DB","options":[{"label":"a","description":"x"},{"label":"b","preview":" y "}],"multiSelect":true}]}"#,
            r#"{"questions":[{"question":"One \"or\" two?","options":[]},{"question":"Größe?","multiSelect":false}]}"#,
            r#"{"questions":[{"question":"Q?","options":["a","b"]}]}"#,
        ] {
            let wild = wild::body(&json::parse(input).unwrap(), &json::parse).unwrap();
            assert_eq!(Body::Questions(straight(input).unwrap()), wild, "{input}");
        }
    }

    #[test]
    fn an_input_that_needs_thought_is_given_it() {
        for input in [
            r#"{"questions":[{"question":" padded ","options":[{"label":"a"}]}]}"#,
            r#"{"questions":[{"question":"Q?"}],"answers":{}}"#,
            r#"{"questions":"[{\"question\":\"Q?\"}]"}"#,
        ] {
            assert_eq!(straight(input), None, "{input}");
            assert!(questions(Some(&RawValue::from_string(input.to_owned()).unwrap())).is_ok(), "{input}");
        }
    }
}
