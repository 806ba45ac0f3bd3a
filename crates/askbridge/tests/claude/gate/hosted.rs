//! Agents that we run: the server is killed while a call waits for its rules, and rules come and go.

use std::fs;

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, on_any_result, on_result, on_user, text, tool};
use serde_json::{Value, json};

use super::table::{Ruled, SANDBOX};
use crate::house::{House, id};

const DENY: &str = "[[rules]]\nname = \"no touching\"\ndo = \"deny\"\nwords = \"Leave it.\"\ntool = \"Bash(touch *)\"\nevery_call = true\n";
const ASK: &str = "[[rules]]\nname = \"touching\"\ndo = \"ask\"\ntool = \"Bash(touch *)\"\nevery_call = true\n";
/// Something else, so that the file has one rule.
const OTHER: &str = "[[rules]]\nname = \"other\"\ndo = \"ask\"\ntool = \"Bash(other *)\"\n";

fn touch(id: &str, name: &str) -> askbridge_scripted::model::Piece {
    tool(id, "Bash", json!({"command": format!("touch {name}"), "description": "d"}))
}

fn exists(house: &House, name: &str) -> bool {
    house.scratch.work().join(name).exists()
}

/// Returns the lines that a process has written.
fn spool(house: &House, session: &str) -> String {
    fs::read_to_string(house.data().join("run/agents").join(format!("{session}.out"))).unwrap_or_default()
}

#[test]
fn killed_while_a_call_waits_for_its_rules_the_call_is_still_denied_and_once() {
    let calls = 6;
    let script = (1..=calls).fold(Script::new(), |script, at| {
        let next = at + 1;
        let reply = if at == calls { text("done") } else { touch(&format!("toolu_{next}"), &format!("made{next}")) };
        script.turn(on_result(format!("toolu_{at}")), [reply])
    });
    let script = script.turn(on_user("hi"), [touch("toolu_1", "made1")]);
    let mut ruled = Ruled::open(Subject::Real, script, DENY, &[]);
    let session = ruled.house.session(json!({"permission_mode": "bypassPermissions"})).id;
    ruled.house.talk(&session).say("hi");
    for at in 1..=calls {
        // The request is in the spool: the server is about to read it, reads it, asks the rules, or has answered.
        let call = format!("\"tool_use_id\":\"toolu_{at}\"");
        ruled.house.until("the call to reach its hook", || {
            let lines = spool(&ruled.house, &session);
            lines.lines().any(|line| line.contains("PreToolUse") && line.contains(&call)).then_some(())
        });
        ruled.house.kill();
        ruled.house.start();
    }
    let talk = ruled.house.talk(&session);
    talk.until_turns(1);
    for at in 1..=calls {
        let read = ruled.house.model.tool_result(&format!("toolu_{at}")).unwrap();
        assert!(read.is_error && read.text.contains("“no touching”"), "{read:?}");
        assert!(!exists(&ruled.house, &format!("made{at}")));
    }
    let ruled = talk.events_of("tool_ruled");
    let mut calls_ruled: Vec<_> = ruled.iter().map(|event| event["call"].as_str().unwrap()).collect();
    calls_ruled.dedup();
    assert_eq!(calls_ruled.len(), ruled.len(), "each is recorded once: {ruled:?}");
    assert_eq!(ruled.len(), calls, "{ruled:?}");
}

#[test]
fn killed_while_a_person_is_asked_the_call_finds_its_ask_although_the_rules_have_changed() {
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [touch("toolu_1", "made")]);
    let mut ruled = Ruled::open(Subject::Real, script, ASK, &[]);
    let session = ruled.house.session(json!({"permission_mode": "bypassPermissions"})).id;
    ruled.house.talk(&session).say("hi");
    let ask = ruled.house.talk(&session).open_ask();
    assert_eq!(ask["approval"]["reason"], "The rule “touching” sends it to a person");
    ruled.house.kill();
    // Without any rule about calls, the mode would let it run.
    fs::write(&ruled.rules, OTHER).unwrap();
    ruled.house.start();
    let talk = ruled.house.talk(&session);
    assert_eq!(talk.open_ask()["id"], ask["id"]);
    assert!(!exists(&ruled.house, "made"));
    ruled.house.answer(id(&ask), json!({"decision": "deny", "words": "not today"}));
    let read = ruled.house.model.until_result("toolu_1");
    assert!(read.is_error && read.text.contains("Denied: not today"), "{read:?}");
    talk.until_turns(1);
    assert!(!exists(&ruled.house, "made"));
}

#[test]
fn a_call_that_was_parked_comes_back_to_its_ask_although_its_rule_is_gone() {
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [touch("toolu_1", "made")]);
    let ruled = Ruled::open(Subject::Real, script, ASK, &[("ASKBRIDGE_WARM", "0")]);
    let talk = ruled.house.session(json!({"permission_mode": "bypassPermissions"}));
    talk.say("hi");
    let ask = talk.open_ask();
    talk.until_process("parked");
    talk.until_cleared();
    ruled.write(&format!("{OTHER}\n[[rules]]\nname = \"more\"\ndo = \"ask\"\ntool = \"Bash(more *)\"\n"), 2);
    ruled.house.answer(id(&ask), json!({"decision": "deny", "words": "not today"}));
    let read = ruled.house.model.until_result("toolu_1");
    assert!(read.is_error && read.text.contains("Denied: not today"), "{read:?}");
    talk.until_delivered(id(&ask));
    assert!(!exists(&ruled.house, "made"));
}

#[test]
fn the_first_rule_about_calls_reaches_a_running_agent_between_two_turns() {
    let script = Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("one"), [touch("toolu_1", "made1")])
        .turn(on_user("two"), [touch("toolu_2", "made2")])
        .turn(on_user("three"), [touch("toolu_3", "made3")]);
    let ruled = Ruled::open(Subject::Real, script, OTHER, &[]);
    let talk = ruled.house.session(json!({"permission_mode": "bypassPermissions"}));
    talk.say("one");
    talk.until_turns(1);
    assert!(exists(&ruled.house, "made1"));
    let first = talk.pid();
    assert!(first.is_some(), "the process is kept");
    ruled.write(&format!("{OTHER}\n{DENY}"), 2);
    talk.until_process("asleep");
    talk.say("two");
    talk.until_turns(2);
    let read = ruled.house.model.tool_result("toolu_2").unwrap();
    assert!(read.text.contains("“no touching”") && !exists(&ruled.house, "made2"), "{read:?}");
    // A rule that goes away needs no new process.
    let second = talk.pid();
    ruled.write(OTHER, 1);
    talk.say("three");
    talk.until_turns(3);
    assert!(exists(&ruled.house, "made3"));
    assert_eq!(talk.pid(), second);
    assert_ne!(first, second);
}

#[test]
fn a_projects_own_rule_about_calls_counts_in_its_folder() {
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [touch("toolu_1", "made")]);
    let house = House::open_with(script, &[SANDBOX]);
    fs::create_dir(house.scratch.work().join(".askbridge")).unwrap();
    fs::write(house.scratch.work().join(".askbridge/rules.toml"), DENY).unwrap();
    let talk = house.session(json!({"permission_mode": "bypassPermissions"}));
    talk.say("hi");
    talk.until_turns(1);
    let read = house.model.tool_result("toolu_1").unwrap();
    assert!(read.is_error && read.text.contains("Leave it."), "{read:?}");
    let ruled: Vec<Value> = talk.events_of("tool_ruled");
    assert!(ruled[0]["file"].as_str().unwrap().ends_with(".askbridge/rules.toml"), "{ruled:?}");
    assert!(!exists(&house, "made"));
}

#[test]
fn a_subagents_calls_are_ruled_as_well() {
    let agent = json!({"description": "d", "prompt": "make it", "subagent_type": "general-purpose"});
    let script = Script::new()
        .turn(on_result("toolu_sub"), [text("could not")])
        .turn(on_result("toolu_agent"), [text("done")])
        .turn(on_user("hi"), [tool("toolu_agent", "Task", agent)])
        .turn(on_user("make it"), [touch("toolu_sub", "made")]);
    let ruled = Ruled::open(Subject::Real, script, DENY, &[]);
    let talk = ruled.house.session(json!({"permission_mode": "bypassPermissions"}));
    talk.say("hi");
    let read = ruled.house.model.until_result("toolu_sub");
    assert!(read.is_error && read.text.contains("Leave it."), "{read:?}");
    assert!(!exists(&ruled.house, "made"));
}
