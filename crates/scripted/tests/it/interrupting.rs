//! Interrupting a question, and messages sent meanwhile.

use askbridge_scripted::claude::Subject;
use serde_json::{Value, json};

use crate::given::{ANSWERED_B, CALL, REJECTED, allow, one_question, read, read_error, story};

on_both!(
    an_interrupt_withdraws_the_question_and_the_next_message_works,
    an_interrupt_withdraws_a_held_hook,
    a_denial_that_interrupts_loses_its_words,
    a_message_meanwhile_is_folded_into_the_same_turn,
    a_closed_input_is_read_as_a_failed_request,
    a_killed_question_is_read_as_interrupted_after_resume,
);

fn an_interrupt_withdraws_the_question_and_the_next_message_works(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.asked();
    let before = host.said().len();
    let response = host.request(json!({"subtype": "interrupt"}));
    assert_eq!((&response["subtype"], &response["response"]), (&json!("success"), &json!({"still_queued": []})));
    let result = host.result();
    let end = (&result["subtype"], &result["is_error"], &result["stop_reason"], &result["terminal_reason"]);
    assert_eq!(end, (&json!("error_during_execution"), &json!(true), &json!("tool_use"), &json!("aborted_tools")));
    let told = &host.said()[before..];
    let cancel = json!({"type": "control_cancel_request", "request_id": request["request_id"]});
    assert_eq!(told[0], cancel);
    assert_eq!(story(&told[1..]), ["user tool_result", "user text", "result error_during_execution"]);
    // Too late, and ignored.
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    host.say("next");
    assert_eq!(host.result()["result"], "done");
    let last = given.model.last().unwrap();
    assert_eq!(last.tool_result(CALL), Some(read_error(REJECTED)));
    assert_eq!(last.new_texts(), ["[Request interrupted by user for tool use]", "next"]);
}

fn an_interrupt_withdraws_a_held_hook(subject: Subject) {
    let given = one_question(subject);
    let (mut host, hook) = given.hooked();
    host.request(json!({"subtype": "interrupt"}));
    host.result();
    let withdrawn =
        |frame: &Value| frame["type"] == "control_cancel_request" && frame["request_id"] == hook["request_id"];
    assert!(host.said().iter().any(withdrawn));
}

fn a_denial_that_interrupts_loses_its_words(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.asked();
    host.respond(&request, json!({"behavior": "deny", "message": "these words", "interrupt": true}));
    let result = host.result();
    assert_eq!(
        (&result["subtype"], &result["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_tools"))
    );
    host.say("next");
    host.result();
    let last = given.model.last().unwrap();
    assert_eq!(last.tool_result(CALL), Some(read_error(REJECTED)));
    assert!(!last.body["messages"].to_string().contains("these words"));
}

fn a_message_meanwhile_is_folded_into_the_same_turn(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.asked();
    host.say("prefer B");
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    assert_eq!(host.result()["result"], "done");
    assert!(host.close().status.success());
    let heard = given.model.heard();
    assert_eq!(heard.len(), 2, "one turn for both");
    assert_eq!(heard[1].tool_result(CALL), Some(read(ANSWERED_B)));
    let begin = "The user sent a new message while you were working:\nprefer B\n";
    assert!(heard[1].new_texts().iter().any(|text| text.starts_with(begin)), "{:?}", heard[1].new_texts());
}

fn a_closed_input_is_read_as_a_failed_request(subject: Subject) {
    let given = one_question(subject);
    let (host, _) = given.asked();
    assert!(host.close().status.success());
    let wanted = "Tool permission request failed: AbortError: Tool permission stream closed before response received";
    assert_eq!(given.model.tool_result(CALL), Some(read_error(wanted)));
}

fn a_killed_question_is_read_as_interrupted_after_resume(subject: Subject) {
    let given = one_question(subject);
    let (host, _) = given.asked();
    let init = host.said().iter().find(|frame| frame["subtype"] == "init").unwrap().clone();
    let session = init["session_id"].as_str().unwrap();
    given.scratch.until_written(session, CALL);
    host.kill();
    let mut host = given.launch().resume(session).start();
    host.initialize("");
    host.say("next");
    host.result();
    let wanted = "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is \
        unknown. Check whether it took effect before relying on it or running it again.]";
    assert_eq!(given.model.last().unwrap().tool_result(CALL), Some(read_error(wanted)));
}
