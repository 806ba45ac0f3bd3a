//! All conditions of gobby's files, against CPython.

use askbridge_workflows::fuzzed;
use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::tools::{FIRST, SECOND, files, python};

/// Scenes for each condition.
const SCENES: usize = 60;
const DAEMON: &[&str] = &[
    "skill_loaded",
    "task_tree_complete",
    "task_type_in",
    "task_state_in",
    "editing_non_test_file",
    "tests_exist",
    "edit_count_since_test_run",
];

/// The conditions of a version's files, except those of pipelines, which are another language.
fn conditions(version: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in files(version) {
        collect(&fuzzed::yaml(&text).expect("gobby's files are YAML"), &mut found);
    }
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text) if matches!(name.as_str(), "when" | "exit_condition") => found.push(text.to_owned()),
                    _ => collect(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The texts in quotes, which are the names and values that a condition asks for.
fn quoted(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text.split('\'').skip(1).step_by(2).map(str::to_owned).collect();
    let attributes =
        ["task_claimed", "skill_loaded", "name", "error_code", "required_skills", "additional_skills", "final"];
    found.extend(attributes.map(str::to_owned));
    found
}

fn value(random: &mut Random, words: &[String]) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => json!(false),
        2 | 3 => json!(true),
        4 => json!(random.below(5)),
        5 => json!([random.of(words), "x"]),
        6 => json!({ random.of(words).as_str(): random.below(3), "id": "#1" }),
        7 => json!("/home/a/.claude/notes.md"),
        8 => json!("src/tests/test_a.py"),
        9 => json!(""),
        _ => json!(random.of(words)),
    }
}

fn names(random: &mut Random, words: &[String]) -> Map<String, Value> {
    let table = |random: &mut Random| -> Value {
        let count = random.below(8);
        (0..count).map(|_| (random.of(words).clone(), value(random, words))).collect::<Map<_, _>>().into()
    };
    let mut data = table(random);
    data["tool_input"] = table(random);
    let mut variables = table(random);
    variables["stop_attempts"] = json!(random.below(4));
    if random.below(2) == 0 {
        variables["listed_servers"] = json!(["gobby-tasks"]);
        variables["unlocked_tools"] = json!(["gobby-tasks:close_task"]);
        variables["mcp_calls"] = json!({"gobby-tasks": ["claim_task", "close_task"]});
        variables["mcp_results"] = json!({"gobby-tasks": {"wait_for_task": {"completed": true, "status": "failed"}}});
    } else {
        // The reference implementation of the helpers trusts their shape.
        for name in ["listed_servers", "unlocked_tools", "mcp_calls", "mcp_results"] {
            variables.as_object_mut().expect("it is a table").remove(name);
        }
    }
    let event = json!({
        "data": data,
        "metadata": {"is_failure": random.below(2) == 0},
        "source": {"value": *random.of(&["claude", "gemini"])},
        "session_id": "s1",
    });
    let mut scene = json!({
        "variables": variables,
        "vars": table(random),
        "event": event,
        "tool_input": table(random),
        "tool_output": table(random),
        "session": {"title": value(random, words)},
        "source": *random.of(&["claude", "codex", "pipeline"]),
        "current_step": *random.of(&["complete", "terminate", "work"]),
        "task_has_commits": random.below(2) == 0,
        "has_dirty_files": random.below(2) == 0,
    });
    let scene_map = scene.as_object_mut().expect("it is a table");
    for name in ["task_claimed", "plan_mode", "task_closed", "issues_found", "committed", "tests_written", "verified"] {
        if random.below(3) > 0 {
            scene_map.insert(name.to_owned(), json!(random.below(2) == 0));
        }
    }
    std::mem::take(scene_map)
}

fn same(conditions: &[String], seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    for text in conditions {
        let words = quoted(text);
        for _ in 0..SCENES {
            let mut names = names(&mut random, &words);
            names.insert("__daemon__".to_owned(), json!(DAEMON));
            cases.push(json!({"text": text, "names": names, "daemon": random.below(2) == 0}));
        }
    }
    let expected = python("conditions.py", &json!(cases));
    let (mut good, mut failed) = (0, 0);
    for (case, expected) in cases.iter().zip(&expected) {
        let text = case["text"].as_str().expect("it is a text");
        let names = case["names"].as_object().expect("they are a table");
        match (fuzzed::condition(text, names, case["daemon"] == true), &expected["value"]) {
            (Ok(ours), Value::String(theirs)) => {
                assert_eq!(&ours, theirs, "{text}\n{}", case["names"]);
                good += 1;
            }
            (Err(_), Value::Null) => failed += 1,
            (ours, _) => panic!("{text}\n{}\nours: {ours:?}\nCPython: {expected}", case["names"]),
        }
    }
    (good, failed)
}

#[test]
fn the_208_conditions_of_the_second_generation_are_what_they_are_in_cpython() {
    let conditions = conditions(SECOND);
    assert_eq!(conditions.len(), 208);
    let (good, failed) = same(&conditions, 1);
    assert!(good > 8_000 && failed > 100, "{good} have a value, {failed} fail");
}

#[test]
fn the_conditions_of_the_first_generation_are_what_they_are_in_cpython() {
    let conditions = conditions(FIRST);
    assert!(conditions.len() > 170, "{}", conditions.len());
    let (good, failed) = same(&conditions, 2);
    assert!(good > 5_000 && failed > 100, "{good} have a value, {failed} fail");
}
