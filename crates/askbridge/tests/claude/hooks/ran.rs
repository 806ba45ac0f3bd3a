//! Compares the input that ran with the one that was allowed, and what is reported until it is known.

use askbridge_scripted::model::Script;
use serde_json::{Value, json};

use super::others::{hook, printed, rings};
use crate::house::{House, id};

/// An event about this command, as Claude Code sends it to a hook.
fn event(house: &House, name: &str, command: &str) -> Value {
    json!({
        "hook_event_name": name, "session_id": "c1", "cwd": house.scratch.work(), "permission_mode": "default",
        "tool_name": "Bash", "tool_input": {"command": command},
    })
}

#[test]
fn an_original_that_ran_although_a_change_was_allowed_is_not_delivered_and_says_so() {
    let house = House::open(Script::new());
    let waiting = hook(&house, &event(&house, "PermissionRequest", "rm -r build"));
    let asked = rings(&house);
    let answered = house.answer(id(&asked), json!({"decision": "allow", "input": {"command": "ls build"}}));
    assert_eq!((&answered["state"], &answered["certain"]), (&json!("answered"), &json!(false)), "{answered}");
    let allowed = printed(waiting);
    assert_eq!(allowed["hookSpecificOutput"]["decision"]["updatedInput"], json!({"command": "ls build"}));
    assert_eq!(printed(hook(&house, &event(&house, "PostToolUse", "rm -r build"))), Value::Null);
    let over = house.ask(id(&asked));
    assert_eq!((&over["state"], &over["words"]), (&json!("overtaken"), &json!("the terminal")), "{over}");
    assert_eq!((&over["ran"], &over["delivered_at"]), (&json!({"command": "rm -r build"}), &Value::Null), "{over}");
    assert_eq!(over["certain"], Value::Null);
}

#[test]
fn an_answer_is_certain_once_the_agent_has_shown_that_it_heard() {
    let house = House::open(Script::new());
    let waiting = hook(&house, &event(&house, "PermissionRequest", "make"));
    let asked = rings(&house);
    assert_eq!(asked["certain"], Value::Null, "nothing is decided");
    let answered = house.answer(id(&asked), json!({"decision": "allow"}));
    assert_eq!(answered["certain"], json!(false));
    printed(waiting);
    printed(hook(&house, &event(&house, "PostToolUse", "make")));
    let over = house.ask(id(&asked));
    assert_eq!((&over["state"], &over["certain"]), (&json!("answered"), &Value::Null), "{over}");
    assert!(over["delivered_at"].is_string() && over["ran"].is_null(), "{over}");
}
