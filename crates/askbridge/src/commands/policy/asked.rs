//! The ask that is explained: from the server, or from a file.

use askbridge_core::ask::{Approval, Body, Choice, Form, Plan, Question};
use askbridge_core::ids::Raw;
use askbridge_policy::{Example, ExampleAsk};
use serde_json::Value;

/// Reads an ask from a file: JSON as the API shows asks or as Claude Code reports a call to its hooks, or TOML with the keys of an example.
pub(super) fn of_text(text: &str) -> Result<ExampleAsk, String> {
    if !text.trim_start().starts_with('{') {
        return Example::ask_of(text);
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is not JSON: {error}"))?;
    of_json(&value).or_else(|| of_event(&value)).ok_or_else(|| {
        "this is neither an ask as the API shows it nor a call as Claude Code reports it to hooks".to_owned()
    })
}

/// Reads an ask as the API shows it. The time of day is not known from it.
pub(super) fn of_json(ask: &Value) -> Option<ExampleAsk> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let context = &ask["context"];
    Some(ExampleAsk {
        body: body(ask)?,
        door: text(&ask["door"]).unwrap_or_default(),
        agent: text(&ask["agent"]).unwrap_or_default(),
        session: text(&ask["session"]),
        title: text(&context["title"]),
        folder: text(&context["folder"]),
        branch: text(&context["branch"]),
        local: None,
        present: None,
        decided_before: 0,
    })
}

/// Reads a call as Claude Code reports it to its hooks.
fn of_event(event: &Value) -> Option<ExampleAsk> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (tool, input) = (text(&event["tool_name"])?, Raw::from(event["tool_input"].to_string()));
    Some(ExampleAsk {
        body: Body::Approval(Approval { tool, input, summary: None, reason: None, rules: Vec::new(), overrule: false }),
        door: "hook".to_owned(),
        agent: "claude".to_owned(),
        session: None,
        title: None,
        folder: text(&event["cwd"]),
        branch: None,
        local: None,
        present: None,
        decided_before: 0,
    })
}

fn body(ask: &Value) -> Option<Body> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(questions) = ask["questions"].as_array() {
        return questions.iter().map(question).collect::<Option<_>>().map(Body::Questions);
    }
    if let Some(tool) = text(&ask["approval"]["tool"]) {
        let (input, summary) = (Raw::from(ask["approval"]["input"].to_string()), text(&ask["approval"]["summary"]));
        return Some(Body::Approval(Approval {
            tool,
            input,
            summary,
            reason: None,
            rules: Vec::new(),
            overrule: false,
        }));
    }
    if let Some(text) = text(&ask["plan"]) {
        return Some(Body::Plan(Plan { text }));
    }
    let message = text(&ask["form"]["message"])?;
    Some(Body::Form(Form { message, fields: Vec::new(), url: None, schema: None }))
}

fn question(question: &Value) -> Option<Question> {
    let label = |option: &Value| option["label"].as_str().or(option.as_str()).map(str::to_owned);
    let option = |option: &Value| Some(Choice { label: label(option)?, description: None, preview: None });
    let options = question["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(Question {
        text: question["question"].as_str()?.to_owned(),
        header: question["header"].as_str().map(str::to_owned),
        options: options.iter().map(option).collect::<Option<_>>()?,
        multi: question["multiSelect"].as_bool().unwrap_or(false),
        secret: false,
    })
}
