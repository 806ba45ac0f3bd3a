use askbridge_core::ids::Timestamp;

use super::super::{Heard, heard, look, subscribe, took};
use super::*;
use crate::wire::{Method, Response};

#[test]
fn the_reply_topic_is_read_from_where_it_was_left() {
    let request = subscribe(&ntfy(), Some("Zk3hvM1pQz0a"));
    assert_eq!(request.method, Method::Get);
    assert_eq!(request.url, "https://ntfy.example.org/randomReplies/json?since=Zk3hvM1pQz0a");
    assert_eq!(request.headers, [("authorization", "Bearer tk_secret".to_owned())]);
}

#[test]
fn a_first_subscription_hears_what_was_tapped_before_it() {
    assert!(subscribe(&ntfy(), None).url.ends_with("/randomReplies/json?since=all"));
}

#[test]
fn a_server_is_asked_whether_it_took_a_message_a_moment_ago() {
    let request = look(&ntfy(), Timestamp(1_795_003_200_000));
    let topic = &ntfy().topic;
    assert_eq!(request.url, format!("https://ntfy.example.org/{topic}/json?poll=1&since=1795003140"));
    let body = b"{\"id\":\"a\",\"event\":\"message\",\"sequence_id\":\"k7q2\",\"message\":\"x\"}\n\n";
    let response = |status, body| Response { status, retry_after: None, body };
    assert_eq!(took(&response(200, body), "k7q2"), Some(true));
    assert_eq!(took(&response(200, body), "other"), Some(false));
    assert_eq!(took(&response(200, b""), "k7q2"), Some(false));
    // We may only publish, or it is no ntfy server.
    assert_eq!(took(&response(403, b"{}"), "k7q2"), None);
    assert_eq!(took(&response(200, b"<html>"), "k7q2"), None);
}

#[test]
fn a_tap_is_a_message_with_a_ticket() {
    let line = r#"{"id":"Zk3hvM1pQz0a","time":1795003200,"expires":1795046400,"event":"message","topic":"randomReplies","message":"ticketYes"}"#;
    let expected = Heard::Message { id: "Zk3hvM1pQz0a".into(), ticket: Ticket("ticketYes".into()) };
    assert_eq!(heard(line), expected);
    assert_eq!(heard(&format!("{line}\r\n")), expected);
}

#[test]
fn the_servers_own_lines_are_no_taps() {
    let line = |event: &str| format!(r#"{{"id":"k","time":1795003200,"event":"{event}","topic":"randomReplies"}}"#);
    assert_eq!(heard(&line("open")), Heard::Open);
    for event in ["keepalive", "message_delete", "message_clear", "poll_request"] {
        assert_eq!(heard(&line(event)), Heard::KeepAlive);
    }
}

#[test]
fn what_others_post_there_is_unreadable() {
    let lines = [
        "",
        "[]",
        "null",
        r#"{"id":"k"}"#,
        r#"{"id":"k","event":"message","message":"hello there"}"#,
        r#"{"id":"k","event":"message","message":"triggered!"}"#,
        r#"{"id":"k","event":"message","message":""}"#,
        r#"{"id":"","event":"message","message":"ticketYes"}"#,
        r#"{"id":"k","event":"message","message":"dDFjazN0","encoding":"base64"}"#,
        r#"{"id":"k","event":"message","message":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#,
        r#"{"id":"k","event":"message","message":["ticketYes"]}"#,
        r#"{"id":"k","event":"new","message":"ticketYes"}"#,
    ];
    for line in lines {
        assert_eq!(heard(line), Heard::Unreadable, "{line}");
    }
}
