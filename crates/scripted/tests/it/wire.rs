//! The lines of the protocol: their order, and how invalid ones are handled.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::{Script, chunked, gate, on_any_result, on_user, overloaded, text, thinking, tool};
use serde_json::json;

use crate::given::{CALL, given, one_question, read_error, story};

on_both!(
    frames_come_in_this_order,
    an_input_may_come_in_parts,
    a_turn_can_be_interrupted_while_it_streams,
    an_overloaded_model_is_asked_again,
    another_tool_is_asked_for_as_well,
    a_line_that_is_not_json_ends_it,
    strange_lines_are_ignored,
    an_unknown_request_is_refused,
    the_host_chooses_the_session,
    a_turn_follows_a_turn,
);

fn frames_come_in_this_order(subject: Subject) {
    let script = Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [thinking("hm"), tool(CALL, "Bash", json!({"command": "npm test", "description": "d"}))]);
    let given = given(subject, script);
    let mut host = given.launch().arg("--include-partial-messages").start();
    host.initialize("");
    host.say("hi");
    let request = host.asked("can_use_tool");
    let block = ["stream_event content_block_start", "stream_event content_block_delta"];
    let mut told = vec!["system init", "stream_event message_start", block[0], block[1], block[1], block[1]];
    told.extend(["assistant thinking", "stream_event content_block_stop", block[0], block[1], "assistant tool_use"]);
    let said: Vec<String> =
        story(host.said()).into_iter().filter(|part| part != "control_request can_use_tool").collect();
    assert_eq!(said[..told.len()], told, "{said:?}");
    host.respond(&request, json!({"behavior": "deny", "message": "no"}));
    host.result();
    let mut all: Vec<String> = story(host.said());
    // The permission request comes while the message still streams, at no fixed place.
    all.retain(|part| part != "control_request can_use_tool");
    // If the result is known at once, the message's last delta may come before or after it.
    let denied = all.iter().position(|part| part == "user tool_result").unwrap();
    let next = denied + all[denied..].iter().position(|part| part == "stream_event message_start").unwrap();
    all[denied..next].rotate_left(1);
    let delta = "stream_event content_block_delta";
    let ends = ["stream_event content_block_stop", "stream_event message_delta", "stream_event message_stop"];
    told.extend(ends);
    told.extend(["user tool_result", "stream_event message_start", "stream_event content_block_start", delta, delta]);
    told.extend(["assistant text"].into_iter().chain(ends).chain(["result success"]));
    assert_eq!(all, told);
}

fn an_input_may_come_in_parts(subject: Subject) {
    let input = json!({"command": "npm test -- 'ünïcode'", "description": "d"});
    let script = Script::new()
        .turn(on_any_result(), [text("done")])
        .turn(on_user("hi"), [chunked(5, tool(CALL, "Bash", input.clone()))]);
    let given = given(subject, script);
    let (mut host, request) = given.asked();
    assert_eq!(request["request"]["input"], input);
    host.respond(&request, json!({"behavior": "deny", "message": "no"}));
    assert_eq!(host.result()["result"], "done");
}

fn a_turn_can_be_interrupted_while_it_streams(subject: Subject) {
    let script = Script::new()
        .turn(on_user("next"), [text("next done")])
        .turn(on_user("hi"), [text("half"), gate("never"), text("other half")]);
    let given = given(subject, script);
    let mut host = given.launch().start();
    host.initialize("");
    host.say("hi");
    host.until("the first half", |frame| frame["type"] == "assistant");
    given.model.reached("never");
    host.request(json!({"subtype": "interrupt"}));
    let result = host.result();
    assert_eq!((&result["subtype"], &result["is_error"]), (&json!("error_during_execution"), &json!(true)));
    host.say("next");
    assert_eq!(host.result()["result"], "next done");
    assert_eq!(given.model.last().unwrap().new_texts(), ["[Request interrupted by user]", "next"]);
}

fn an_overloaded_model_is_asked_again(subject: Subject) {
    let given = given(subject, Script::new().once(on_user("hi"), overloaded()).turn(on_user("hi"), [text("hello")]));
    let mut host = given.launch().start();
    host.say("hi");
    assert_eq!(host.result()["result"], "hello");
    assert_eq!(given.model.heard().len(), 2);
    assert!(host.said().iter().any(|frame| frame["subtype"] == "api_retry"));
}

fn another_tool_is_asked_for_as_well(subject: Subject) {
    let call = tool(CALL, "Bash", json!({"command": "npm test", "description": "Run tests"}));
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [call]);
    let given = given(subject, script);
    let (mut host, request) = given.asked();
    let asked = &request["request"];
    assert_eq!((&asked["tool_name"], &asked["tool_use_id"]), (&json!("Bash"), &json!(CALL)));
    assert_eq!(asked["input"]["command"], "npm test");
    assert_eq!(asked["permission_suggestions"][0]["rules"][0]["ruleContent"], "npm test *");
    assert_eq!(asked.get("requires_user_interaction"), None);
    host.respond(&request, json!({"behavior": "deny", "message": "not that"}));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read_error("not that")));
}

fn a_line_that_is_not_json_ends_it(subject: Subject) {
    let given = one_question(subject);
    let mut host = given.launch().start();
    host.initialize("");
    host.send_line("not json");
    let ended = host.close();
    assert_eq!(ended.status.code(), Some(1));
    let wanted = "Error parsing streaming input line (type=unknown, 8 chars): SyntaxError\n";
    assert_eq!(ended.stderr, wanted);
}

fn strange_lines_are_ignored(subject: Subject) {
    let given = one_question(subject);
    let mut host = given.launch().start();
    host.send_line("");
    host.send(&json!({"type": "strange"}));
    host.send(
        &json!({"type": "control_response", "response": {"subtype": "success", "request_id": "?", "response": {}}}),
    );
    host.say("next");
    assert_eq!(host.result()["result"], "next done");
}

fn an_unknown_request_is_refused(subject: Subject) {
    let given = one_question(subject);
    let mut host = given.launch().start();
    let response = host.request(json!({"subtype": "nonsense"}));
    assert_eq!(response["subtype"], "error");
    assert_eq!(response["error"], "Unsupported control request subtype: nonsense");
    assert_eq!(response["error_code"], "unsupported_request");
}

fn the_host_chooses_the_session(subject: Subject) {
    let given = one_question(subject);
    let session = "0b1f3c1e-6a52-4c7e-9a53-0f3f8a1d2c4b";
    let mut host = given.launch().arg(format!("--session-id={session}")).start();
    let about = host.initialize("");
    assert_eq!(about["pid"], host.pid());
    host.say("next");
    assert_eq!(host.result()["session_id"], session);
    host.close();
    assert!(given.scratch.transcript(session).is_some());
}

fn a_turn_follows_a_turn(subject: Subject) {
    let given = one_question(subject);
    let mut host = given.launch().start();
    for _ in 0..2 {
        host.say("next");
        assert_eq!(host.result()["result"], "next done");
    }
    let begun = story(host.said()).into_iter().filter(|part| part == "system init").count();
    assert_eq!(begun, 2, "every turn begins with init");
    assert_eq!(given.model.last().unwrap().turn(), 1);
}
