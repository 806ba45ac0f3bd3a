use super::super::{Heard, heard, subscribe};
use super::*;
use crate::wire::Method;

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
