//! `event.data`: the hook's input with the members that gobby's adapters add to it.

use serde_json::Value as Json;

use super::shell::shell_use;
use crate::event::{Event, Hook, ToolCall};
use crate::functions::{CALL_TOOL, change_path};
use crate::value::{Dict, Value};

/// Names under which agents run shell commands. gobby calls all of them `Bash`.
const SHELLS: &[&str] = &[
    "Bash",
    "bash",
    "shell",
    "run_command",
    "run_shell_command",
    "RunShellCommand",
    "ShellTool",
    "commandExecution",
    "exec_command",
];
/// Levels of wrapping around an MCP result that are taken off.
const WRAPPINGS_MAX: usize = 8;

pub(super) fn is_shell(tool: &str) -> bool {
    SHELLS.contains(&tool)
}

pub(super) fn event_data(event: &Event) -> Dict {
    let mut data = Dict::from(&event.extra);
    if let Some(folder) = &event.session.folder {
        data.set("cwd", Value::text(folder));
    }
    data.set("session_id", Value::text(&event.session.id));
    match &event.hook {
        Hook::SessionStart { source } => data.set("source", Value::text(source.word())),
        Hook::UserPromptSubmit { prompt } => data.set("prompt", Value::text(prompt)),
        Hook::PreToolUse(call) | Hook::PermissionRequest(call) | Hook::PermissionDenied(call) => {
            of_call(&mut data, call)
        }
        Hook::PostToolUse { call, output, is_failure } => {
            of_call(&mut data, call);
            of_output(&mut data, output);
            if *is_failure || exited_badly(&data) {
                data.set("is_error", Value::Bool(true));
            }
        }
        Hook::Stop { last_message: Some(text) } => data.set("last_assistant_message", Value::text(text)),
        Hook::PreCompact { trigger } => data.set("trigger", Value::text(trigger)),
        Hook::Notification { message } => data.set("message", Value::text(message)),
        Hook::SessionEnd { reason } => data.set("reason", Value::text(reason)),
        _ => {}
    }
    data
}

fn of_call(data: &mut Dict, call: &ToolCall) {
    let tool = if is_shell(&call.tool) { "Bash" } else { &call.tool };
    data.set("tool_name", Value::text(tool));
    let mut input = Value::from(&call.input);
    if let Some((server, name)) = tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        data.set("mcp_server", Value::text(server));
        data.set("mcp_tool", Value::text(name));
    }
    if let Value::Dict(held) = &input {
        let mut held = (**held).clone();
        if let (Some(path), None) = (held.get("path").cloned(), held.get("file_path")) {
            held.set("file_path", path);
        }
        if CALL_TOOL.contains(&tool) {
            for (from, to) in [("server_name", "mcp_server"), ("tool_name", "mcp_tool")] {
                if let Some(inner) = held.get(from).filter(|it| it.truth()).cloned() {
                    data.set(to, inner);
                }
            }
            if let Some(arguments @ Value::Dict(_)) = held.get("arguments").and_then(Value::as_str).and_then(parsed) {
                held.set("arguments", arguments);
            }
        }
        input = Value::dict(held);
    }
    data.set("tool_input", input);
    of_files(data, tool, call);
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str::<Json>(text).ok().map(|json| Value::from(&json))
}

/// Whether the call reads, searches or writes, and which files.
fn of_files(data: &mut Dict, tool: &str, call: &ToolCall) {
    let command = call.input.get("command").or_else(|| call.input.get("cmd")).and_then(Json::as_str);
    let (kind, mut paths) = match tool.to_lowercase().as_str() {
        "read" => (Some("read"), Vec::new()),
        "edit" | "edit_file" | "notebook_edit" | "notebookedit" | "replace" | "write" | "write_file" | "multiedit" => {
            (Some("write"), Vec::new())
        }
        "grep_search" | "grep" => (Some("search"), Vec::new()),
        "bash" => match command.and_then(shell_use) {
            Some(used) => (Some(used.kind), used.paths),
            None => (None, Vec::new()),
        },
        _ => (data.get("mcp_tool").map(|_| "mcp"), Vec::new()),
    };
    if paths.is_empty() {
        paths = input_paths(data.get("tool_input"));
    }
    if let Some(kind) = kind {
        data.set("canonical_tool_kind", Value::text(kind));
        if kind == "write" {
            data.set("canonical_repo_mutation", Value::Bool(true));
        }
    }
    let Some(first) = paths.first().cloned() else { return };
    if let Some(Value::Dict(input)) = data.get("tool_input") {
        let mut input = (**input).clone();
        if input.get("file_path").is_none() {
            input.set("file_path", Value::text(&first));
            data.set("tool_input", Value::dict(input));
        }
    }
    data.set("canonical_file_path", Value::text(first));
    data.set("canonical_file_paths", Value::list(paths.into_iter().map(Value::text).collect()));
}

fn input_paths(input: Option<&Value>) -> Vec<String> {
    let Some(input) = input.and_then(Value::as_dict) else { return Vec::new() };
    let several = input.get("file_paths").and_then(Value::as_items).unwrap_or_default();
    let named = several.iter().chain(input.get("file_path").or_else(|| input.get("notebook_path")));
    let named = named.filter_map(Value::as_str).map(|path| path.trim().to_owned());
    let changes = input.get("changes").and_then(Value::as_items).unwrap_or_default();
    let mut paths: Vec<String> = Vec::new();
    for path in named.chain(changes.iter().filter_map(change_path)) {
        if !path.is_empty() && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

fn of_output(data: &mut Dict, output: &Json) {
    if output.is_null() {
        return;
    }
    let output = match output {
        Json::String(text) => match parsed(text) {
            Some(object @ Value::Dict(_)) => object,
            _ => Value::text(text),
        },
        other => Value::from(other),
    };
    data.set("tool_output", unwrapped(output, 0));
}

/// The result inside of what MCP wraps around it.
fn unwrapped(output: Value, depth: usize) -> Value {
    let Some(dict) = output.as_dict().filter(|_| depth < WRAPPINGS_MAX) else { return output };
    let result = dict.get("result").and_then(Value::as_dict);
    let structured = |it: &Dict| it.get("structuredContent").filter(|it| !matches!(it, Value::None)).cloned();
    let in_content = |it: &Dict| it.get("content").and_then(content_object);
    let found = structured(dict)
        .or_else(|| result.and_then(structured))
        .or_else(|| in_content(dict))
        .or_else(|| result.and_then(in_content));
    if let Some(found) = found {
        return found;
    }
    match dict.get("output").and_then(Value::as_str).and_then(parsed) {
        Some(inner @ Value::Dict(_)) => unwrapped(inner, depth + 1),
        _ => output,
    }
}

/// The first text of a list of contents that is a JSON object.
fn content_object(content: &Value) -> Option<Value> {
    let texts = content.as_items()?.iter().filter_map(|item| {
        let item = item.as_dict()?;
        (item.get("type")?.as_str()? == "text").then(|| item.get("text")?.as_str()).flatten()
    });
    texts.filter_map(parsed).find(|it| matches!(it, Value::Dict(_)))
}

/// Does the output of a shell name an exit code other than 0?
fn exited_badly(data: &Dict) -> bool {
    if data.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return false;
    }
    let Some(output) = data.get("tool_output").and_then(Value::as_str) else { return false };
    let lowered = output.to_ascii_lowercase();
    let Some(at) = lowered.find("exit") else { return false };
    // "exit code: 1", "exitcode 1", "Exit-code:\n 1".
    let rest = lowered[at + 4..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some(rest) = rest.strip_prefix("code") else { return false };
    let code: String =
        rest.trim_start_matches([':', ' ', '\t', '\n']).chars().take_while(char::is_ascii_digit).collect();
    !code.is_empty() && code.chars().any(|c| c != '0')
}
