//! ccc: its front end runs in a browser; this client behaves like it.

use std::process::Command;

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, on_any_result, on_user, text, tool};
use serde_json::json;

use crate::house::House;
use crate::node::play;
use crate::scripts::{CALL, THREE, hears_of_a_late_answer, house, house_with_forms, reads};

fn scene(name: &str) -> House {
    let house = house("ccc", Subject::Fake);
    play(&house, "ccc", name);
    house
}

#[test]
fn three_questions_are_answered_by_index_and_read_by_their_exact_texts() {
    let house = scene("chat_and_questions");
    reads(&house, THREE);
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
fn an_error_leaves_the_card_where_it_is() {
    let house = scene("an_error_leaves_the_card");
    assert!(house.model.until_result(CALL).text.contains(r#""Bare?"="A""#));
}

#[test]
fn a_front_end_that_was_away_when_the_turn_ended_takes_a_message_again() {
    scene("ended_while_away");
}

#[test]
fn texts_before_and_after_a_question_are_paragraphs() {
    scene("paragraphs");
}

#[test]
fn an_ask_outside_of_a_turn_is_drawn_and_the_session_goes_on_after_it() {
    scene("asks_outside_of_a_turn");
}

#[test]
fn an_answer_elsewhere_marks_the_card() {
    scene("answered_elsewhere");
}

#[test]
fn nobody_answers_and_a_late_answer_still_counts() {
    let house = scene("nobody_answers");
    assert!(house.model.until_result(CALL).text.contains("Nobody answered within 2 seconds"));
    hears_of_a_late_answer(&house);
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
fn every_page_of_the_original_finds_every_field_that_it_reads() {
    scene("every_page");
}

#[test]
fn a_session_is_renamed_gets_another_model_and_is_deleted_once_nothing_in_it_is_open() {
    scene("renamed_and_deleted");
}

#[test]
fn a_project_is_a_folder_that_is_there_and_nothing_in_it_is_deleted_with_it() {
    let house = house("ccc", Subject::Fake);
    std::fs::create_dir(house.scratch.work().join("shop")).unwrap();
    play(&house, "ccc", "projects");
    assert!(house.scratch.work().join("shop").is_dir());
}

#[test]
fn what_is_not_here_is_said_in_words_to_those_who_may_know() {
    scene("not_here");
}

#[test]
fn its_page_opens_its_socket_by_the_cookie_of_its_login_and_nothing_else_does() {
    let house = scene("cookie");
    assert!(!house.log().contains(&house.ada), "{}", house.log());
}

#[test]
fn a_cookie_counts_for_nothing_in_an_agents_hands() {
    let knock = "A=$(cat ~/askbridge/run/address); curl -s -m 5 -o /dev/null -w %{http_code} -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
         -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H \"Origin: http://$A\" \
         -b \"ccc_chat=$(cat cookie)\" \"http://$A/ws/chat/nobody\"";
    let script = Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("knock"), [tool(CALL, "Bash", json!({"command": knock, "description": "knocks"}))]);
    let house = House::open_as(Subject::Real, script, &[("ASKBRIDGE_DIALECTS", "ccc")]);
    let log_in = "A=$(cat ~/askbridge/run/address); curl -s -m 5 -o /dev/null -D - --data-urlencode \"password=$1\" --data username=ada \
         \"http://$A/api/auth/login\" | sed -n 's/^set-cookie: ccc_chat=\\([^;]*\\);.*/\\1/p' | head -n 1 | tr -d '\\n' > cookie";
    let mut logged_in = Command::new("sh");
    logged_in
        .args(["-c", log_in, "sh", &house.ada])
        .current_dir(house.scratch.work())
        .env("HOME", house.scratch.home());
    assert!(logged_in.status().unwrap().success());
    let mut by_hand = Command::new("sh");
    by_hand.args(["-c", knock]).current_dir(house.scratch.work()).env("HOME", house.scratch.home());
    let knocked = by_hand.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&knocked.stdout).trim(), "101", "it is a good cookie");
    let talk = house.session(json!({"other_tools": "allow"}));
    talk.say("knock");
    assert_eq!(house.model.until_result(CALL).text.trim(), "401");
}

#[test]
fn a_model_that_is_chosen_is_the_one_that_answers_and_the_default_comes_back() {
    let house = house("ccc", Subject::Real);
    play(&house, "ccc", "models");
    let models: Vec<_> =
        house.model.heard().iter().filter_map(|heard| heard.body["model"].as_str().map(str::to_owned)).collect();
    let (first, last) = (models.first().unwrap(), models.last().unwrap());
    assert!(
        first == last && models.iter().any(|model| model.contains("haiku")) && !first.contains("haiku"),
        "{models:?}"
    );
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}
