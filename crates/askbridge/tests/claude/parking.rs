//! Kept warm, then parked: the question stays open, the process ends, and the answer starts it again.

use std::fs;

use askbridge_scripted::model::{Script, ask, on_any_result, on_result, on_user, text, tool};
use serde_json::json;

use crate::house::{House, id};

const CALL: &str = "toolu_1";

fn one_question() -> Script {
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [ask(CALL, "Which?", ["A", "B"])])
}

#[test]
fn a_parked_question_has_no_process_and_is_delivered_exactly_once() {
    let house = House::open_with(one_question(), &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    assert!(house.ask(id(&asked))["parked"].as_bool().unwrap());
    talk.until_cleared();
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
    talk.until_turns(2);
    let delivered = talk.events_of("delivered").into_iter().filter(|event| event.to_string().contains("ask_")).count();
    assert_eq!((delivered, talk.events_of("asked").len()), (1, 1));
}

#[test]
fn a_parked_question_is_answered_after_a_restart() {
    let mut house = House::open_with(one_question(), &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    talk.until_process("parked");
    let session = talk.id.clone();
    house.kill();
    house.start();
    let talk = house.talk(&session);
    assert_eq!(talk.show()["process"], "parked");
    house.answer(&asked, json!({"answers": {"Which?": "A"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
    talk.until_delivered(&asked);
}

#[test]
fn a_server_that_stops_parks_what_can_be_parked() {
    let mut house = House::open(one_question());
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let session = talk.id.clone();
    house.stop();
    assert_eq!(house.talk(&session).pid(), None, "nothing runs without need");
    house.start();
    assert_eq!(house.talk(&session).show()["process"], "parked");
    house.answer(&asked, json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn questions_are_parked_and_answered_twice_in_a_row() {
    let script = Script::new()
        .turn(on_result("toolu_2"), [text("done")])
        .turn(on_result(CALL), [ask("toolu_2", "And where?", ["C", "D"])])
        .turn(on_user("hi"), [ask(CALL, "Which?", ["A", "B"])]);
    let house = House::open_with(script, &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let first = talk.open_ask();
    talk.until_process("parked");
    house.answer(id(&first), json!({"answers": {"Which?": "B"}}));
    let second =
        house.until("the second question", || talk.open_asks(1).pop().filter(|next| next["id"] != first["id"]));
    talk.until_process("parked");
    talk.until_delivered(id(&first));
    house.answer(id(&second), json!({"answers": {"And where?": "D"}}));
    assert!(house.model.until_result("toolu_2").text.contains(r#""And where?"="D""#));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&second));
    assert_eq!((talk.events_of("asked").len(), talk.events_of("parked").len()), (2, 2));
}

#[test]
fn a_plan_is_parked_too_and_goes_on_when_it_is_approved() {
    let script = Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [tool(CALL, "ExitPlanMode", json!({}))]);
    let house = House::open_with(script, &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({"permission_mode": "plan"}));
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(asked["kind"], "plan");
    talk.until_process("parked");
    house.answer(id(&asked), json!({"decision": "approve", "plan": "# Just one step"}));
    assert!(house.model.until_result(CALL).text.contains("# Just one step"));
    talk.until_delivered(id(&asked));
}

#[test]
fn an_answer_waits_for_a_folder_that_is_gone_and_the_session_says_so() {
    let house = House::open_with(one_question(), &[("ASKBRIDGE_WARM", "0")]);
    let folder = house.scratch.work().join("project");
    fs::create_dir(&folder).unwrap();
    let talk = house.session(json!({"cwd": folder}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    fs::remove_dir_all(&folder).unwrap();
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    let words = house.until("the notice", || talk.events_of("notice").pop());
    assert_eq!(words["text"], format!("there is no folder `{}`", folder.display()));
    assert_eq!(house.ask(id(&asked))["delivered_at"], json!(null), "nothing is lost, and nothing is claimed");
    fs::create_dir(&folder).unwrap();
    talk.say("hi again");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
}

#[test]
fn a_question_that_can_be_parked_makes_room_for_a_session_that_waits() {
    let settings = [("ASKBRIDGE_AGENTS_MAX", "1"), ("ASKBRIDGE_WARM", "1h")];
    let house = House::open_with(one_question(), &settings);
    let (first, second) = (house.session(json!({})), house.session(json!({})));
    first.say("hi");
    let asked = first.open_ask();
    second.say("hi");
    let other = second.open_ask();
    first.until_process("parked");
    // The answer takes the slot back, and the other question is parked for it.
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    first.until_delivered(id(&asked));
    second.until_process("parked");
    house.answer(id(&other), json!({"answers": {"Which?": "A"}}));
    second.until_delivered(id(&other));
    assert_eq!((first.events_of("asked").len(), second.events_of("asked").len()), (1, 1));
}
