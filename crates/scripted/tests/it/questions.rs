//! What the model reads when a question is answered or refused.

use askbridge_scripted::claude::{Subject, tool_results};
use askbridge_scripted::model::{Script, ask, ask_with, on_any_result, on_user, text};
use serde_json::{Value, json};

use crate::given::{
    ANSWERED_B, CALL, REJECTED, allow, given, hook_allow, hook_says, one_question, read, read_error, with,
};

on_both!(
    an_answer_over_can_use_tool_is_read,
    an_answer_over_the_hook_is_read,
    a_hook_without_opinion_leads_to_can_use_tool,
    a_hook_that_allows_without_answers_leads_to_can_use_tool,
    free_text_is_read_as_such,
    labels_of_several_choices_are_joined,
    a_note_stands_beside_its_answer,
    a_response_hides_the_answers,
    no_answer_is_read_as_none,
    an_input_without_questions_is_read_as_an_error,
    a_denial_is_read_in_exactly_our_words,
    a_denial_by_the_hook_is_read_as_an_error_of_the_hook,
    an_error_reply_is_read_as_one,
    two_questions_are_asked_at_once_and_answered_in_any_order,
    a_skipped_question_is_not_mentioned,
);

fn an_answer_over_can_use_tool_is_read(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.asked();
    let input = &request["request"]["input"];
    let option = |label: &str| json!({"label": label, "description": format!("Option {label}")});
    let question = json!({
        "question": "Which?", "header": "Header", "multiSelect": false, "options": [option("A"), option("B")],
    });
    let wanted = json!({
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "display_name": "AskUserQuestion",
        "input": {"questions": [question]}, "tool_use_id": CALL, "requires_user_interaction": true,
    });
    assert_eq!(request["request"], wanted);
    host.respond(&request, allow(input, json!({"Which?": "B"})));
    let result = host.result();
    let end = (&result["subtype"], &result["result"], &result["stop_reason"], &result["terminal_reason"]);
    assert_eq!(end, (&json!("success"), &json!("done"), &json!("end_turn"), &json!("completed")));
    assert_eq!(result["permission_denials"], json!([]));
    assert_eq!(tool_results(host.said()), [(CALL.to_owned(), ANSWERED_B.to_owned())]);
    assert_eq!(given.model.tool_result(CALL), Some(read(ANSWERED_B)));
    assert!(given.model.tool_names().contains(&"AskUserQuestion".to_owned()));
    assert!(host.close().status.success());
}

fn an_answer_over_the_hook_is_read(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.hooked();
    let hook = &request["request"];
    assert_eq!((&hook["callback_id"], &hook["tool_use_id"]), (&json!("hook_0"), &json!(CALL)));
    let input = &hook["input"];
    let told = (&input["hook_event_name"], &input["tool_name"], &input["tool_use_id"], &input["permission_mode"]);
    assert_eq!(told, (&json!("PreToolUse"), &json!("AskUserQuestion"), &json!(CALL), &json!("default")));
    let answer = hook_allow(&input["tool_input"], json!({"Which?": "B"}));
    host.respond(&request, answer);
    assert_eq!(host.result()["result"], "done");
    let asked = host.said().iter().any(|frame| frame["request"]["subtype"] == "can_use_tool");
    assert!(!asked, "the hook has answered, so can_use_tool is not sent");
    assert_eq!(given.model.tool_result(CALL), Some(read(ANSWERED_B)));
}

fn a_hook_without_opinion_leads_to_can_use_tool(subject: Subject) {
    let given = one_question(subject);
    let (mut host, hook) = given.hooked();
    host.respond(&hook, json!({}));
    let request = host.asked("can_use_tool");
    assert_eq!(request["request"]["tool_use_id"], CALL);
    host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "B"})));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read(ANSWERED_B)));
}

fn a_hook_that_allows_without_answers_leads_to_can_use_tool(subject: Subject) {
    let given = one_question(subject);
    let (mut host, hook) = given.hooked();
    host.respond(&hook, hook_says("allow", ""));
    let request = host.asked("can_use_tool");
    host.respond(&request, json!({"behavior": "deny", "message": "no"}));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read_error("no")));
}

fn free_text_is_read_as_such(subject: Subject) {
    let wanted = "The user answered: \"Which?\"=\"Neither, \"wait\"\nplease 🙏\". Read the answers carefully — they may \
        request clarification, changes, or that you not proceed — and follow what they actually say.";
    let answer = "Neither, \"wait\"\nplease 🙏";
    let heard = one_question(subject).reads(|input| allow(input, json!({"Which?": answer})));
    assert_eq!(heard, read(wanted));
}

fn labels_of_several_choices_are_joined(subject: Subject) {
    let option = |label: &str| json!({"label": label, "description": label});
    let options = json!([option("A"), option("B"), option("C")]);
    let input = json!({"questions": [{"question": "Which?", "header": "H", "multiSelect": true, "options": options}]});
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [ask_with(CALL, input)]);
    let heard = given(subject, script).reads(|input| allow(input, json!({"Which?": "A, C"})));
    let wanted =
        r#"Your questions have been answered: "Which?"="A, C". You can now continue with these answers in mind."#;
    assert_eq!(heard, read(wanted));
}

fn a_note_stands_beside_its_answer(subject: Subject) {
    let heard = one_question(subject).reads(|input| {
        let noted = with(input, "annotations", json!({"Which?": {"notes": "be careful"}}));
        allow(&noted, json!({"Which?": "B"}))
    });
    let wanted = "The user answered: \"Which?\"=\"B\" notes: be careful. Read the answers carefully — they may request \
        clarification, changes, or that you not proceed — and follow what they actually say.";
    assert_eq!(heard, read(wanted));
}

fn a_response_hides_the_answers(subject: Subject) {
    let heard = one_question(subject).reads(|input| {
        let said = with(input, "response", json!("let us talk"));
        allow(&said, json!({"Which?": "B"}))
    });
    assert_eq!(heard, read("The user responded: let us talk"));
}

fn no_answer_is_read_as_none(subject: Subject) {
    let none = read("The user did not answer the questions.");
    assert_eq!(one_question(subject).reads(|input| allow(input, json!({}))), none);
    assert_eq!(one_question(subject).reads(|input| allow(input, json!({"Other?": "B"}))), none);
    assert_eq!(one_question(subject).reads(|_| json!({"behavior": "allow"})), none);
}

fn an_input_without_questions_is_read_as_an_error(subject: Subject) {
    let heard =
        one_question(subject).reads(|_| json!({"behavior": "allow", "updatedInput": {"answers": {"Which?": "B"}}}));
    let begin = "<tool_use_error>The permission handler returned updatedInput for AskUserQuestion that failed schema \
        validation: AskUserQuestion failed due to the following issue:\nThe required parameter `questions` is missing\n";
    assert!(heard.is_error && heard.text.starts_with(begin), "{heard:?}");
}

fn a_denial_is_read_in_exactly_our_words(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.asked();
    host.respond(&request, json!({"behavior": "deny", "message": "Nobody answered within 10 minutes."}));
    let result = host.result();
    let denied = &result["permission_denials"][0];
    assert_eq!((&denied["tool_name"], &denied["tool_use_id"]), (&json!("AskUserQuestion"), &json!(CALL)));
    assert_eq!((&result["subtype"], &result["result"]), (&json!("success"), &json!("done")));
    assert_eq!(given.model.tool_result(CALL), Some(read_error("Nobody answered within 10 minutes.")));
}

fn a_denial_by_the_hook_is_read_as_an_error_of_the_hook(subject: Subject) {
    let given = one_question(subject);
    let (mut host, hook) = given.hooked();
    host.respond(&hook, hook_says("deny", "not now"));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read_error("PreToolUse:AskUserQuestion hook error: not now")));
}

fn an_error_reply_is_read_as_one(subject: Subject) {
    let given = one_question(subject);
    let (mut host, request) = given.asked();
    let response = json!({"subtype": "error", "request_id": request["request_id"], "error": "host exploded"});
    host.send(&json!({"type": "control_response", "response": response}));
    assert_eq!(host.result()["result"], "done");
    assert_eq!(given.model.tool_result(CALL), Some(read_error("Tool permission request failed: Error: host exploded")));
    assert_ne!(given.model.tool_result(CALL).unwrap().text, REJECTED);
}

fn two_questions_are_asked_at_once_and_answered_in_any_order(subject: Subject) {
    let pieces = [ask("toolu_a", "First?", ["A", "B"]), ask("toolu_b", "Second?", ["C", "D"])];
    let given = given(subject, Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), pieces));
    let (mut host, first) = given.asked();
    let second = host.asked("can_use_tool");
    let answer = |request: &Value, answers: Value| allow(&request["request"]["input"], answers);
    host.respond(&second, answer(&second, json!({"Second?": "D"})));
    host.respond(&first, answer(&first, json!({"First?": "A"})));
    assert_eq!(host.result()["result"], "done");
    let text = |id: &str| given.model.tool_result(id).unwrap().text;
    assert!(text("toolu_a").contains(r#""First?"="A""#) && text("toolu_b").contains(r#""Second?"="D""#));
}

fn a_skipped_question_is_not_mentioned(subject: Subject) {
    let option = |label: &str| json!({"label": label, "description": label});
    let question = |text: &str| json!({"question": text, "header": "H", "multiSelect": false, "options": [option("A"), option("B")]});
    let input = json!({"questions": [question("Which?"), question("Skipped?")]});
    let script = Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [ask_with(CALL, input)]);
    let heard = given(subject, script).reads(|input| allow(input, json!({"Which?": "B"})));
    assert_eq!(heard, read(ANSWERED_B));
}
