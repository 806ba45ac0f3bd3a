//! seline: a front end built on the AI SDK. This client parses the stream with that SDK's own schema and reader.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::claude::places::{ai_sdk, assistant_ui};
use serde_json::{Value, json};

use crate::house::House;
use crate::node::play_with;
use crate::scripts::{CALL, THREE, hears_of_a_late_answer, house, house_in_haste, reads, script, with_forms};

#[track_caller]
fn play(house: &House, name: &str) {
    play_with(house, "seline", name, &[("AI", ai_sdk().to_str().unwrap())]);
}

#[track_caller]
fn scene(name: &str) -> House {
    let house = house("seline", Subject::Fake);
    play(&house, name);
    house
}

#[test]
fn a_question_is_clicked_as_soon_as_its_last_delta_is_there() {
    let house = scene("chat_and_question");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn every_shape_of_question_is_read_by_its_exact_text() {
    let house = scene("three_questions");
    reads(&house, [THREE[0], THREE[1], r#""Who?"="(skipped"#]);
}

#[test]
fn every_wrong_click_has_its_own_status_and_words() {
    scene("statuses");
}

#[test]
fn a_result_that_the_client_supplies_itself_settles_the_ask() {
    let house = scene("add_result");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

#[test]
fn an_answer_elsewhere_is_the_output_of_the_call() {
    scene("answered_elsewhere");
}

#[test]
fn a_dismissal_is_an_empty_answer() {
    let house = scene("dismissed");
    assert!(house.model.until_result(CALL).text.starts_with("The person closed the question without answering."));
}

#[test]
fn nobody_answers_and_a_late_click_still_counts() {
    let house = scene("nobody_answers");
    assert!(house.model.until_result(CALL).text.contains("Nobody answered within 2 seconds"));
    hears_of_a_late_answer(&house);
}

#[test]
fn a_reader_that_leaves_stops_nothing() {
    let house = scene("disconnect");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

#[test]
fn a_page_that_comes_back_finds_its_run_its_messages_and_the_same_arguments() {
    let house = scene("coming_back");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

/// The only conversation, as the list has it.
#[track_caller]
fn listed(house: &House) -> Value {
    let page = house.get("/api/sessions?limit=20");
    assert_eq!(page["totalCount"], 1, "{page}");
    page["sessions"][0].clone()
}

#[test]
fn a_new_conversation_is_listed_and_can_be_opened_before_its_first_message() {
    let house = house("seline", Subject::Fake);
    let (status, begun) = house.post("/api/sessions", &json!({"forceNew": true, "metadata": {"characterId": "x"}}));
    assert_eq!((status, &begun["isNew"]), (200, &json!(true)), "{begun}");
    let id = begun["session"]["id"].as_str().expect("it has an id");
    assert_eq!(listed(&house)["id"], id);
    assert_eq!(house.get(&format!("/api/sessions/{id}"))["messages"], json!([]));
    assert_eq!(house.get(&format!("/api/sessions/{id}/messages"))["messages"], json!([]));
    assert_eq!(house.get(&format!("/api/sessions/{id}/active-run"))["hasActiveRun"], false);
}

#[test]
fn the_list_counts_the_messages_that_the_page_shows_and_a_restart_moves_no_time() {
    let mut house = House::open_as(Subject::Fake, script(), &[("ASKBRIDGE_DIALECTS", "seline")]);
    play(&house, "chat_and_question");
    let before = listed(&house);
    let id = before["id"].as_str().expect("it has an id").to_owned();
    let shown = house.get(&format!("/api/sessions/{id}"));
    assert_eq!(before["messageCount"], json!(shown["messages"].as_array().map(Vec::len)), "{shown}");
    let session = house.get("/v1/sessions")["items"][0]["id"].as_str().expect("it has an id").to_owned();
    let hosted = |house: &House| {
        let events = house.get(&format!("/v1/sessions/{session}/events?limit=500")).to_string();
        events.matches(r#""type":"hosted""#).count()
    };
    let times = hosted(&house);
    house.kill();
    house.start();
    house.until("the agent is taken over", || (hosted(&house) > times).then_some(()));
    assert_eq!(listed(&house), before);
    let again = house.get(&format!("/api/sessions/{id}"));
    assert_eq!(again["session"]["updatedAt"], shown["session"]["updatedAt"]);
}

#[test]
fn the_library_of_its_front_end_follows_a_question_over_a_broken_line_in_both_versions() {
    for version in ["0.12.5", "0.12.15"] {
        let place = assistant_ui(version);
        let place = [("ASSISTANT_UI", place.to_str().expect("a path"))];
        let house = house("seline", Subject::Fake);
        play_with(&house, "assistant_ui", "question_and_reload", &place);
        assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#), "{version}");
        play_with(&crate::scripts::house("seline", Subject::Fake), "assistant_ui", "odd_arguments", &place);
    }
}

#[test]
fn a_message_while_a_question_is_open_waits_and_the_card_is_drawn_again() {
    scene("a_message_waits");
}

#[test]
fn a_run_is_cancelled_once() {
    scene("cancel");
}

#[test]
fn a_prompt_is_queued_only_while_something_runs() {
    scene("live_prompt_queue");
}

#[test]
fn a_plan_is_approved_through_the_same_address() {
    let house = scene("plan_approved");
    assert!(!house.model.until_result(CALL).is_error);
}

#[test]
fn a_plan_is_sent_back_with_words() {
    let house = scene("plan_sent_back");
    assert!(house.model.until_result(CALL).text.contains("shorter, please"));
}

#[test]
fn a_plan_that_is_decided_elsewhere_closes_its_card() {
    scene("plan_decided_elsewhere");
}

#[test]
fn a_tool_that_it_cannot_show_never_hangs_the_session() {
    let house = scene("other_tools_run");
    assert!(!house.model.until_result(CALL).is_error);
}

#[test]
fn three_hundred_tools_that_finish_before_anybody_reads_lose_no_result() {
    scene("three_hundred_tools");
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}

#[test]
fn a_form_that_it_cannot_show_never_hangs_the_session() {
    let house = with_forms(house_in_haste("seline", Subject::Real, "Where should it go?"));
    play(&house, "a_form_cannot_be_shown");
    house.model.until_result(CALL);
}

#[test]
fn the_real_claude_code_reads_the_answers_beside_the_result_too() {
    let house = house("seline", Subject::Real);
    play(&house, "chat_and_question");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
    let read = house.model.last().unwrap().body.to_string();
    assert!(read.contains(r#"Their selections: {\"Which?\":\"B\"}"#), "{read}");
}
