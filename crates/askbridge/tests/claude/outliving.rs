//! Agents outlive us: kill -9 of the server, and of the agent itself.

use askbridge_scripted::model::{Script, ask, gate, on_any_result, on_user, text};
use serde_json::json;

use crate::house::{House, id};

const CALL: &str = "toolu_1";

fn one_question() -> Script {
    Script::new()
        .turn(on_user("connection was lost"), [text("I see")])
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [text("Well. "), gate("middle"), text("So."), ask(CALL, "Which?", ["A", "B"])])
        .turn(on_user("more"), [text("more")])
}

#[test]
fn a_server_that_is_killed_with_an_open_question_finds_it_again_and_the_agent_does_not_notice() {
    let mut house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let (session, pid) = (talk.id.clone(), talk.pid());
    house.kill();
    house.start();
    let talk = house.talk(&session);
    assert_eq!(talk.open_ask()["id"], asked.as_str());
    house.answer(&asked, json!({"answers": {"Which?": "B"}}));
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    talk.until_delivered(&asked);
    talk.until_turns(1);
    assert_eq!((talk.pid(), talk.events_of("asked").len()), (pid, 1));
    assert_eq!((talk.events_of("text").len(), talk.events_of("tool_called").len()), (3, 1));
    talk.say("more");
    talk.until_turns(2);
}

#[test]
fn a_server_that_is_killed_in_the_middle_of_an_answer_loses_and_doubles_nothing() {
    let mut house = House::open(one_question());
    let talk = house.session(json!({}));
    talk.say("hi");
    house.model.reached("middle");
    let session = talk.id.clone();
    house.kill();
    house.model.open("middle");
    house.start();
    let talk = house.talk(&session);
    let asked = id(&talk.open_ask()).to_owned();
    house.answer(&asked, json!({"answers": {"Which?": "A"}}));
    talk.until_turns(1);
    let texts: Vec<_> = talk.events_of("text").iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts, ["Well. ", "So.", "done"]);
    assert_eq!(house.model.heard().iter().filter(|heard| !heard.tool_names().is_empty()).count(), 2);
}

#[test]
fn a_server_that_is_killed_while_nobody_watches_delivers_what_was_answered() {
    let mut house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = id(&talk.open_ask()).to_owned();
    let session = talk.id.clone();
    // Killed at once after the answer: it may or may not have reached the agent.
    house.answer(&asked, json!({"answers": {"Which?": "B"}}));
    house.kill();
    house.start();
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    house.talk(&session).until_delivered(&asked);
    house.talk(&session).until_turns(1);
}

#[test]
fn an_agent_that_is_killed_keeps_its_question_open_and_hears_the_answer_in_words() {
    let house = House::open(one_question());
    house.model.open("middle");
    let talk = house.session(json!({}));
    talk.say("hi");
    let asked = talk.open_ask();
    let pid = rustix::process::Pid::from_raw(talk.pid().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    talk.until_process("asleep");
    assert_eq!(house.ask(id(&asked))["state"], "open");
    assert!(talk.events_of("notice").iter().any(|notice| notice["text"].as_str().unwrap().contains("ended by itself")));
    house.answer(id(&asked), json!({"answers": {"Which?": "B"}}));
    talk.until_delivered(id(&asked));
}
