//! What a session remembers, and the calls that it learns from.

use askbridge_workflows::{Did, SessionState};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Session;
use crate::tools::SECOND;

#[test]
fn an_empty_state_is_what_a_new_session_has() {
    let state: SessionState = serde_json::from_str("{}").expect("all of it has defaults");
    assert_eq!(state, SessionState::default());
}

#[test]
fn one_set_of_rules_serves_all_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<askbridge_workflows::Workflows>();
}

#[test]
fn commits_are_seen_in_calls_and_in_what_git_prints() {
    let printed = [
        ("git commit -m x", json!("[main abc1234] x\n 1 file changed"), true),
        ("make release", json!({"stdout": "[main abc1234] x"}), true),
        ("git commit -m x", json!("nothing to commit, working tree clean"), false),
        ("git log", json!("abc1234 x"), false),
    ];
    for (command, output, expected) in printed {
        let mut session = Session::of_gobby(SECOND, "claude");
        session.after("Bash", json!({"command": command}), output);
        assert_eq!(session.variable("task_has_commits") == json!(true), expected, "{command}");
    }
    let mut session = Session::of_gobby(SECOND, "claude");
    session.calls("gobby-tasks", "link_commit", json!({"commit_sha": "abc"}));
    assert_eq!(session.variable("task_has_commits"), json!(true));
}

#[test]
fn of_several_claimed_tasks_only_the_closed_one_is_released() {
    let mut session = Session::of_gobby(SECOND, "claude");
    for task in ["#1", "#2"] {
        session.calls("gobby-tasks", "claim_task", json!({"task_id": task}));
    }
    session.calls("gobby-tasks", "close_task", json!({"task_id": "#3"}));
    assert_eq!(session.variable("claimed_tasks"), json!({"#1": "#1", "#2": "#2"}));
    session.calls("gobby-tasks", "close_task", json!({"task_id": "#1"}));
    assert_eq!(
        (session.variable("task_claimed"), session.variable("claimed_tasks")),
        (json!(true), json!({"#2": "#2"}))
    );
    // Under another name it must be the one that is left.
    session.calls("gobby-tasks", "close_task", json!({"task_id": "0f-uuid"}));
    assert_eq!(session.variable("task_claimed"), json!(false));
}

#[test]
fn a_variable_that_is_too_large_is_not_stored_and_the_old_one_stays() {
    let mut session = Session::of_rule("rules: {}");
    let set = |value: Value| json!({"name": "v", "value": value});
    session.calls("gobby-workflows", "set_variable", set(json!("small")));
    let outcome = session.calls("gobby-workflows", "set_variable", set(json!("x".repeat(70_000))));
    assert_eq!(session.variable("v"), json!("small"));
    assert!(outcome.trace.iter().any(|line| line.did == Did::NotSet));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,6}", inner, 0..4).prop_map(|it| it.into_iter().collect::<Value>()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_input_makes_a_rule_panic_and_state_always_survives_a_restart(
        tool in prop_oneof![Just("Bash".to_owned()), Just("mcp__gobby__call_tool".to_owned()), Just("Edit".to_owned()), "[A-Za-z_]{0,12}"],
        input in json_value(),
        output in json_value(),
        prompt in ".{0,40}",
    ) {
        // Loading the wheel for each case would take minutes; one load for all is what a bridge does, too.
        static RULES: std::sync::OnceLock<askbridge_workflows::Workflows> = std::sync::OnceLock::new();
        let rules = RULES.get_or_init(|| Session::of_gobby(SECOND, "claude").workflows);
        let mut session = Session::of_rule("rules: {}");
        let mut state = SessionState::default();
        use askbridge_workflows::{Event, Hook, ToolCall};
        let call = ToolCall::new(tool, input);
        let hooks = [
            Hook::UserPromptSubmit { prompt },
            Hook::PreToolUse(call.clone()),
            Hook::PostToolUse { call: call.clone(), output, is_failure: false },
            Hook::PermissionRequest(call),
            Hook::Stop { last_message: None },
        ];
        for hook in hooks {
            let event = Event::new(hook, "claude", session.facts.clone());
            rules.on(&mut state, &event);
            let stored = serde_json::to_string(&state).expect("state is plain data");
            let read: SessionState = serde_json::from_str(&stored).expect("it was just written");
            prop_assert_eq!(&read, &state);
        }
        session.state = state;
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in ".{0,200}") {
        let _ = askbridge_workflows::fuzzed::yaml(&text);
        let _ = askbridge_workflows::fuzzed::condition(&text, &serde_json::Map::new(), false);
        let _ = askbridge_workflows::fuzzed::template(&text, &serde_json::Map::new());
        let _ = askbridge_workflows::fuzzed::pattern(&text, "git push");
    }
}
