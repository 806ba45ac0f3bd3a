//! A server that is killed before, during and after a question: the terminal works as if we were not installed.

use serde_json::json;

use super::desk::{Desk, Setting, question};
use crate::house::id;

const FIRST: &str = r#""Which?"="Aaa""#;

#[test]
fn killed_before_the_question_the_terminal_asks_alone() {
    let mut desk = Desk::sit(question(), &Setting::default());
    desk.until_shown("❯");
    desk.house.kill();
    desk.prompt();
    let result = desk.answers_in_the_terminal();
    assert!(result.text.contains(FIRST), "{result:?}");
    desk.until_shown("all done now");
    desk.house.start();
    assert_eq!(desk.house.get("/v1/asks?state=all")["items"], json!([]));
}

#[test]
fn killed_during_the_question_the_dialog_stays_and_the_card_learns_of_its_answer() {
    let mut desk = Desk::sit(question(), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.until_shown("Bbb");
    desk.house.kill();
    desk.house.start();
    let open = desk.house.ask(id(&asked));
    assert_eq!((&open["state"], &open["stranded"]), (&json!("open"), &json!(true)), "{open}");
    assert!(desk.house.model.tool_result(super::desk::CALL).is_none(), "nobody has answered");
    let result = desk.answers_in_the_terminal();
    assert!(result.text.contains(FIRST), "{result:?}");
    desk.until_state(&asked, "overtaken");
}

#[test]
fn answered_on_both_sides_after_a_restart_the_terminal_counts_and_nobody_is_told_twice() {
    let mut desk = Desk::sit(question(), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.until_shown("Bbb");
    desk.house.kill();
    desk.house.start();
    // The way back is gone, so this waits as a message.
    desk.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let talk = desk.house.talk(asked["session"].as_str().unwrap());
    let said = talk.events_of("said").pop().expect("the answer waits as a message");
    assert!(said["text"].as_str().unwrap().ends_with("ada says: Bbb"), "{said}");
    let result = desk.answers_in_the_terminal();
    assert!(result.text.contains(FIRST), "{result:?}");
    desk.until_state(&asked, "overtaken");
    desk.until_shown("all done now");
    let taken_back = desk.house.talk(asked["session"].as_str().unwrap()).events_of("unsaid");
    assert_eq!(taken_back.len(), 1, "{taken_back:?}");
    let heard = desk.house.model.heard();
    assert!(heard.iter().all(|heard| !heard.body.to_string().contains("ada says")), "the agent heard one answer");
}

#[test]
fn killed_after_the_answer_the_agent_goes_on_and_the_proof_comes_later() {
    let mut desk = Desk::sit(question(), &Setting::default());
    desk.prompt();
    let asked = desk.rings();
    desk.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    desk.house.kill();
    desk.until_shown("Bbb");
    // The answer may have reached the hook or not; if not, the terminal still asks.
    let heard = |desk: &Desk| desk.house.model.tool_result(super::desk::CALL).is_some();
    desk.press_until("\r", "an answer", heard);
    desk.until_shown("all done now");
    desk.house.start();
    assert_eq!(desk.house.ask(id(&asked))["state"], "answered");
}

#[test]
fn stopped_in_peace_the_dialog_stays_as_well() {
    let mut desk = Desk::sit(question(), &Setting::default());
    desk.prompt();
    desk.rings();
    desk.house.stop();
    let result = desk.answers_in_the_terminal();
    assert!(result.text.contains(FIRST), "{result:?}");
}
