//! ccc: its front end lives in a browser; this one has its habits.

use askbridge_scripted::claude::Subject;

use crate::house::House;
use crate::node::play;
use crate::scripts::{CALL, house, house_with_forms};

fn scene(name: &str) -> House {
    let house = house("ccc", Subject::Fake);
    play(&house, "ccc", name);
    house
}

#[test]
fn three_questions_are_answered_by_index_and_read_by_their_exact_texts() {
    let house = scene("chat_and_questions");
    let read = house.model.until_result(CALL).text;
    for pair in [r#""First?"="B""#, r#""Second?"="A, C""#, r#""Who?"="Bob""#] {
        assert!(read.contains(pair), "{read}");
    }
}

#[test]
fn a_wrong_answer_is_refused_and_the_card_comes_again() {
    let house = scene("wrong_then_right");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

#[test]
fn a_second_connection_shares_the_session_and_the_first_one_leaving_ends_nothing() {
    let house = scene("two_share");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn a_front_end_that_comes_back_finds_its_question() {
    scene("reconnect");
}

#[test]
fn a_front_end_whose_line_was_cut_comes_back_at_its_fifth_try() {
    let house = scene("five_tries");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn an_answer_elsewhere_marks_the_card() {
    scene("answered_elsewhere");
}

#[test]
fn nobody_answers_and_a_late_answer_still_counts() {
    let house = scene("nobody_answers");
    assert!(house.model.until_result(CALL).text.contains("Nobody answered within 2 seconds"));
    let last = house.model.last().unwrap().last_user_text().unwrap();
    assert!(last.contains("A late answer to your earlier question “Soon?”."), "{last}");
}

#[test]
fn a_message_while_it_works_is_refused_as_the_original_does() {
    scene("busy");
}

#[test]
fn an_interrupt_interrupts() {
    scene("interrupt");
}

#[test]
fn an_answer_that_says_nothing_is_a_dismissal() {
    let house = scene("dismissed");
    assert!(house.model.until_result(CALL).text.starts_with("The person closed the question without answering."));
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
fn a_form_that_it_cannot_show_never_hangs_the_session() {
    let house = house_with_forms("ccc");
    play(&house, "ccc", "a_form_is_questions");
    assert!(house.model.until_result(CALL).text.contains("db.example"));
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}
