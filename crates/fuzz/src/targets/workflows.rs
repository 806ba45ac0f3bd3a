//! gobby's rule files, conditions and templates: each is understood or refused, within limits.

use askbridge_workflows::{Event, Hook, SessionFacts, SessionState, StartSource, ToolCall, Workflows, fuzzed};
use serde_json::{Map, Value, json};

/// A line that ends a condition or a template; its names follow, as JSON.
const NAMES: &str = "\n%names\n";

pub(super) fn gobby_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (workflows, findings) = Workflows::load([("rules/a.yaml", &*text)].into_iter());
    let lines = 2 + text.matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
    for finding in &findings {
        assert!(!finding.what.is_empty(), "{finding:?}");
        assert!(finding.line.is_none_or(|line| (1..=lines).contains(&line)), "{finding} in a file of {lines} lines");
    }
    let names: Vec<String> =
        workflows.report().files.iter().flat_map(|file| &file.rules).map(|rule| rule.name.clone()).collect();
    for workflow in [None].into_iter().chain(names.iter().filter_map(|name| name.split('/').next()).take(3).map(Some)) {
        let mut state = SessionState::default();
        if let Some(workflow) = workflow {
            let _ = workflows.activate(&mut state, workflow, &Map::new());
        }
        for hook in hooks() {
            workflows.on(&mut state, &Event::new(hook, "claude", SessionFacts::default()));
            let stored = serde_json::to_string(&state).expect("state is plain data");
            let read: SessionState = serde_json::from_str(&stored).expect("it was just written");
            assert_eq!(read, state, "state survives a restart");
        }
    }
}

fn hooks() -> Vec<Hook> {
    let call = ToolCall::new(
        "mcp__gobby__call_tool",
        json!({"server_name": "gobby-tasks", "tool_name": "claim_task", "arguments": {"task_id": "#1"}}),
    );
    let bash = ToolCall::new("Bash", json!({"command": "git push --force"}));
    vec![
        Hook::UserPromptSubmit { prompt: "yes".to_owned() },
        Hook::PreToolUse(bash.clone()),
        Hook::PreToolUse(ToolCall::new("AskUserQuestion", json!({"questions": []}))),
        Hook::PostToolUse { call, output: json!({"success": true, "result": {"id": "t"}}), is_failure: false },
        Hook::PermissionRequest(bash),
        Hook::Stop { last_message: Some("Done.".to_owned()) },
        Hook::SessionStart { source: StartSource::Compact },
        Hook::PreCompact { trigger: "auto".to_owned() },
    ]
}

/// Splits the names off.
fn with_names(bytes: &[u8]) -> (String, Map<String, Value>) {
    let text = String::from_utf8_lossy(bytes);
    let (text, names) = text.split_once(NAMES).unwrap_or((&text, "{}"));
    let names = serde_json::from_str::<Map<String, Value>>(names).unwrap_or_default();
    (text.to_owned(), names)
}

pub(super) fn gobby_condition(bytes: &[u8]) {
    let (text, names) = with_names(bytes);
    let once = fuzzed::condition(&text, &names, true);
    assert_eq!(once, fuzzed::condition(&text, &names, true), "the same twice");
    if let Err(what) = once {
        assert!(!what.is_empty(), "{text}");
    }
}

pub(super) fn gobby_template(bytes: &[u8]) {
    let (text, names) = with_names(bytes);
    if let Ok(rendered) = fuzzed::template(&text, &names) {
        assert!(rendered.len() <= askbridge_workflows::limits::RENDERED_BYTES_MAX.max(text.len()));
    }
    let _ = fuzzed::pattern(&text, "git push --force origin main");
}
