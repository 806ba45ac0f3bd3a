//! The functions of gobby's conditions that need no daemon: they look at variables and at the event.

use crate::condition::Functions;
use crate::dirty::Repository;
use crate::file::Generation;
use crate::pattern::Pattern;
use crate::value::{Dict, Value, ValueError, equal};

/// Tools that only list and describe other tools.
pub(crate) const DISCOVERY_TOOLS: &[&str] = &[
    "list_mcp_servers",
    "list_tools",
    "get_tool_schema",
    "search_tools",
    "recommend_tools",
    "list_skills",
    "get_skill",
    "search_skills",
];
/// Tools by which a person looks into a session from outside.
pub(crate) const OPERATOR_TOOLS: &[&str] = &["send_keys", "capture_output"];
/// Tools that are called by these names are calls of a tool of another server.
pub(crate) const CALL_TOOL: &[&str] = &["call_tool", "mcp__gobby__call_tool"];

/// Of an agent's last message, this many characters are searched.
const RESPONSE_CHARS_MAX: usize = 8_000;
/// Levels of a tool's result that are searched for an error.
const PAYLOAD_DEPTH_MAX: usize = 50;

const NAMES: &[&str] = &[
    "len",
    "bool",
    "str",
    "int",
    "list",
    "dict",
    "any",
    "all",
    "normalize_path",
    "mcp_called",
    "mcp_result_is_null",
    "mcp_failed",
    "mcp_result_has",
    "tool_call_succeeded",
    "assistant_response_matches_any",
    "is_server_listed",
    "is_tool_unlocked",
    "is_discovery_tool",
    "is_operator_tool",
    "is_message_delivery_tool",
    "is_plan_file",
    "is_current_plan_artifact",
    "get_touched_file_paths",
    "requires_task_for_any_touched_file",
];

/// Functions whose first argument is a path.
const PATHS: &[&str] = &["is_plan_file", "is_current_plan_artifact"];

/// Can we answer this function without gobby's daemon?
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
}

/// What the functions look at.
pub(crate) struct Known<'a> {
    pub(crate) generation: Generation,
    pub(crate) variables: &'a Dict,
    pub(crate) data: &'a Dict,
    pub(crate) is_failure: bool,
    pub(crate) folder: Option<&'a str>,
    /// What is known of the repository. `None` where no session is.
    pub(crate) repository: Option<&'a Repository>,
}

impl Functions for Known<'_> {
    fn call(&self, name: &str, args: &[Value], named: &[(&str, Value)]) -> Option<Result<Value, ValueError>> {
        let truth = |it: bool| Some(Ok(Value::Bool(it)));
        let text = |at: usize| args.get(at).and_then(Value::as_str);
        // gobby takes nothing for no path, and fails on what is not a text.
        if PATHS.contains(&name) && args.first().is_some_and(|it| it.truth() && it.as_str().is_none()) {
            return Some(Err(ValueError(format!("`{name}` takes a path, not `{}`", args[0].kind()))));
        }
        match (name, args.len()) {
            ("normalize_path", 1) => Some(match &args[0] {
                Value::Str(path) => Ok(Value::text(path.replace('\\', "/"))),
                other => Err(ValueError(format!("`normalize_path` takes a text, not `{}`", other.kind()))),
            }),
            ("mcp_called", 1 | 2) => truth(self.mcp_called(text(0).unwrap_or_default(), text(1))),
            ("mcp_result_is_null", 2) => truth(matches!(self.mcp_result(args), None | Some(Value::None))),
            ("mcp_failed", 2) => truth(self.mcp_result(args).is_some_and(call_failed)),
            ("mcp_result_has", 4) => {
                let held = self.mcp_result(args).and_then(Value::as_dict).and_then(|it| it.get(text(2)?));
                Some(match held {
                    Some(held) => equal(held, &args[3]).map(Value::Bool),
                    // A missing field equals only `None`, and only in a result that is a mapping.
                    None => {
                        let is_dict = self.mcp_result(args).and_then(Value::as_dict).is_some();
                        Ok(Value::Bool(is_dict && matches!(args[3], Value::None)))
                    }
                })
            }
            ("tool_call_succeeded", 0) => truth(self.succeeded()),
            ("assistant_response_matches_any", 1 | 2) => {
                let by_name = named.iter().find(|(name, _)| *name == "regex").map(|(_, value)| value.truth());
                let is_regex = by_name.unwrap_or_else(|| args.get(1).is_some_and(Value::truth));
                Some(Ok(self.response_matches(&args[0], is_regex)))
            }
            ("is_server_listed", 1) => truth(named_server(&args[0]).is_some_and(|it| self.has("listed_servers", it))),
            ("is_tool_unlocked", 1) => truth(tool_key(&args[0]).is_some_and(|it| self.has("unlocked_tools", &it))),
            ("is_discovery_tool", 1) => truth(text(0).is_some_and(|it| DISCOVERY_TOOLS.contains(&it))),
            ("is_operator_tool", 1) => truth(text(0).is_some_and(|it| OPERATOR_TOOLS.contains(&it))),
            ("is_message_delivery_tool", 1) => truth(text(0) == Some("deliver_pending_messages")),
            ("is_plan_file", 1 | 2) => truth(self.is_plan_file(text(0).unwrap_or_default(), text(1))),
            ("is_current_plan_artifact", 2) => {
                truth(self.is_plan_artifact(text(0).unwrap_or_default(), text(1).unwrap_or_default()))
            }
            ("get_touched_file_paths", 1) => {
                Some(Ok(Value::list(touched(&args[0]).into_iter().map(Value::text).collect())))
            }
            ("requires_task_for_any_touched_file", 1..=3) => {
                let is_planning = args.get(2).is_some_and(Value::truth);
                let paths = touched(&args[0]);
                let is_exempt =
                    |path: &String| self.is_plan_file(path, text(1)) || (is_planning && path.ends_with(".md"));
                truth(paths.is_empty() || !paths.iter().all(is_exempt))
            }
            _ => None,
        }
    }

    fn name(&self, name: &str) -> Option<Value> {
        let repository = self.repository?;
        match name {
            "session_has_dirty_files" => Some(Value::Bool(repository.is_dirtier(self.variables))),
            "has_dirty_files" => Some(Value::Bool(repository.has_dirtied(self.variables))),
            _ => None,
        }
    }
}

impl Known<'_> {
    fn has(&self, variable: &str, item: &str) -> bool {
        let items = self.variables.get(variable).and_then(Value::as_items);
        items.is_some_and(|items| items.iter().any(|it| it.as_str() == Some(item)))
    }

    fn mcp_called(&self, server: &str, tool: Option<&str>) -> bool {
        let calls = self.variables.get("mcp_calls").and_then(Value::as_dict).and_then(|it| it.get(server));
        match tool {
            Some(tool) if !tool.is_empty() => {
                calls.and_then(Value::as_items).is_some_and(|it| it.iter().any(|it| it.as_str() == Some(tool)))
            }
            _ => calls.is_some_and(Value::truth),
        }
    }

    fn mcp_result(&self, args: &[Value]) -> Option<&Value> {
        let results = self.variables.get("mcp_results")?.as_dict()?;
        results.get(args[0].as_str()?)?.as_dict()?.get(args[1].as_str()?)
    }

    fn succeeded(&self) -> bool {
        if self.is_failure {
            return false;
        }
        let top: Dict = ["is_error", "success", "error", "status"]
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), self.data.get(key)?.clone())))
            .collect();
        if payload_failed(&Value::dict(top), PAYLOAD_DEPTH_MAX) {
            return false;
        }
        match self.data.get("tool_output") {
            None | Some(Value::None) => matches!(self.data.get("success"), Some(Value::Bool(true))),
            Some(output) => !payload_failed(output, PAYLOAD_DEPTH_MAX),
        }
    }

    fn response_matches(&self, patterns: &Value, is_regex: bool) -> Value {
        let Some(patterns) = patterns.as_items() else { return Value::None };
        let text: String = self.response().chars().take(RESPONSE_CHARS_MAX).collect();
        let lowered = text.to_lowercase();
        for pattern in patterns.iter().filter_map(Value::as_str).filter(|it| !it.is_empty()) {
            if is_regex {
                let found = Pattern::ignoring_case(pattern)
                    .ok()
                    .and_then(|it| it.find(&text).ok().flatten().map(str::to_owned));
                if let Some(found) = found {
                    return Value::text(found);
                }
            } else if let Some(at) = lowered.find(&pattern.to_lowercase()) {
                // By characters: the lower case of a text can have other lengths in bytes.
                let skipped = lowered[..at].chars().count();
                return Value::text(text.chars().skip(skipped).take(pattern.chars().count()).collect::<String>());
            }
        }
        Value::None
    }

    /// The agent's last message, wherever the event or a variable has it.
    fn response(&self) -> String {
        const KEYS: &[&str] = &[
            "response",
            "assistant_response",
            "assistant_response_text",
            "prompt_response",
            "last_assistant_message",
            "last_assistant_content",
            "output",
            "message",
            "content",
            "log",
        ];
        let in_event = KEYS.iter().filter_map(|key| self.data.get(key));
        let in_variables = ["last_assistant_response", "last_assistant_message"];
        let in_variables = in_variables.iter().filter_map(|key| self.variables.get(key));
        let texts = in_event.chain(in_variables).map(|value| flattened(value, 0).trim().to_owned());
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }

    fn is_plan_file(&self, path: &str, source: Option<&str>) -> bool {
        match self.generation {
            Generation::First => source == Some("claude") && path.replace('\\', "/").contains("/.claude/plans/"),
            Generation::Second => {
                let path = normal(path);
                let is_inside = |folder: &&str| path.contains(&format!("/{folder}/"));
                path.ends_with(".md") && [".gobby", ".claude", ".gemini", ".codex"].iter().any(is_inside)
            }
        }
    }

    fn is_plan_artifact(&self, path: &str, artifact: &str) -> bool {
        if path.is_empty() || artifact.is_empty() {
            return false;
        }
        let artifact = normal(artifact.trim());
        if artifact.starts_with('/') {
            return false;
        }
        let path = normal(path.trim());
        let path = match (path.strip_prefix('/'), self.folder.filter(|it| !it.is_empty())) {
            (Some(_), Some(folder)) => {
                let folder = normal(folder);
                match path.strip_prefix(&folder).and_then(|rest| rest.strip_prefix('/')) {
                    Some(rest) => rest.to_owned(),
                    None => return false,
                }
            }
            (Some(_), None) => return false,
            (None, _) => path,
        };
        path == artifact
    }
}

/// Texts inside a message, joined by line breaks.
fn flattened(value: &Value, depth: usize) -> String {
    const KEYS: &[&str] = &["text", "content", "message", "response", "output"];
    if depth > PAYLOAD_DEPTH_MAX {
        return String::new();
    }
    let parts: Vec<String> = match value {
        Value::Str(text) => return text.to_string(),
        Value::List(items) | Value::Tuple(items) => items.iter().map(|item| flattened(item, depth + 1)).collect(),
        Value::Dict(dict) => KEYS.iter().filter_map(|key| dict.get(key)).map(|it| flattened(it, depth + 1)).collect(),
        _ => return String::new(),
    };
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn first<'a>(input: &'a Value, keys: [&str; 2]) -> Option<&'a str> {
    let dict = input.as_dict()?;
    keys.iter().filter_map(|key| dict.get(key)?.as_str()).find(|text| !text.is_empty())
}

/// The server that a call names.
pub(crate) fn named_server(input: &Value) -> Option<&str> {
    first(input, ["server_name", "server"])
}

/// `server:tool`, of a call that names both.
pub(crate) fn tool_key(input: &Value) -> Option<String> {
    Some(format!("{}:{}", named_server(input)?, first(input, ["tool_name", "tool"])?))
}

/// Does a stored result say that the call failed?
fn call_failed(result: &Value) -> bool {
    let Some(result) = result.as_dict() else { return false };
    matches!(result.get("success"), Some(Value::Bool(false)))
        || result.get("error").is_some_and(Value::truth)
        || result.get("status").and_then(Value::as_str) == Some("failed")
}

/// Does a tool's result carry an error anywhere that gobby looks?
fn payload_failed(payload: &Value, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    match payload {
        Value::Str(text) => match serde_json::from_str::<serde_json::Value>(text) {
            Ok(json) => payload_failed(&Value::from(&json), depth - 1),
            Err(_) => false,
        },
        Value::List(items) | Value::Tuple(items) => items.iter().any(|item| payload_failed(item, depth - 1)),
        Value::Dict(dict) => {
            let status = dict.get("status").and_then(Value::as_str).map(str::to_lowercase);
            matches!(dict.get("is_error"), Some(Value::Bool(true)))
                || matches!(dict.get("success"), Some(Value::Bool(false)))
                || dict.get("error").is_some_and(Value::truth)
                || status.is_some_and(|it| matches!(it.as_str(), "error" | "failed" | "failure"))
                || dict.get("result").is_some_and(|result| payload_failed(result, depth - 1))
        }
        _ => false,
    }
}

/// The files that a call writes to.
fn touched(input: &Value) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut add = |path: Option<&str>| {
        if let Some(path) = path.map(str::trim).filter(|path| !path.is_empty() && !paths.iter().any(|it| it == path)) {
            paths.push(path.to_owned());
        }
    };
    let changes = match input {
        Value::List(items) => Some(items.as_slice()),
        Value::Dict(dict) => {
            let several = dict.get("file_paths").and_then(Value::as_items).unwrap_or_default();
            several.iter().for_each(|path| add(path.as_str()));
            if several.iter().all(|path| path.as_str().is_none_or(|it| it.trim().is_empty())) {
                add(dict.get("file_path").and_then(Value::as_str));
            }
            match paths.is_empty() {
                true => dict.get("changes").and_then(Value::as_items),
                false => None,
            }
        }
        _ => None,
    };
    for change in changes.unwrap_or_default() {
        if let Some(path) = change_path(change).filter(|path| !paths.contains(path)) {
            paths.push(path);
        }
    }
    paths
}

/// The path of one change in a list of changes.
pub(crate) fn change_path(change: &Value) -> Option<String> {
    const KEYS: &[&str] = &["file_path", "path", "new_path", "newPath", "target_path", "targetPath"];
    let dict = change.as_dict()?;
    let found = KEYS.iter().filter_map(|key| dict.get(key)?.as_str()).map(str::trim).find(|path| !path.is_empty());
    found.map(str::to_owned)
}

/// Python's `os.path.normpath` on Unix.
fn normal(path: &str) -> String {
    if path.is_empty() {
        return ".".to_owned();
    }
    let root = if path.starts_with("//") && !path.starts_with("///") {
        "//"
    } else if path.starts_with('/') {
        "/"
    } else {
        ""
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            ("..", None) if !root.is_empty() => {}
            _ => parts.push(part),
        }
    }
    match (root, parts.is_empty()) {
        ("", true) => ".".to_owned(),
        _ => format!("{root}{}", parts.join("/")),
    }
}
