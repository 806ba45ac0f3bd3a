//! The scripted model alone, over its own socket.

use std::io::{Read, Write};
use std::net::TcpStream;

use askbridge_scripted::model::{
    Model, Script, all, ask, chunked, gate, in_subagent, not, on_any_result, on_result, on_turn, on_user, overloaded,
    text, thinking, tool,
};
use serde_json::{Value, json};

/// Sends a request as HTTP and returns the whole response.
fn post(model: &Model, path: &str, body: &Value) -> String {
    let address = model.url();
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    let body = body.to_string();
    write!(stream, "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A streamed request with one tool, so that it counts as a conversation.
fn request(messages: Value) -> Value {
    json!({"model": "m", "stream": true, "tools": [{"name": "AskUserQuestion"}], "messages": messages})
}

fn events(answer: &str) -> Vec<Value> {
    answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]})
}

/// Joins the text of a streamed response.
fn streamed(answer: &str) -> String {
    let events = events(answer);
    events.iter().filter_map(|event| event["delta"]["text"].as_str()).collect()
}

#[test]
fn a_message_is_streamed_block_by_block() {
    let pieces = [thinking("hm"), text("hello"), chunked(7, tool("toolu_1", "Bash", json!({"command": "true"})))];
    let model = Model::start(Script::new().turn(on_user("hi"), pieces));
    let events = events(&post(&model, "/v1/messages?beta=true", &request(json!([user("hi")]))));
    let names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[1], names[names.len() - 1]), ("message_start", "ping", "message_stop"));
    let started: Vec<&str> = events.iter().filter_map(|event| event["content_block"]["type"].as_str()).collect();
    assert_eq!(started, ["thinking", "text", "tool_use"]);
    let parts: Vec<&str> = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= 7), "{parts:?}");
    assert_eq!(serde_json::from_str::<Value>(&parts.concat()).unwrap(), json!({"command": "true"}));
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn a_caller_that_does_not_stream_gets_one_message() {
    let model = Model::start(Script::new().turn(on_user("hi"), [text("hello")]));
    let mut wanted = request(json!([user("hi")]));
    wanted["stream"] = json!(false);
    let answer = post(&model, "/v1/messages", &wanted);
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let message: Value = serde_json::from_str(body).unwrap();
    assert_eq!(message["content"], json!([{"type": "text", "text": "hello"}]));
    assert_eq!(message["stop_reason"], "end_turn");
}

#[test]
fn the_script_speaks_by_what_is_new() {
    let script = Script::new()
        .turn(on_result("toolu_1"), [text("by result")])
        .turn(all([on_any_result(), not(on_turn(1))]), [text("some result, later")])
        .turn(in_subagent(), [text("inside")])
        .turn(on_user("hi"), [text("turn {turn}")]);
    let model = Model::start(script);
    let say = |messages: Value| streamed(&post(&model, "/v1/messages", &request(messages)));
    assert_eq!(say(json!([user("hi")])), "turn 0");
    assert_eq!(say(json!([user("hi"), said("a"), user("hi again")])), "turn 1");
    assert_eq!(say(json!([user("hi"), said("a"), result("toolu_1", "x")])), "by result");
    assert_eq!(say(json!([user("hi"), said("a"), user("b"), said("c"), result("toolu_2", "x")])), "some result, later");
    let mut inside = request(json!([user("hi")]));
    inside["system"] = json!([{"type": "text", "text": "header: cc_is_subagent=true;"}]);
    assert_eq!(streamed(&post(&model, "/v1/messages", &inside)), "inside");
    assert_eq!(model.tool_result("toolu_1").unwrap().text, "x");
    assert_eq!(model.unscripted(), Vec::<String>::new());
}

#[test]
fn what_the_cli_says_of_the_machine_is_not_what_the_person_said() {
    let model = Model::start(Script::new().turn(on_user("hi"), [text("hello")]));
    let around = json!([user("<system-reminder>hi</system-reminder>"), {"role": "system", "content": "hi there"}]);
    let answer = post(&model, "/v1/messages", &request(around));
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert_eq!(model.unscripted().len(), 1);
}

#[test]
fn an_error_is_said_once_and_the_retry_is_answered() {
    let script = Script::new().once(on_user("hi"), overloaded()).turn(on_user("hi"), [text("hello")]);
    let model = Model::start(script);
    let first = post(&model, "/v1/messages", &request(json!([user("hi")])));
    assert!(first.starts_with("HTTP/1.1 529") && first.contains("overloaded_error"), "{first}");
    assert_eq!(streamed(&post(&model, "/v1/messages", &request(json!([user("hi")])))), "hello");
}

#[test]
fn a_stream_waits_at_its_gate() {
    let model = Model::start(Script::new().turn(on_user("hi"), [text("before"), gate("g"), text(" after")]));
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| post(&model, "/v1/messages", &request(json!([user("hi")]))));
        model.reached("g");
        assert!(!answer.is_finished());
        model.open("g");
        assert_eq!(streamed(&answer.join().unwrap()), "before after");
    });
}

#[test]
fn small_talk_is_answered_without_a_script() {
    let model = Model::start(Script::new());
    let hi = json!({"model": "m", "max_tokens": 1, "messages": [user("Hi")]});
    assert!(post(&model, "/v1/messages", &hi).starts_with("HTTP/1.1 200"));
    assert!(post(&model, "/v1/messages/count_tokens?beta=true", &hi).contains("input_tokens"));
    assert!(post(&model, "/v1/elsewhere", &hi).starts_with("HTTP/1.1 404"));
    assert_eq!(model.strays(), ["/v1/elsewhere"]);
}

#[test]
fn a_script_is_text_and_back() {
    let script = Script::new()
        .once(on_user("hi"), [ask("toolu_{turn}", "Which?", ["A", "B"]), gate("g")])
        .turn(all([in_subagent(), not(on_any_result())]), overloaded());
    assert_eq!(Script::from_json(&script.to_json()).unwrap(), script);
}
