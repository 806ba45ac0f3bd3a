//! Approvals of commands and plans in a terminal with our hooks.

use std::fs;

use askbridge_scripted::model::{Piece, on_user, text, tool};
use serde_json::json;

use super::workstation::{CALL, Setting, Workstation, asking, on_branch};
use crate::house::id;

fn touch() -> Piece {
    tool(CALL, "Bash", json!({"command": "touch made", "description": "Make a file"}))
}

#[test]
fn a_command_is_allowed_from_the_phone() {
    let mut workstation = Workstation::sit(asking([touch()]), &Setting::default());
    on_branch(&workstation.house.scratch.work(), "feature/x");
    workstation.prompt();
    let asked = workstation.rings();
    assert_eq!((&asked["approval"]["tool"], &asked["approval"]["summary"]), (&json!("Bash"), &json!("touch made")));
    assert_eq!(asked["context"]["branch"], "feature/x");
    workstation.until_shown("touch made");
    assert!(!workstation.house.scratch.work().join("made").exists());
    workstation.house.answer(id(&asked), json!({"decision": "allow"}));
    assert!(!workstation.result().is_error);
    assert!(workstation.house.scratch.work().join("made").exists());
    workstation.until_delivered(&asked);
}

#[test]
fn a_command_is_denied_from_the_phone_in_exactly_these_words() {
    let mut workstation = Workstation::sit(asking([touch()]), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"decision": "deny", "words": "use /var/tmp instead"}));
    let result = workstation.result();
    assert_eq!((result.text.as_str(), result.is_error), ("Denied: use /var/tmp instead", true));
    assert!(!workstation.house.scratch.work().join("made").exists());
    workstation.until_delivered(&asked);
}

#[test]
fn an_agent_that_was_stopped_reads_why_with_the_next_prompt() {
    let script = asking([touch()]).turn(on_user("go-on"), [text("I see why")]);
    let mut workstation = Workstation::sit(script, &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"decision": "deny", "words": "wrong branch", "stop": true}));
    workstation.until_shown("Interrupted");
    workstation.terminal.press("go-on");
    workstation.until_shown("go-on");
    let known = workstation.house.model.heard().len();
    workstation.press_until("\r", "the model to be asked", |workstation| workstation.house.model.heard().len() > known);
    let read = workstation.house.model.last().unwrap().body["messages"].to_string();
    assert!(read.contains("When you were stopped, this was the reason: Denied: wrong branch"), "{read}");
    assert!(!workstation.house.scratch.work().join("made").exists());
}

#[test]
fn a_command_runs_as_the_person_changed_it() {
    let mut workstation = Workstation::sit(asking([touch()]), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    let changed = json!({"command": "touch other", "description": "Make a file"});
    workstation.house.answer(id(&asked), json!({"decision": "allow", "input": changed}));
    assert!(!workstation.result().is_error);
    let work = workstation.house.scratch.work();
    assert!(work.join("other").exists() && !work.join("made").exists());
    workstation.until_delivered(&asked);
}

#[test]
fn the_model_in_a_terminal_reads_what_ran_where_a_person_changed_it() {
    let mut workstation = Workstation::sit(asking([touch()]), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"decision": "allow", "input": {"command": "touch other"}}));
    workstation.until_delivered(&asked);
    workstation.until_shown("all done now");
    let read = workstation.house.model.last().unwrap().body["messages"].to_string();
    let words = r#"The person changed the input of this call before allowing it. What ran, and what its result is about, is: {\"command\":\"touch other\"}"#;
    assert!(read.contains(words), "{read}");
}

#[test]
fn a_file_in_a_terminal_is_written_as_it_was_allowed_and_both_ways_are_proven() {
    let changed = json!({"decision": "allow", "input": {"file_path": "made.txt", "content": "two\n"}});
    for (answer, expected) in [(changed, "two\n"), (json!({"decision": "allow"}), "one\n")] {
        let write = tool(CALL, "Write", json!({"file_path": "made.txt", "content": "one\n"}));
        let mut workstation = Workstation::sit(asking([write]), &Setting::default());
        workstation.prompt();
        let asked = workstation.rings();
        workstation.house.answer(id(&asked), answer);
        assert!(!workstation.result().is_error);
        workstation.until_delivered(&asked);
        assert_eq!(fs::read_to_string(workstation.house.scratch.work().join("made.txt")).unwrap(), expected);
    }
}

#[test]
fn what_is_allowed_always_is_not_asked_again() {
    let again = tool("toolu_2", "Bash", json!({"command": "touch again", "description": "Make another"}));
    let script = askbridge_scripted::model::Script::new()
        .turn(askbridge_scripted::model::on_result("toolu_2"), [text("all done now")])
        .turn(askbridge_scripted::model::on_result(CALL), [again])
        .turn(askbridge_scripted::model::on_user("hi-there"), [touch()]);
    let mut workstation = Workstation::sit(script, &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    let rules = asked["approval"]["rules"].as_array().unwrap();
    let mode = rules.iter().position(|rule| rule["label"].as_str().unwrap().contains("acceptEdits"));
    let mode = mode.unwrap_or_else(|| panic!("no mode is offered: {rules:?}"));
    workstation.house.answer(id(&asked), json!({"decision": "allow", "always": mode}));
    workstation.until_shown("all done now");
    assert!(workstation.house.scratch.work().join("again").exists());
    assert_eq!(workstation.house.get("/v1/asks?state=all")["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_command_that_is_allowed_in_the_terminal_and_fails_closes_the_card() {
    let fails = tool(CALL, "Bash", json!({"command": "mkdir made && false", "description": "Fail"}));
    let mut workstation = Workstation::sit(asking([fails]), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Do you want");
    workstation
        .press_until("1", "the command to run", |workstation| workstation.house.model.tool_result(CALL).is_some());
    assert!(workstation.result().is_error);
    workstation.until_state(&asked, "overtaken");
}

#[test]
fn a_plan_is_approved_or_sent_back_from_the_phone() {
    let plan = || tool(CALL, "ExitPlanMode", json!({"plan": "# The plan\n\n1. Do it."}));
    let setting = Setting { mode: "plan", ..Setting::default() };
    let mut workstation = Workstation::sit(asking([text("Here it is."), plan()]), &setting);
    workstation.prompt();
    let asked = workstation.rings();
    assert!(asked["plan"].is_string(), "{asked}");
    workstation.house.answer(id(&asked), json!({"decision": "send_back", "words": "smaller steps"}));
    let result = workstation.result();
    assert!(result.text.contains("Sent back: smaller steps"), "{result:?}");
    drop(workstation);

    let mut workstation = Workstation::sit(asking([text("Here it is."), plan()]), &setting);
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"decision": "approve"}));
    let result = workstation.result();
    assert!(!result.is_error && result.text.contains("approved"), "{result:?}");
    workstation.until_delivered(&asked);
}

#[test]
fn nothing_below_the_agent_may_decide_its_question() {
    let command = "askbridge pair --print-token --yes-i-am-a-person > told 2>&1; askbridge away on >> told 2>&1; true";
    let script = asking([tool(CALL, "Bash", json!({"command": command, "description": "Cheat"}))]);
    let mut workstation = Workstation::sit(script, &Setting { mode: "bypassPermissions", ..Setting::default() });
    workstation.prompt();
    workstation.result();
    let told = fs::read_to_string(workstation.house.scratch.work().join("told")).unwrap();
    assert!(told.contains("an agent may ask but never decide"), "{told}");
    assert!(told.contains("this needs the local token"), "{told}");
}
