//! gobby's own page, unmodified, in a real Chromium.

use askbridge_scripted::claude::Subject;

use crate::house::House;
use crate::node::play;
use crate::scripts::{CALL, THREE, house, house_without_tokens, reads};

fn scene(name: &str) -> House {
    let house = house("gobby", Subject::Fake);
    play(&house, "gobby_page", name);
    house
}

#[test]
fn the_page_starts_without_an_error_or_a_failed_request_and_says_that_a_question_is_answered() {
    let house = house_without_tokens("gobby");
    play(&house, "gobby_page", "starts_without_a_failed_request");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn several_are_chosen_and_words_of_ones_own_are_written() {
    reads(&scene("several_questions"), THREE);
}

#[test]
fn a_question_is_there_and_can_be_clicked_after_a_reload() {
    assert!(scene("reload").model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

#[test]
fn a_tool_is_approved() {
    assert!(!scene("approval").model.until_result(CALL).is_error);
}

#[test]
fn an_approval_is_there_and_can_be_clicked_after_a_reload_and_its_command_stays_visible() {
    assert!(!scene("reload_with_an_open_approval").model.until_result(CALL).is_error);
}

#[test]
fn conversations_are_listed_and_loading_the_list_leaves_their_mode() {
    scene("list_of_conversations");
}

#[test]
fn the_project_that_a_person_chose_is_shown_after_a_reload_and_with_it_what_waits_there() {
    assert!(!scene("reload_in_another_project").model.until_result(CALL).is_error);
}

#[test]
fn after_switching_what_happens_is_drawn_where_it_belongs() {
    scene("switching");
}

#[test]
fn two_pages_of_one_person_stay_apart_when_one_switches() {
    scene("switching_with_two_pages");
}

#[test]
fn a_conversation_is_gone_on_with_from_the_dialog_in_its_own_mode() {
    scene("going_on");
}

#[test]
fn a_plan_is_approved() {
    assert!(!scene("plan").model.until_result(CALL).is_error);
}

#[test]
fn stop_stops_and_closes_the_card_and_the_next_message_is_heard() {
    scene("stop");
}
