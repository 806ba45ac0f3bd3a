//! Guesses what a call may do from its text, for rules that deny it or send it to a person.
//!
//! `commands` looks at every command that a shell might run (`shell::suspects`), and names too much rather than too
//! little; `files` looks at paths. A script, a program of the project or a server's tool can do anything without a hint.

mod commands;
mod files;

use askbridge_core::rules::asks::{Call, Risk, Risks};
use serde_json::Value;

use crate::call::JsonCall;
use crate::shell;
use crate::tools::PATHS;

/// Tools of Claude Code that reach the network.
const NETWORK_TOOLS: &[&str] = &["WebFetch", "WebSearch"];
/// Fields in which tools other than Claude Code's shell are given a command: as a text, or as a list of words.
const COMMANDS: &[&str] = &["command", "cmd"];
/// The fields of a call that are written to a file.
const CONTENTS: &[&str] = &["content", "new_source", "old_string", "new_string", "edits"];

/// Returns the hints on a call. All of them if it cannot be read.
pub(crate) fn of(call: &JsonCall<'_>, folder: Option<&str>) -> Risks {
    let Some(input) = call.input().filter(|_| call.is_readable()) else { return Risks::all() };
    let mut risks = Risks::default();
    if NETWORK_TOOLS.contains(&call.tool()) {
        risks.add(Risk::Network);
    }
    if let Some(script) = call.script() {
        commands::look(script, folder, &mut risks);
        return risks;
    }
    let command = COMMANDS.iter().find_map(|field| Some(command(input.get(field)?)));
    if let Some(command) = command.filter(|command| !command.is_empty()) {
        commands::look(&shell::script(&command), folder, &mut risks);
    }
    for path in PATHS.iter().filter_map(|field| input.get(field)?.as_str()) {
        files::look(path, folder, &mut risks);
    }
    let is_file = PATHS.iter().any(|field| input.get(field).is_some());
    each_text(input, &mut |field, text| {
        // What is written to a file may mention an address.
        let is_content = is_file && CONTENTS.contains(&field);
        if !is_content && commands::has_an_address(text) {
            risks.add(Risk::Network);
        }
    });
    risks
}

/// A command as a shell would have it.
fn command(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
            words.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// Passes every text in an input on, with the name of the field at the top that it is in.
fn each_text(input: &Value, then: &mut impl FnMut(&str, &str)) {
    fn inside(field: &str, value: &Value, then: &mut impl FnMut(&str, &str)) {
        match value {
            Value::String(text) => then(field, text),
            Value::Array(items) => items.iter().for_each(|item| inside(field, item, then)),
            Value::Object(fields) => fields.values().for_each(|value| inside(field, value, then)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    match input {
        Value::Object(fields) => fields.iter().for_each(|(field, value)| inside(field, value, then)),
        other => inside("", other, then),
    }
}
