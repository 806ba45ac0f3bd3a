//! Approvals of commands and plans in a terminal with our hooks.

use std::fs;

use askbridge_scripted::model::{Piece, on_user, text, tool};
use serde_json::json;

use super::desk::{CALL, Desk, Setting, asking, on_branch};
use crate::house::id;

fn touch() -> Piece {
    tool(CALL, "Bash", json!({"command": "touch made", "description": "Make a file"}))
}

#[test]
fn a_command_is_allowed_from_the_phone() {
    let mut desk = Desk::sit(asking([touch()]), &Setting::default());
    on_branch(&desk.house.room.work(), "feature/x");
    desk.prompt();
    let asked = desk.rings();
    assert_eq!((&asked["approval"]["tool"], &asked["approval"]["summary"]), (&json!("Bash"), &json!("touch made")));
    assert_eq!(asked["context"]["branch"], "feature/x");
    desk.until_shown("touch made");
    assert!(!desk.house.room.work().join("made").exists());
    desk.house.answer(id(&asked), json!({"decision": "allow"}));
    assert!(!desk.result().is_error);
    assert!(desk.house.room.work().join("made").exists());
    desk.until_delivered(&asked);
}

#[test]
fn a_command_is_denied_from_the_phone_in_exactly_these_words() {
    let mut desk = Desk::sit(asking([touch()]), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.house.answer(id(&asked), json!({"decision": "deny", "words": "use /var/tmp instead"}));
    let result = desk.result();
    assert_eq!((result.text.as_str(), result.is_error), ("Denied: use /var/tmp instead", true));
    assert!(!desk.house.room.work().join("made").exists());
    desk.until_delivered(&asked);
}

#[test]
fn an_agent_that_was_stopped_reads_why_with_the_next_prompt() {
    let script = asking([touch()]).turn(on_user("go-on"), [text("I see why")]);
    let mut desk = Desk::sit(script, &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.house.answer(id(&asked), json!({"decision": "deny", "words": "wrong branch", "stop": true}));
    desk.until_shown("Interrupted");
    desk.terminal.press("go-on");
    desk.until_shown("go-on");
    let known = desk.house.model.heard().len();
    desk.press_until("\r", "the model to be asked", |desk| desk.house.model.heard().len() > known);
    let read = desk.house.model.last().unwrap().body["messages"].to_string();
    assert!(read.contains("When you were stopped, this was the reason: Denied: wrong branch"), "{read}");
    assert!(!desk.house.room.work().join("made").exists());
}

#[test]
fn a_command_runs_as_the_person_changed_it() {
    let mut desk = Desk::sit(asking([touch()]), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    let changed = json!({"command": "touch other", "description": "Make a file"});
    desk.house.answer(id(&asked), json!({"decision": "allow", "input": changed}));
    assert!(!desk.result().is_error);
    let work = desk.house.room.work();
    assert!(work.join("other").exists() && !work.join("made").exists());
    desk.until_delivered(&asked);
}

#[test]
fn the_model_in_a_terminal_reads_what_ran_where_a_person_changed_it() {
    let mut desk = Desk::sit(asking([touch()]), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.house.answer(id(&asked), json!({"decision": "allow", "input": {"command": "touch other"}}));
    desk.until_delivered(&asked);
    desk.until_shown("all done now");
    let read = desk.house.model.last().unwrap().body["messages"].to_string();
    let words = r#"The person changed the input of this call before allowing it. What ran, and what its result is about, is: {\"command\":\"touch other\"}"#;
    assert!(read.contains(words), "{read}");
}

#[test]
fn a_file_in_a_terminal_is_written_as_it_was_allowed_and_both_ways_are_proven() {
    let changed = json!({"decision": "allow", "input": {"file_path": "made.txt", "content": "two\n"}});
    for (answer, expected) in [(changed, "two\n"), (json!({"decision": "allow"}), "one\n")] {
        let write = tool(CALL, "Write", json!({"file_path": "made.txt", "content": "one\n"}));
        let mut desk = Desk::sit(asking([write]), &Setting::default());
        desk.prompt();
        let asked = desk.rings();
        desk.house.answer(id(&asked), answer);
        assert!(!desk.result().is_error);
        desk.until_delivered(&asked);
        assert_eq!(fs::read_to_string(desk.house.room.work().join("made.txt")).unwrap(), expected);
    }
}

#[test]
fn what_is_allowed_always_is_not_asked_again() {
    let again = tool("toolu_2", "Bash", json!({"command": "touch again", "description": "Make another"}));
    let script = askbridge_scripted::model::Script::new()
        .turn(askbridge_scripted::model::on_result("toolu_2"), [text("all done now")])
        .turn(askbridge_scripted::model::on_result(CALL), [again])
        .turn(askbridge_scripted::model::on_user("hi-there"), [touch()]);
    let mut desk = Desk::sit(script, &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    let rules = asked["approval"]["rules"].as_array().unwrap();
    let mode = rules.iter().position(|rule| rule["label"].as_str().unwrap().contains("acceptEdits"));
    let mode = mode.unwrap_or_else(|| panic!("no mode is offered: {rules:?}"));
    desk.house.answer(id(&asked), json!({"decision": "allow", "always": mode}));
    desk.until_shown("all done now");
    assert!(desk.house.room.work().join("again").exists());
    assert_eq!(desk.house.get("/v1/asks?state=all")["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_command_that_is_allowed_in_the_terminal_and_fails_closes_the_card() {
    let fails = tool(CALL, "Bash", json!({"command": "mkdir made && false", "description": "Fail"}));
    let mut desk = Desk::sit(asking([fails]), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.until_shown("Do you want");
    desk.press_until("1", "the command to run", |desk| desk.house.model.tool_result(CALL).is_some());
    assert!(desk.result().is_error);
    desk.until_state(&asked, "overtaken");
}

#[test]
fn a_plan_is_approved_or_sent_back_from_the_phone() {
    let plan = || tool(CALL, "ExitPlanMode", json!({"plan": "# The plan\n\n1. Do it."}));
    let setting = Setting { mode: "plan", ..Setting::default() };
    let mut desk = Desk::sit(asking([text("Here it is."), plan()]), &setting);
    desk.prompt();
    let asked = desk.rings();
    assert!(asked["plan"].is_string(), "{asked}");
    desk.house.answer(id(&asked), json!({"decision": "send_back", "words": "smaller steps"}));
    let result = desk.result();
    assert!(result.text.contains("Sent back: smaller steps"), "{result:?}");
    drop(desk);

    let mut desk = Desk::sit(asking([text("Here it is."), plan()]), &setting);
    desk.prompt();
    let asked = desk.rings();
    desk.house.answer(id(&asked), json!({"decision": "approve"}));
    let result = desk.result();
    assert!(!result.is_error && result.text.contains("approved"), "{result:?}");
    desk.until_delivered(&asked);
}

#[test]
fn nothing_below_the_agent_may_decide_its_question() {
    let command = "askbridge pair --print-token --yes-i-am-a-person > told 2>&1; askbridge away on >> told 2>&1; true";
    let script = asking([tool(CALL, "Bash", json!({"command": command, "description": "Cheat"}))]);
    let mut desk = Desk::sit(script, &Setting { mode: "bypassPermissions", ..Setting::default() });
    desk.prompt();
    desk.result();
    let told = fs::read_to_string(desk.house.room.work().join("told")).unwrap();
    assert!(told.contains("an agent may ask but never decide"), "{told}");
    assert!(told.contains("this needs the local token"), "{told}");
}
