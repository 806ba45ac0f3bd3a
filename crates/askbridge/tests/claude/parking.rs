//! Warm, then parked: the question stays, the process goes, the answer brings it back.

use askbridge_scripted::model::{Script, ask, on_any_result, on_user, text};
use serde_json::json;

use crate::house::{House, id};

const CALL: &str = "toolu_1";

fn one_question() -> Script {
    Script::new()
        .turn(on_user("version 17"), [text("noted")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [ask(CALL, "Which?", ["A", "B"])])
}

#[test]
fn a_parked_question_has_no_process_and_is_delivered_exactly_once() {
    let house = House::open_with(one_question(), &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    assert!(house.ask(id(&asked))["parked"].as_bool().unwrap());
    assert_eq!(talk.pid(), None);
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
fn gotcha_2_a_message_never_destroys_a_parked_question() {
    let house = House::open_with(one_question(), &[("ASKBRIDGE_WARM", "0")]);
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
fn gotcha_1_of_two_questions_none_is_lost() {
    let asks = [ask("toolu_1", "First?", ["A", "B"]), ask("toolu_2", "Second?", ["C", "D"])];
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), asks);
    let house = House::open_with(script, &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_asks(2);
    assert_eq!(talk.show()["process"], "running", "two at once are never parked");
    house.answer(id(&asked[0]), json!({"answers": {"First?": "A"}}));
    talk.until_process("parked");
    house.answer(id(&asked[1]), json!({"answers": {"Second?": "D"}}));
    assert!(house.model.until_result("toolu_1").text.contains(r#""First?"="A""#));
    assert!(house.model.until_result("toolu_2").text.contains(r#""Second?"="D""#));
    talk.until_delivered(id(&asked[1]));
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
