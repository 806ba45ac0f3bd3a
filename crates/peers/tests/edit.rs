//! Edited inputs: what may run, and what is said about the rest.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

use askbridge_core::ask::{Approval, Ask, Asker, Body};
use askbridge_core::ids::Raw;
use askbridge_peers::tools::check_edit;
use askbridge_testkit::asks;
use serde_json::{Value, json};

/// The problems with an edit of a call that came through this door.
fn wrong(door: &str, agent: &str, tool: &str, input: &Value, edited: &Value) -> Vec<String> {
    let approval = Approval {
        tool: tool.to_owned(),
        input: Raw::from(input.to_string()),
        summary: None,
        reason: None,
        rules: Vec::new(),
        overrule: false,
    };
    let asker = Asker { door: door.to_owned(), agent: agent.to_owned(), party: "p".into(), machine: None };
    let sample = asks::ask("approval").unwrap();
    let ask = Ask { body: Body::Approval(approval.clone()), asker, ..(*sample).clone() };
    check_edit(&ask, &approval, &Raw::from(edited.to_string())).iter().map(ToString::to_string).collect()
}

fn claude(tool: &str, input: &Value, edited: &Value) -> Vec<String> {
    wrong("claude", "claude", tool, input, edited)
}

const EMPTY: &str = "the changed input is empty, and the agent would run the original; \
                     leave it out to change nothing, or deny the call";

#[test]
fn only_an_object_may_replace_an_object_and_an_empty_one_only_an_empty_one() {
    let bash = json!({"command": "make"});
    let rows = [
        (json!("x"), "the input is an object; the changed one has to be as well, not text"),
        (json!([]), "the input is an object; the changed one has to be as well, not a list"),
        (json!(5), "the input is an object; the changed one has to be as well, not a number"),
        (json!(true), "the input is an object; the changed one has to be as well, not true or false"),
        (json!(null), "the input is an object; the changed one has to be as well, not null"),
        (json!({}), EMPTY),
    ];
    for door in ["claude", "hook", "mcp", "http"] {
        for (edited, why) in &rows {
            assert_eq!(wrong(door, "claude", "Bash", &bash, edited), [*why], "{door} {edited}");
        }
        assert_eq!(wrong(door, "claude", "CronList", &json!({}), &json!({})), [""; 0]);
        assert_eq!(wrong(door, "claude", "TaskStop", &json!({"task_id": "a"}), &json!({})), [EMPTY]);
    }
}

#[test]
fn a_tool_of_claude_code_takes_the_fields_that_it_has() {
    let bash = json!({"command": "make", "description": "Build"});
    let fine = [
        json!({"command": "make all"}),
        json!({"command": "make", "timeout": 1000, "run_in_background": true}),
        json!({"description": "", "command": "make -j"}),
    ];
    for edited in fine {
        assert_eq!(claude("Bash", &bash, &edited), [""; 0], "{edited}");
    }
    let rows = [
        (json!({"description": "Build"}), vec!["“command”: it is missing; it has to be text"]),
        (json!({"command": 5}), vec!["“command”: it has to be text, not 5"]),
        (json!({"command": "make", "timeout": "12"}), vec!["“timeout”: it has to be a number, not “12”"]),
        (json!({"command": "make", "comand": "x"}), vec!["“comand”: this tool has no such field"]),
        (
            json!({"command": null, "run_in_background": "no"}),
            vec!["“command”: it has to be text, not null", "“run_in_background”: it has to be true or false, not “no”"],
        ),
    ];
    for (edited, why) in rows {
        assert_eq!(claude("Bash", &bash, &edited), why, "{edited}");
    }
    let read = json!({"file_path": "/a"});
    assert_eq!(claude("Read", &read, &json!({"file_path": "/a", "limit": -1})).len(), 1);
    assert_eq!(claude("Read", &read, &json!({"file_path": "/a", "limit": 10})), [""; 0]);
    let search = json!({"query": "a b"});
    assert_eq!(claude("WebSearch", &search, &json!({"query": "c", "allowed_domains": ["a.example"]})), [""; 0]);
    assert_eq!(
        claude("WebSearch", &search, &json!({"query": "c", "allowed_domains": [1]})),
        ["“allowed_domains”: it has to be a list of texts, not a list"]
    );
}

#[test]
fn a_call_of_another_version_and_another_agents_tool_of_the_same_name_are_judged_by_themselves() {
    let newer = json!({"command": "make", "shell": "zsh"});
    assert_eq!(claude("Bash", &newer, &json!({"command": "make", "shell": "bash"})), [""; 0]);
    assert_eq!(claude("Bash", &newer, &json!({"command": "make", "shell": 1})), ["“shell”: it has to be text, not 1"]);
    let other = json!({"command": ["bash", "-lc", "make"]});
    assert_eq!(claude("Bash", &other, &json!({"command": ["bash", "-lc", "ls"]})), [""; 0]);
    let codex = wrong("hook", "codex", "Bash", &json!({"command": "make"}), &json!({"command": "make", "timeout": 1}));
    assert_eq!(codex, ["“timeout”: the agent's call has no such field, so the tool may not know it"]);
}

#[test]
fn fields_of_a_tool_that_we_do_not_know_keep_their_names_and_types() {
    let call = json!({"to": "ops", "retries": 2, "dry": false, "more": null, "parts": [{"name": "a", "size": 1}], "meta": {"k": "v"}});
    let with = |name: &str, value: Value| {
        let mut edited = call.clone();
        edited[name] = value;
        wrong("http", "ci", "deploy", &call, &edited)
    };
    assert_eq!(with("to", json!("dev")), [""; 0]);
    assert_eq!(with("retries", json!(2.5)), [""; 0]);
    assert_eq!(with("more", json!([1])), [""; 0], "what it would hold is not known");
    assert_eq!(with("parts", json!([])), [""; 0]);
    assert_eq!(with("parts", json!([{"name": "b", "size": 2}, {"name": "c", "size": 3}])), [""; 0]);
    assert_eq!(with("retries", json!("3")), ["“retries”: it has to be a number, not “3”"]);
    assert_eq!(with("dry", json!(0)), ["“dry”: it has to be true or false, not 0"]);
    assert_eq!(with("parts", json!([{"name": 1, "size": 2}])), ["“parts[0].name”: it has to be text, not 1"]);
    assert_eq!(with("parts", json!(["a"])), ["“parts[0]”: it has to be an object, not “a”"]);
    assert_eq!(with("meta", json!({})), ["“meta.k”: it is missing, and the tool may need it; it was text"]);
    assert_eq!(with("new", json!(1)), ["“new”: the agent's call has no such field, so the tool may not know it"]);
    assert_eq!(wrong("http", "ci", "run", &json!("ls"), &json!("ls -l")), [""; 0]);
    assert_eq!(
        wrong("http", "ci", "run", &json!("ls"), &json!({})),
        ["the input is text; the changed one has to be as well, not an object"]
    );
}

#[test]
fn a_refusal_stays_short_however_much_is_wrong() {
    let many: serde_json::Map<_, _> =
        (0..5000).map(|place| (format!("{}{place}", "x".repeat(5000)), json!(1))).collect();
    let wrong = claude("Bash", &json!({"command": "make"}), &Value::Object(many));
    assert!(wrong.len() <= 16 && wrong.iter().all(|why| why.len() < 2000), "{}", wrong.len());
}

#[test]
fn a_list_that_is_unchanged_fits_also_where_its_items_differ() {
    let input = json!({"edits": [{"a": 1}, {"a": 1, "b": 2}], "note": "x"});
    let edited = json!({"edits": [{"a": 1}, {"a": 1, "b": 2}], "note": "y"});
    assert_eq!(wrong("http", "ci", "mcp__x__y", &input, &edited), Vec::<String>::new());
    let changed = json!({"edits": [{"a": 5}, {"a": 1, "b": 7}], "note": "x"});
    assert_eq!(wrong("http", "ci", "mcp__x__y", &input, &changed), Vec::<String>::new());
}

#[test]
fn an_input_of_very_many_fields_and_items_is_compared_at_once() {
    let fields = |last: u32| -> Value { (0..30_000).map(|n| (format!("f{n}"), json!(n + last))).collect() };
    let items = |last: u32| -> Value { (0..30_000).map(|n| json!(n + last)).collect() };
    let input = json!({"fields": fields(0), "items": items(0)});
    let edited = json!({"fields": fields(1), "items": items(40_000)});
    assert_eq!(wrong("http", "ci", "mcp__x__y", &input, &edited), Vec::<String>::new());
}
