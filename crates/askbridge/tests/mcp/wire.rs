//! `/mcp` as raw requests: access, refusals, and tasks.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::agent::{answer, house, open, token, until_delivered, which_database};
use crate::house::House;

const META: &str = "io.modelcontextprotocol";

/// A response: the status, the head, and the body if it is JSON.
struct Answer {
    status: u16,
    head: String,
    body: Value,
}

fn send(house: &House, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = TcpStream::connect(&house.address).unwrap();
    let mut head = format!("{method} /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head[9..12].parse().unwrap();
    Answer { status, head: head.to_owned(), body: serde_json::from_str(body).unwrap_or(Value::Null) }
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"x"}}}"#;

#[test]
fn strangers_and_pages_of_others_are_turned_away() {
    let house = house(&[]);
    assert_eq!(send(&house, "POST", &[], HELLO).status, 401);
    assert_eq!(send(&house, "POST", &[("authorization", "Bearer ab_wrong")], HELLO).status, 401);
    let bearer = format!("Bearer {}", token(&house));
    let evil = [("authorization", bearer.as_str()), ("origin", "https://evil.example")];
    assert_eq!(send(&house, "POST", &evil, HELLO).status, 403);
    let ours = [("authorization", bearer.as_str())];
    assert_eq!(send(&house, "POST", &ours, HELLO).status, 200);
    assert_eq!(send(&house, "PUT", &ours, HELLO).status, 405);
    // A person's token may decide, and therefore not ask.
    let person = format!("Bearer {}", house.ada);
    assert_eq!(send(&house, "POST", &[("authorization", &person)], HELLO).status, 200);
    assert_eq!(house.get("/v1/sessions")["items"], json!([]), "greeting makes no session");
}

#[test]
fn a_session_is_named_and_ended_by_the_client() {
    let house = house(&[]);
    let bearer = format!("Bearer {}", token(&house));
    let hello = send(&house, "POST", &[("authorization", &bearer)], HELLO);
    let name = hello.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let named = [("authorization", bearer.as_str()), ("mcp-session-id", name)];
    let note = json!({"name": "notify_user", "arguments": {"message": "hi"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": note}).to_string();
    assert_eq!(send(&house, "POST", &named, &call).body["result"]["isError"], false);
    let session = name.split_once('.').unwrap().0;
    assert_eq!(house.talk(session).show()["state"], "active");
    assert_eq!(send(&house, "DELETE", &named, "").status, 204);
    assert_eq!(house.talk(session).show()["state"], "closed");
    // The session was closed, and a further call continues in a new one.
    assert_eq!(send(&house, "POST", &named, &call).body["result"]["isError"], false);
    assert_eq!(house.get("/v1/sessions")["items"].as_array().unwrap().len(), 2);
    let ours = [("authorization", bearer.as_str()), ("mcp-session-id", "ses_made-up")];
    let lost = send(&house, "POST", &ours, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!((lost.status, &lost.body["error"]["code"]), (404, &json!(-32600)));
    assert_eq!(send(&house, "DELETE", &ours, "").status, 404);
    assert_eq!(send(&house, "GET", &ours[..1], "").status, 405);
}

/// A request of 2026-07-28 that declares tasks.
fn modern(house: &House, bearer: &str, method: &str, name: &str, mut params: Value) -> Answer {
    params["_meta"] = json!({
        format!("{META}/protocolVersion"): "2026-07-28",
        format!("{META}/clientCapabilities"): {"extensions": {format!("{META}/tasks"): {}}},
        format!("{META}/clientInfo"): {"name": "tasks", "version": "1"},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let headers = [
        ("authorization", bearer),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
        ("mcp-name", name),
    ];
    send(house, "POST", &headers, &body)
}

#[test]
fn a_client_with_tasks_polls_for_the_answer_and_no_call_is_held() {
    let house = house(&[]);
    let bearer = format!("Bearer {}", token(&house));
    let call = || {
        let params = json!({"name": "ask_user_question", "arguments": which_database()});
        modern(&house, &bearer, "tools/call", "ask_user_question", params).body["result"].clone()
    };
    let task = call();
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    let id = task["taskId"].as_str().unwrap().to_owned();
    assert_eq!(call()["taskId"], json!(id), "the same question is the same task");
    let get = || modern(&house, &bearer, "tasks/get", &id, json!({"taskId": id})).body["result"].clone();
    assert_eq!(get()["status"], "working");
    let ask = open(&house, 1).remove(0);
    assert_eq!(ask["id"], json!(id));
    answer(&house, &ask, "SQLite");
    let done = get();
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["content"][0]["text"], "The person answered: SQLite");
    until_delivered(&house, &ask);
    assert_eq!(get()["status"], "completed", "and again");
    // Another question, which is cancelled.
    let params = json!({"name": "ask_user_question", "arguments": {"questions": "Really?"}});
    let other = modern(&house, &bearer, "tools/call", "ask_user_question", params).body["result"]["taskId"].clone();
    let other = other.as_str().unwrap();
    let cancelled = modern(&house, &bearer, "tasks/cancel", other, json!({"taskId": other}));
    assert_eq!((cancelled.status, &cancelled.body["result"]), (200, &json!({"resultType": "complete"})));
    assert_eq!(
        modern(&house, &bearer, "tasks/get", other, json!({"taskId": other})).body["result"]["status"],
        "cancelled"
    );
    open(&house, 0);
}
