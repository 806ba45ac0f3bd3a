//! Another program in place of our server: whatever it responds, a hook prints nothing.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::{Command, Output, Stdio};
use std::thread;

use askbridge_scripted::model::Script;
use serde_json::{Value, json};

use super::workstation::{Setting, Workstation, binary, question};
use crate::house::House;

const ALLOW: &str = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

fn event() -> Value {
    json!({"hook_event_name": "PermissionRequest", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}})
}

/// Calls the hook as an agent does.
fn hook(house: &House, event: &str, more: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.arg("hook").args(args).env_clear().env("HOME", house.scratch.home()).env("ASKBRIDGE_DATA", house.data());
    command.envs(more.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    running.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    running.wait_with_output().unwrap()
}

#[track_caller]
fn says_nothing(told: &Output) {
    let shown = (told.status.code(), String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    assert_eq!(shown, (Some(0), "".into(), "".into()));
}

#[test]
fn a_stranger_on_our_socket_changes_nothing() {
    let mut house = House::open(Script::new());
    house.kill();
    let socket = house.data().join("run/askbridge.sock");
    // A cut response is retried only where a dialog is on screen meanwhile, which is not the case before a call.
    let before = json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {}});
    let answers = [
        String::new(),
        "hello\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{ALLOW}", ALLOW.len()),
        format!("HTTP/1.1 500 Oh\r\naskbridge-hook: 1\r\ncontent-length: {}\r\n\r\n{ALLOW}", ALLOW.len()),
        // Ours, but cut off in the middle.
        format!("HTTP/1.1 200 OK\r\naskbridge-hook: 1\r\ncontent-length: 1000\r\n\r\n{ALLOW}"),
        "HTTP/1.1 200 OK\r\naskbridge-hook: 1\r\ncontent-length: 4\r\n\r\nallo".to_owned(),
    ];
    for answer in answers {
        let event = if answer.contains("1000") { &before } else { &event() };
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let stranger = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            let _ = stream.read(&mut bytes);
            stream.write_all(answer.as_bytes()).unwrap();
        });
        says_nothing(&hook(&house, &event.to_string(), &[], &[]));
        stranger.join().unwrap();
    }
    // One that accepts and never responds, and one that does not even accept.
    let _ = fs::remove_file(&socket);
    let _silent = UnixListener::bind(&socket).unwrap();
    says_nothing(&hook(&house, &event().to_string(), &[], &[]));
    fs::remove_file(&socket).unwrap();
    says_nothing(&hook(&house, &event().to_string(), &[], &[]));
}

#[test]
fn what_makes_no_sense_is_no_opinion_and_never_an_error() {
    let house = House::open(Script::new());
    for event in ["", "{", "null", "[]", "{}", r#"{"hook_event_name":"PermissionRequest"}"#, "\u{0}"] {
        says_nothing(&hook(&house, event, &[], &[]));
    }
    says_nothing(&hook(&house, &event().to_string(), &[], &["--a-flag-of-tomorrow"]));
    says_nothing(&hook(&house, &event().to_string(), &[("ASKBRIDGE_LISTEN", "nonsense")], &[]));
    says_nothing(&hook(&house, &event().to_string(), &[("ASKBRIDGE_HOSTED", "1")], &[]));
    assert_eq!(house.get("/v1/asks?state=all")["items"], json!([]));
}

#[test]
fn a_stranger_on_our_port_changes_nothing() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.until_shown("❯");
    workstation.house.kill();
    // The program that listens there allows everything.
    let port = TcpListener::bind(&workstation.house.address).unwrap();
    thread::spawn(move || {
        for stream in port.incoming() {
            let answer =
                format!("HTTP/1.1 200 OK\r\naskbridge-hook: 1\r\ncontent-length: {}\r\n\r\n{ALLOW}", ALLOW.len());
            let _ = stream.and_then(|mut stream| stream.write_all(answer.as_bytes()));
        }
    });
    workstation.prompt();
    let result = workstation.answers_in_the_terminal();
    assert!(result.text.contains(r#""Which?"="Aaa""#), "{result:?}");
}
