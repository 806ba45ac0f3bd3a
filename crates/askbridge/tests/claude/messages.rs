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
