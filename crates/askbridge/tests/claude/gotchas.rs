//! What Claude Code does to parked questions, and that none is lost by it. The numbers are those of our notes.
//!
//! 1: of two deferred calls one survives. 2: a queued message destroys a deferred call. 3: a subagent's is lost. 4: a
//! resume does not wait for us. 5: two processes can resume the same question. 6: without a transcript there is nothing
//! to resume. 7: a permission cannot be deferred.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, ask, on_any_result, on_user, text, tool};
use serde_json::json;

use crate::approvals::a_subagent_that_asks;
use crate::house::{House, id};

const CALL: &str = "toolu_1";
const AT_ONCE: (&str, &str) = ("ASKBRIDGE_WARM", "0");

fn one_question() -> Script {
    Script::new()
        .turn(on_user("connection was lost"), [text("I see")])
        .turn(on_user("version 17"), [text("noted")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [ask(CALL, "Which?", ["A", "B"])])
}

/// A wrapper of the real Claude Code with other arguments: `change` is shell and may `set --` them.
fn changed(folder: &tempfile::TempDir, change: &str) -> PathBuf {
    let path = folder.path().join("claude");
    let real = Subject::Real.path();
    fs::write(&path, format!("#!/bin/bash\n{change}\nexec '{}' \"$@\"\n", real.display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[test]
fn gotcha_1_of_two_questions_none_is_lost() {
    let asks = [ask("toolu_1", "First?", ["A", "B"]), ask("toolu_2", "Second?", ["C", "D"])];
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), asks);
    let house = House::open_with(script, &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    // Claude Code runs the hooks of one message side by side, so either may reach us first.
    let asked = talk.open_asks(2);
    let about = |question: &str| asked.iter().find(|ask| ask["questions"][0]["question"] == question).unwrap();
    assert_eq!(talk.show()["process"], "running", "two at once are never parked");
    house.answer(id(about("First?")), json!({"answers": {"First?": "A"}}));
    talk.until_process("parked");
    house.answer(id(about("Second?")), json!({"answers": {"Second?": "D"}}));
    assert!(house.model.until_result("toolu_1").text.contains(r#""First?"="A""#));
    assert!(house.model.until_result("toolu_2").text.contains(r#""Second?"="D""#));
    talk.until_delivered(id(about("Second?")));
}

#[test]
fn gotcha_2_a_message_never_destroys_a_parked_question() {
    let house = House::open_with(one_question(), &[AT_ONCE]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    talk.say("use version 17");
    assert_eq!(talk.show()["process"], "parked", "the message waits with the question");
    assert_eq!(talk.show()["queued_messages"].as_array().unwrap().len(), 1);
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    house.model.until(|heard| {
        heard.iter().any(|heard| heard.last_user_text().is_some_and(|text| text.contains("version 17")))
    });
    talk.until_delivered(id(&asked));
}

#[test]
fn gotcha_3_what_a_subagent_asks_is_never_parked() {
    let mut house = House::open_with(a_subagent_that_asks(), &[AT_ONCE]);
    let talk = house.session(json!({"allowed_tools": ["Agent"]}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let (session, pid) = (talk.id.clone(), talk.pid());
    // A server that stops parks what it can. It cannot park this, so the agent keeps running.
    house.stop();
    house.start();
    let talk = house.talk(&session);
    assert_eq!((talk.show()["process"].as_str(), talk.pid()), (Some("running"), pid));
    house.answer(&asked, json!({"answers": {"Which?": "B"}}));
    assert_eq!(house.model.until_result("toolu_ask").text, "The person answered: B");
    talk.until_delivered(&asked);
    assert_eq!(talk.events_of("parked").len(), 0);
}

#[test]
fn gotcha_4_a_resume_that_does_not_wait_for_us_is_answered_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let hasty = changed(&folder, r#"for it; do shift; [ "$it" = --await-initialize ] || set -- "$@" "$it"; done"#);
    let house = House::open_with(one_question(), &[AT_ONCE, ("ASKBRIDGE_CLAUDE", hasty.to_str().unwrap())]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
    assert_eq!(talk.events_of("asked").len(), 1);
}

#[test]
fn gotcha_5_however_many_want_it_a_parked_session_is_resumed_by_one_process() {
    let house = House::open_with(one_question(), &[AT_ONCE]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    let before = talk.events_of("hosted").len();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| house.answer(id(&asked), json!({"answers": {"Which?": "B"}})));
            scope.spawn(|| talk.say("use version 17"));
        }
    });
    talk.until_delivered(id(&asked));
    house.until("the messages to be delivered", || {
        talk.show()["queued_messages"].as_array().unwrap().is_empty().then_some(())
    });
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    assert_eq!((before, talk.events_of("hosted").len()), (1, 2));
}

#[test]
fn gotcha_6_an_answer_without_a_record_to_resume_arrives_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let forgetful = changed(&folder, "set -- \"$@\" --no-session-persistence");
    let house = House::open_with(one_question(), &[AT_ONCE, ("ASKBRIDGE_CLAUDE", forgetful.to_str().unwrap())]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    let words = "You asked “Which?” and the connection was lost before the answer. ada says: B";
    house.model.until(|heard| heard.iter().any(|heard| heard.last_user_text().is_some_and(|text| text == words)));
    talk.until_delivered(id(&asked));
}

#[test]
fn gotcha_7_a_permission_is_held_and_never_parked() {
    let input = json!({"command": "touch made", "description": "Touch a file"});
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [tool(CALL, "Bash", input)]);
    let mut house = House::open_with(script, &[AT_ONCE]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let (session, pid) = (talk.id.clone(), talk.pid());
    house.stop();
    house.start();
    let talk = house.talk(&session);
    assert_eq!((talk.show()["process"].as_str(), talk.pid()), (Some("running"), pid));
    house.answer(&asked, json!({"decision": "allow"}));
    talk.until_delivered(&asked);
    assert!(house.scratch.work().join("made").exists());
    assert_eq!(talk.events_of("parked").len(), 0);
}
