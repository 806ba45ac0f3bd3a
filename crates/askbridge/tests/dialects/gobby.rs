//! gobby: a client that behaves like a page of its web chat, as its built bundle does.

use askbridge_scripted::claude::Subject;

use crate::house::House;
use crate::node::{play, play_with};
use crate::scripts::{CALL, THREE, hears_of_a_late_answer, house, house_with_forms, reads};

fn scene(name: &str) -> House {
    let house = house("gobby", Subject::Fake);
    play(&house, "gobby", name);
    house
}

#[test]
fn questions_are_answered_and_read_by_their_exact_texts() {
    let house = scene("chat_and_questions");
    reads(&house, THREE);
}

#[test]
fn a_question_is_visible_and_clickable_after_a_reload() {
    scene("reload_with_an_open_question");
}

#[test]
fn a_page_whose_line_was_cut_goes_on() {
    scene("a_cut_line");
}

#[test]
fn a_wrong_answer_is_visibly_refused_and_another_card_opens() {
    scene("wrong_then_right");
}

#[test]
fn an_answer_elsewhere_marks_the_card() {
    scene("answered_elsewhere");
}

#[test]
fn nobody_answers_and_a_late_answer_still_counts() {
    let house = scene("nobody_answers");
    hears_of_a_late_answer(&house);
}

#[test]
fn a_new_message_cancels_the_turn_and_its_question() {
    scene("a_new_message_cancels");
}

#[test]
fn stop_stops() {
    scene("stop");
}

#[test]
fn a_tool_is_approved_or_rejected_and_in_its_mode_never_asked_about() {
    assert!(!scene("approve").model.until_result(CALL).is_error);
    assert!(scene("reject").model.until_result(CALL).is_error);
    assert!(!scene("bypass_never_asks").model.until_result(CALL).is_error);
}

#[test]
fn a_plan_is_approved_or_sent_back() {
    assert!(!scene("a_plan_is_approved").model.until_result(CALL).is_error);
    assert!(scene("a_plan_is_sent_back").model.until_result(CALL).text.contains("smaller steps"));
}

#[test]
fn a_form_that_it_cannot_show_never_hangs_the_session() {
    let house = house_with_forms("gobby");
    play(&house, "gobby", "a_form_is_questions");
    assert!(house.model.until_result(CALL).text.contains("db.example"));
}

#[test]
fn what_belongs_to_another_conversation_is_not_drawn() {
    scene("two_conversations_stay_apart");
}

#[test]
fn conversations_are_listed_by_project_with_everything_that_the_page_reads() {
    scene("lists");
}

#[test]
fn a_conversation_is_renamed_summed_up_expired_and_deleted_by_those_who_may() {
    let house = house("gobby", Subject::Fake);
    let local = std::fs::read_to_string(house.data().join("token")).expect("a token of this machine");
    play_with(&house, "gobby", "about_sessions", &[("LOCAL", local.trim())]);
}

#[test]
fn settings_that_are_changed_at_once_are_all_kept() {
    scene("settings_at_once");
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}
