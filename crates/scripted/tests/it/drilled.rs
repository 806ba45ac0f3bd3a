//! The double's benchmark mode for whole turns: a host is told what the real one tells it.

use askbridge_scripted::claude::{Subject, tool_results};
use askbridge_scripted::model::{Script, ask_with, on_any_result, on_user, text};
use serde_json::{Value, json};

use crate::given::{CALL, allow, given, hook_allow, story};

on_both!(
    a_drilled_turn_is_told_as_the_real_one_tells_it,
    a_drilled_turn_without_a_hook_asks_for_permission,
    a_hook_without_opinion_in_a_drilled_turn_leads_to_can_use_tool,
);

const QUESTION: &str = "Which database should the new service use?";
const FIRST: &str = "Before I go on, I have one question.";
const LAST: &str = "That is all I needed to know. You have chosen: SQLite";

fn input() -> Value {
    let option = |label: &str, description: &str| json!({"label": label, "description": description});
    let options = json!([option("PostgreSQL", "Relational, needs a server"), option("SQLite", "Embedded, one file")]);
    json!({"questions": [{"question": QUESTION, "header": "Database", "options": options, "multiSelect": false}]})
}

/// Plays two turns and answers with `respond`. Returns what the host was told.
fn told(subject: Subject, matcher: &str, subtypes: &[&str], respond: impl Fn(&Value) -> Value) -> Vec<Value> {
    let script =
        Script::new().turn(on_any_result(), [text(LAST)]).turn(on_user("go"), [text(FIRST), ask_with(CALL, input())]);
    let given = given(subject, script);
    let launch = given.launch().arg("--include-partial-messages");
    let mut host = match subject {
        Subject::Real => launch,
        Subject::Fake => launch.env("FAKE_CLAUDE_DRILL", "turns"),
    }
    .start();
    host.initialize(matcher);
    let uuid = "7d3c4c1a-5f53-4f6e-9d53-3b8f0c1d2e4f";
    let message = json!({"role": "user", "content": "go"});
    host.send(&json!({"type": "user", "message": message, "parent_tool_use_id": null, "session_id": "", "uuid": uuid}));
    for subtype in subtypes {
        let request = host.asked(subtype);
        host.respond(&request, respond(&request["request"]));
    }
    host.until("the end of the message", |frame| frame["type"] == "command_lifecycle" && frame["state"] == "completed");
    let said = host.said().to_vec();
    assert!(host.close().status.success());
    said
}

/// The request comes while the message still streams, at no fixed place.
fn order(said: &[Value]) -> Vec<String> {
    let mut order = story(said);
    order.retain(|part| !part.starts_with("control_request"));
    order
}

fn a_drilled_turn_is_told_as_the_real_one_tells_it(subject: Subject) {
    let answer = |request: &Value| hook_allow(&request["input"]["tool_input"], json!({QUESTION: "SQLite"}));
    let said = told(subject, "AskUserQuestion", &["hook_callback"], answer);
    let (start, delta) = ("stream_event content_block_start", "stream_event content_block_delta");
    let stop = "stream_event content_block_stop";
    let ends = ["stream_event message_delta", "stream_event message_stop"];
    let text = [start, delta, delta, "assistant text", stop];
    let mut wanted = vec!["system init", "stream_event message_start"];
    wanted.extend(text.into_iter().chain([start, delta, "assistant tool_use", stop]).chain(ends));
    wanted.extend(["user tool_result", "stream_event message_start"].into_iter().chain(text).chain(ends));
    wanted.push("result success");
    assert_eq!(order(&said), wanted);

    let request = said.iter().find(|frame| frame["type"] == "control_request").unwrap();
    let hook = &request["request"]["input"];
    assert_eq!((&hook["tool_name"], &hook["tool_input"]), (&json!("AskUserQuestion"), &input()));
    let fields = (&hook["hook_event_name"], &hook["permission_mode"], &request["request"]["callback_id"]);
    assert_eq!(fields, (&json!("PreToolUse"), &json!("default"), &json!("hook_0")));

    let blocks = said.iter().filter(|frame| frame["type"] == "assistant");
    let blocks: Vec<_> = blocks.map(|frame| frame["message"]["content"][0].clone()).collect();
    let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    assert_eq!(texts, [FIRST, LAST]);
    let call = blocks.iter().find(|block| block["type"] == "tool_use").unwrap();
    assert_eq!((&call["input"], &call["id"]), (&input(), &request["request"]["tool_use_id"]));
    let deltas = said.iter().map(|frame| &frame["event"]["delta"]);
    let streamed: String = deltas.clone().filter_map(|delta| delta["text"].as_str()).collect();
    assert_eq!(streamed, format!("{FIRST}{LAST}"));
    let partial: String = deltas.filter_map(|delta| delta["partial_json"].as_str()).collect();
    assert_eq!(serde_json::from_str::<Value>(&partial).unwrap(), input());

    let result = format!(
        r#"Your questions have been answered: "{QUESTION}"="SQLite". You can now continue with these answers in mind."#
    );
    assert_eq!(tool_results(&said), [(call["id"].as_str().unwrap().to_owned(), result)]);
    let end = said.iter().find(|frame| frame["type"] == "result").unwrap();
    let fields = (&end["result"], &end["stop_reason"], &end["terminal_reason"], &end["num_turns"]);
    assert_eq!(fields, (&json!(LAST), &json!("end_turn"), &json!("completed"), &json!(2)));
    let states = said.iter().filter(|frame| frame["type"] == "command_lifecycle").map(|frame| frame["state"].as_str());
    let states: Vec<_> = states.flatten().filter(|state| *state != "queued").collect();
    assert_eq!(states, ["started", "completed"]);
}

fn a_drilled_turn_without_a_hook_asks_for_permission(subject: Subject) {
    let answer = |request: &Value| allow(&request["input"], json!({QUESTION: "SQLite"}));
    let said = told(subject, "", &["can_use_tool"], answer);
    let request = &said.iter().find(|frame| frame["type"] == "control_request").unwrap()["request"];
    let mut wanted = json!({
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "display_name": "AskUserQuestion",
        "input": input(), "requires_user_interaction": true,
    });
    wanted["tool_use_id"] = request["tool_use_id"].clone();
    assert_eq!(*request, wanted);
    let end = said.iter().find(|frame| frame["type"] == "result").unwrap();
    assert_eq!(end["result"], LAST);
}

fn a_hook_without_opinion_in_a_drilled_turn_leads_to_can_use_tool(subject: Subject) {
    let answer = |request: &Value| match request["subtype"] == "hook_callback" {
        true => json!({}),
        false => allow(&request["input"], json!({QUESTION: "SQLite"})),
    };
    let said = told(subject, "AskUserQuestion", &["hook_callback", "can_use_tool"], answer);
    let end = said.iter().find(|frame| frame["type"] == "result").unwrap();
    assert_eq!(end["result"], LAST);
}
