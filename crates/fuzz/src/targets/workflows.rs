//! gobby's rule files, conditions and templates: each is understood or refused, within limits.

use askbridge_workflows::{
    DirtyFiles, Event, Hook, SessionFacts, SessionState, StartSource, ToolCall, Workflows, fuzzed,
};
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

/// YAML by itself: read the same twice, and what is read can be written as JSON.
pub(super) fn gobby_yaml(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let once = fuzzed::yaml(&text);
    assert_eq!(once, fuzzed::yaml(&text), "the same twice");
    if let Err(what) = once {
        assert!(!what.is_empty(), "{text}");
    }
}

/// A pattern, a line, and the text that it is looked for in.
pub(super) fn gobby_pattern(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (pattern, searched) = text.split_once('\n').unwrap_or((&text, "git push --force origin main"));
    let once = fuzzed::pattern(pattern, searched);
    assert_eq!(once, fuzzed::pattern(pattern, searched), "the same twice");
}

/// What is stored of a session, as a damaged or a later file may have it: read or refused, and then used.
pub(super) fn gobby_state(bytes: &[u8]) {
    let Ok(mut state) = serde_json::from_slice::<SessionState>(bytes) else { return };
    let rules = "
rules:
  r: {event: before_tool, enabled: true, when: \"variables.get('a') and has_dirty_files\", effects: [{type: block, reason: '{{ a }}'}]}
";
    let steps = "name: w\nsteps: [{name: s, allowed_tools: [Read], transitions: [{to: t, when: a}]}, {name: t}]\n";
    let (workflows, _) = Workflows::load([("rules/a.yaml", rules), ("w.yaml", steps)].into_iter());
    for hook in hooks() {
        let facts = SessionFacts { dirty_files: Some(DirtyFiles::default()), ..SessionFacts::default() };
        workflows.on(&mut state, &Event::new(hook, "claude", facts));
    }
    let stored = serde_json::to_string(&state).expect("state is plain data");
    let read: SessionState = serde_json::from_str(&stored).expect("it was just written");
    assert_eq!(read, state, "state survives a restart");
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
