//! A question that outlives its process: deferred, resumed, answered.

use askbridge_scripted::claude::Subject;
use serde_json::{Value, json};

use crate::given::{ANSWERED_B, CALL, Given, allow, hook_allow, hook_says, one_question, read, story};

on_both!(
    a_deferred_question_ends_the_turn_and_comes_back_to_the_hook,
    a_deferred_question_comes_back_over_can_use_tool_without_hooks,
    a_question_can_be_deferred_twice,
    a_question_comes_back_once,
    a_message_after_deferring_destroys_the_question,
    a_killed_question_is_lost_unless_the_transcript_says_deferred,
);

/// Defers the question and ends the process. Returns the session.
fn park(given: &Given) -> String {
    let (mut host, hook) = given.hooked();
    host.respond(&hook, hook_says("defer", ""));
    let result = host.result();
    let end = (&result["subtype"], &result["is_error"], &result["result"], &result["stop_reason"]);
    assert_eq!(end, (&json!("success"), &json!(false), &json!(""), &json!("tool_deferred")));
    assert_eq!(result["terminal_reason"], "tool_deferred");
    let deferred = &result["deferred_tool_use"];
    assert_eq!((&deferred["id"], &deferred["name"]), (&json!(CALL), &json!("AskUserQuestion")));
    assert_eq!(deferred["input"]["questions"][0]["question"], "Which?");
    assert!(host.close().status.success());
    result["session_id"].as_str().unwrap().to_owned()
}

fn a_deferred_question_ends_the_turn_and_comes_back_to_the_hook(subject: Subject) {
    let given = one_question(subject);
    let session = park(&given);
    assert_eq!(given.model.heard().len(), 1);
    let mut host = given.launch().resume(&session).arg("--await-initialize").start();
    host.initialize("AskUserQuestion|ExitPlanMode");
    let hook = host.asked("hook_callback");
    assert_eq!(hook["request"]["tool_use_id"], CALL);
    host.respond(&hook, hook_allow(&hook["request"]["input"]["tool_input"], json!({"Which?": "B"})));
    let result = host.result();
    assert_eq!((&result["result"], &result["session_id"]), (&json!("done"), &json!(session)));
    let last = given.model.last().unwrap();
    assert_eq!(last.tool_result(CALL), Some(read(ANSWERED_B)));
    assert_eq!(last.new_texts(), ["Continue from where you left off."]);
    let told = ["control_request hook_callback", "user tool_result", "system init", "assistant text", "result success"];
    assert_eq!(story(host.said()), told);
}

fn a_deferred_question_comes_back_over_can_use_tool_without_hooks(subject: Subject) {
    let given = one_question(subject);
    let session = park(&given);
    let mut host = given.launch().resume(&session).start();
    let request = host.asked("can_use_tool");
    assert_eq!(request["request"]["tool_use_id"], CALL);
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read(ANSWERED_B)));
}

fn a_question_can_be_deferred_twice(subject: Subject) {
    let given = one_question(subject);
    let session = park(&given);
    let mut host = given.launch().resume(&session).arg("--await-initialize").start();
    host.initialize("AskUserQuestion");
    let hook = host.asked("hook_callback");
    host.respond(&hook, hook_says("defer", ""));
    let result = host.result();
    assert_eq!((&result["stop_reason"], &result["deferred_tool_use"]["id"]), (&json!("tool_deferred"), &json!(CALL)));
    assert!(host.close().status.success());
    let mut host = given.launch().resume(&session).start();
    let request = host.asked("can_use_tool");
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read(ANSWERED_B)));
}

fn a_question_comes_back_once(subject: Subject) {
    let given = one_question(subject);
    let session = park(&given);
    let mut host = given.launch().resume(&session).start();
    let request = host.asked("can_use_tool");
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    host.result();
    assert!(host.close().status.success());
    let mut host = given.launch().resume(&session).start();
    host.initialize("AskUserQuestion");
    host.say("next");
    assert_eq!(host.result()["result"], "next done");
    let asked = |frame: &Value| frame["type"] == "control_request";
    assert!(!host.said().iter().any(asked), "an answered question is not asked again");
    assert_eq!(given.model.last().unwrap().tool_result(CALL), Some(read(ANSWERED_B)));
}

fn a_message_after_deferring_destroys_the_question(subject: Subject) {
    let given = one_question(subject);
    let (mut host, hook) = given.hooked();
    host.respond(&hook, hook_says("defer", ""));
    host.result();
    host.say("next");
    host.result();
    let lost = given.model.last().unwrap().tool_result(CALL).unwrap();
    assert_eq!(lost.text, "[Tool result missing due to internal error]");
}

fn a_killed_question_is_lost_unless_the_transcript_says_deferred(subject: Subject) {
    let given = one_question(subject);
    let (host, request) = given.hooked();
    let input = request["request"]["input"].clone();
    let session = input["session_id"].as_str().unwrap();
    let path = given.scratch.until_written(session, CALL);
    host.kill();
    let text = std::fs::read_to_string(&path).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = records.iter().rfind(|record| record["type"] == "assistant").unwrap();
    let mut record = last.clone();
    record["type"] = json!("attachment");
    record["parentUuid"] = last["uuid"].clone();
    record["uuid"] = json!("11111111-2222-4333-8444-555555555555");
    record.as_object_mut().unwrap().remove("message");
    record["attachment"] = json!({
        "type": "hook_deferred_tool", "toolUseID": CALL, "toolName": "AskUserQuestion",
        "toolInput": input["tool_input"], "hookName": "settings", "hookEvent": "PreToolUse",
        "permissionMode": "default",
    });
    std::fs::write(&path, format!("{}\n{record}\n", text.trim_end())).unwrap();
    let mut host = given.launch().resume(session).start();
    let request = host.asked("can_use_tool");
    assert_eq!(request["request"]["tool_use_id"], CALL);
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read(ANSWERED_B)));
}
