//! prime: its closed client is known by its protocol alone, which this one keeps to the letter.

use askbridge_scripted::claude::Subject;

use crate::house::House;
use crate::node::play;
use crate::scripts::{CALL, house, house_with_forms};

/// Plays scenes with the double, each in a house of its own, and returns what the model read.
fn scene(name: &str) -> House {
    let house = house("prime", Subject::Fake);
    play(&house, "prime", name);
    house
}

#[test]
fn a_question_is_asked_and_the_answer_is_read_by_its_exact_text() {
    let house = scene("chat_and_question");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn an_answer_elsewhere_closes_the_card() {
    let house = scene("answered_elsewhere");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

#[test]
fn a_wrong_answer_is_refused_and_the_question_comes_again() {
    let house = scene("wrong_then_right");
    assert!(house.model.until_result(CALL).text.contains("neither, thank you"));
}

#[test]
fn a_client_that_comes_back_finds_its_question() {
    scene("reconnect_with_an_open_question");
}

#[test]
fn a_client_that_comes_back_sees_what_it_missed_and_only_that() {
    scene("missed_while_away");
}

#[test]
fn the_newest_connection_takes_the_session() {
    scene("takeover");
}

#[test]
fn nobody_answers_and_a_late_answer_still_counts() {
    let house = scene("nobody_answers");
    let last = house.model.last().unwrap().last_user_text().unwrap();
    assert!(last.contains("A late answer to your earlier question “Soon?”."), "{last}");
}

#[test]
fn to_cancel_stops_the_turn() {
    let house = scene("cancel_stops_the_turn");
    assert!(house.model.unscripted().is_empty());
}

#[test]
fn a_message_waits_while_a_question_is_open() {
    scene("a_message_waits");
}

#[test]
fn an_interrupt_interrupts() {
    scene("interrupt");
}

#[test]
fn a_tool_that_it_cannot_show_never_hangs_the_session() {
    let house = scene("other_tools_run");
    assert!(!house.model.until_result(CALL).is_error);
}

#[test]
fn a_plan_that_it_cannot_show_never_hangs_the_session() {
    let house = scene("a_plan_is_a_question");
    assert!(!house.model.until_result(CALL).is_error);
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}

#[test]
fn garbage_is_answered_as_the_original_does() {
    scene("garbage");
}

#[test]
fn a_form_that_it_cannot_show_never_hangs_the_session() {
    let house = house_with_forms("prime");
    play(&house, "prime", "a_form_is_questions");
    assert!(house.model.until_result(CALL).text.contains("db.example"));
}
