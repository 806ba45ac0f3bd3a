//! Chat: messages while a question is open, interrupts, other models and modes.

use askbridge_scripted::model::{Script, ask, gate, on_any_result, on_user, text};
use serde_json::json;

use crate::house::{House, id};

const CALL: &str = "toolu_1";

fn script() -> Script {
    Script::new()
        .turn(on_user("something else"), [text("all right")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [ask(CALL, "Which?", ["A", "B"])])
        .turn(on_user("slowly"), [text("first"), gate("slow"), text(" and then")])
}

#[test]
fn a_message_waits_until_the_question_is_answered() {
    let house = House::open(script());
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.say("something else");
    assert_eq!(talk.show()["queued_messages"][0]["text"], "something else");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    house.model.until(|heard| {
        heard.iter().any(|heard| heard.last_user_text().is_some_and(|text| text.contains("something else")))
    });
    house.until("the message to be delivered", || {
        talk.show()["queued_messages"].as_array().unwrap().is_empty().then_some(())
    });
}

#[test]
fn an_interrupt_takes_the_question_back_and_the_session_goes_on() {
    let house = House::open(script());
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    assert_eq!(house.post(&format!("/v1/sessions/{}/interrupt", talk.id), &json!({})).0, 202);
    house.until("the question to be taken back", || (house.ask(id(&asked))["state"] == "withdrawn").then_some(()));
    let (status, late) = house.post(&format!("/v1/asks/{}/answer", id(&asked)), &json!({"answers": {"Which?": "B"}}));
    assert_eq!(status, 410, "{late}");
    talk.say("something else");
    talk.until_turns(2);
    assert!(talk.events_of("text").iter().any(|event| event["text"] == "all right"));
}

#[test]
fn a_message_may_end_the_turn_and_the_question_with_it() {
    let house = House::open(script());
    let talk = house.session(json!({"messages": "cancel_turn"}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.say("something else");
    house.until("the question to be taken back", || (house.ask(id(&asked))["state"] == "withdrawn").then_some(()));
    house.until("the new turn", || {
        talk.events_of("text").iter().any(|event| event["text"] == "all right").then_some(())
    });
}

#[test]
fn an_interrupt_stops_what_the_agent_is_saying() {
    let house = House::open(script());
    let talk = house.session(json!({}));
    talk.say("slowly");
    house.model.reached("slow");
    assert_eq!(house.post(&format!("/v1/sessions/{}/interrupt", talk.id), &json!({})).0, 202);
    talk.until_turns(1);
    house.model.open("slow");
    talk.say("something else");
    talk.until_turns(2);
}

#[test]
fn the_model_and_the_mode_change_while_it_runs() {
    let house = House::open(script());
    let talk = house.session(json!({"model": "claude-opus-4-5"}));
    talk.say("something else");
    talk.until_turns(1);
    assert_eq!(house.model.last().unwrap().body["model"], "claude-opus-4-5");
    let change = json!({"model": "claude-sonnet-4-5", "permission_mode": "acceptEdits"});
    let (status, changed) = house.post(&format!("/v1/sessions/{}/configure", talk.id), &change);
    assert_eq!((status, &changed["model"]), (200, &json!("claude-sonnet-4-5")));
    talk.say("something else");
    talk.until_turns(2);
    assert_eq!(house.model.last().unwrap().body["model"], "claude-sonnet-4-5");
    assert_eq!(talk.show()["permission_mode"], "acceptEdits");
}

#[test]
fn a_message_is_refused_as_long_as_the_question_is_open() {
    let house = House::open(script());
    let talk = house.session(json!({"messages": "refuse"}));
    talk.say("hi");
    let asked = talk.open_ask();
    let messages = format!("/v1/sessions/{}/messages", talk.id);
    let (status, refused) = house.post(&messages, &json!({"text": "something else"}));
    assert_eq!((status, &refused["code"]), (409, &json!("messages_refused")), "{refused}");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    talk.until_turns(1);
    assert!(house.model.heard().iter().all(|heard| !heard.new_texts().concat().contains("something else")));
    talk.say("something else");
    talk.until_turns(2);
}

/// Has the model read this, in any of the forms in which Claude Code passes on a message in the middle of a turn?
fn read(house: &House, words: &str) {
    house.model.until(|heard| heard.iter().any(|heard| heard.body["messages"].to_string().contains(words)));
}

#[test]
fn a_message_that_is_passed_on_is_read_along_with_the_answer() {
    let house = House::open(script());
    let talk = house.session(json!({"messages": "pass_on"}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.say("something else");
    house.until("the message to be handed over", || {
        talk.events_of("handed").iter().any(|event| event.to_string().contains("msg_")).then_some(())
    });
    assert_eq!(house.ask(id(&asked))["state"], "open");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    read(&house, "something else");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(id(&asked));
    house.until("the message to be delivered", || {
        talk.show()["queued_messages"].as_array().unwrap().is_empty().then_some(())
    });
}

#[test]
fn a_message_that_was_passed_on_is_taken_back_before_its_question_is_parked() {
    let house = House::open_with(script(), &[("ASKBRIDGE_WARM", "1s")]);
    let talk = house.session(json!({"messages": "pass_on"}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.say("something else");
    talk.until_process("parked");
    assert_eq!(talk.show()["queued_messages"].as_array().unwrap().len(), 1, "it waits with the question");
    talk.say("something else again");
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    read(&house, "something else again");
    talk.until_delivered(id(&asked));
    house.until("the messages to be delivered", || {
        talk.show()["queued_messages"].as_array().unwrap().is_empty().then_some(())
    });
    assert_eq!((talk.events_of("hosted").len(), talk.events_of("parked").len()), (2, 1));
}

#[test]
fn a_message_may_take_back_a_question_that_is_parked() {
    let house = House::open_with(script(), &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({"messages": "cancel_turn"}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    talk.say("something else");
    assert_eq!(house.ask(id(&asked))["state"], "withdrawn");
    read(&house, "something else");
    house.until("the message to be delivered", || {
        talk.show()["queued_messages"].as_array().unwrap().is_empty().then_some(())
    });
}

#[test]
fn a_parked_question_is_not_started_for_a_message_that_would_be_passed_on() {
    let house = House::open_with(script(), &[("ASKBRIDGE_WARM", "0")]);
    let talk = house.session(json!({"messages": "pass_on"}));
    talk.say("hi");
    let asked = talk.open_ask();
    talk.until_process("parked");
    talk.say("something else");
    // A later session has been served, so a process for the first would have been started by now.
    let other = house.session(json!({}));
    other.say("hi");
    other.open_ask();
    other.until_process("parked");
    assert_eq!((talk.events_of("hosted").len(), talk.events_of("parked").len()), (1, 1));
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    talk.until_delivered(id(&asked));
    read(&house, "something else");
}
