//! The official SDK as the host: the model reads the same as with a raw host.

use askbridge_scripted::claude::{Subject, Via, hosted_by_sdk};
use askbridge_scripted::model::ModelRequest;
use serde_json::{Value, json};

use crate::given::{CALL, Given, allow, hook_allow, one_question, with};

/// Returns every request, as far as hosts can influence it.
fn conversations(heard: &[ModelRequest]) -> Vec<Vec<Value>> {
    heard.iter().map(ModelRequest::conversation).collect()
}

fn by_sdk(via: Via, reply: Value) -> Vec<Vec<Value>> {
    let given = one_question(Subject::Real);
    let heard = hosted_by_sdk(&given.scratch, &given.model, via, &["hi", "next"], &json!({CALL: reply}));
    assert_eq!(given.model.unscripted(), Vec::<String>::new());
    conversations(&heard)
}

/// The same with a raw host: answers the question, then sends the second prompt.
fn by_hand(answer: impl Fn(&Given) -> askbridge_scripted::claude::Host) -> Vec<Vec<Value>> {
    let given = one_question(Subject::Real);
    let mut host = answer(&given);
    host.result();
    host.say("next");
    assert_eq!(host.result()["result"], "next done");
    host.close();
    conversations(&given.model.heard())
}

#[test]
fn real_answers_over_can_use_tool_read_alike() {
    let answers = json!({"Which?": "B"});
    let raw = by_hand(|given| {
        let (mut host, request) = given.asked();
        host.respond(&request, allow(&request["request"]["input"], answers.clone()));
        host
    });
    assert_eq!(raw.len(), 3);
    assert_eq!(by_sdk(Via::CanUseTool, json!({"allow": {"answers": answers}})), raw);
}

#[test]
fn real_answers_over_the_hook_read_alike() {
    let (answers, notes) = (json!({"Which?": "something else"}), json!({"Which?": {"notes": "be careful"}}));
    let raw = by_hand(|given| {
        let (mut host, hook) = given.hooked();
        let input = with(&hook["request"]["input"]["tool_input"], "annotations", notes.clone());
        host.respond(&hook, hook_allow(&input, answers.clone()));
        host
    });
    assert_eq!(by_sdk(Via::Hook, json!({"allow": {"answers": answers, "annotations": notes}})), raw);
}

#[test]
fn real_denials_read_alike() {
    let words = "Nobody answered within 10 minutes.";
    let raw = by_hand(|given| {
        let (mut host, hook) = given.hooked();
        host.respond(&hook, json!({}));
        let request = host.asked("can_use_tool");
        host.respond(&request, json!({"behavior": "deny", "message": words}));
        host
    });
    assert_eq!(by_sdk(Via::Hook, json!({"deny": words})), raw);
    assert!(raw[1].iter().any(|message| message.to_string().contains(words)));
}
