use serde_json::json;

use super::super::{allow_buttons, check, check_buttons, check_replies, checked, is_public, problem};
use super::*;
use crate::wire::Method;

#[test]
fn the_right_to_publish_is_checked_with_a_message_that_no_server_publishes() {
    let request = check(&ntfy());
    let message = json!({
        "topic": "ann-phone", "message": "askbridge checks its settings", "priority": 1, "delay": "1s", "cache": "no",
    });
    assert_eq!(
        (request.method, request.url.as_str(), json(&request)),
        (Method::Post, "https://ntfy.example.org/", message)
    );
    assert_eq!(request.headers[0], ("authorization", "Bearer tk_secret".to_owned()));
    let refused = r#"{"code":40002,"http":400,"error":"cannot disable cache for delayed message"}"#;
    assert_eq!(checked(&response(400, refused)), Ok(()), "it came as far as the message itself");
    assert_eq!(
        checked(&response(400, r#"{"code":40005,"http":400,"error":"invalid delay parameter: too small"}"#)),
        Ok(())
    );
}

#[test]
fn the_right_to_hear_replies_is_asked_for() {
    let request = check_replies(&ntfy());
    assert_eq!(request.method, Method::Get);
    assert_eq!(request.url, "https://ntfy.example.org/randomReplies/auth");
    assert_eq!(request.headers, [("authorization", "Bearer tk_secret".to_owned())]);
    assert_eq!(checked(&response(200, r#"{"success":true}"#)), Ok(()));
}

#[test]
fn the_right_of_phones_to_reply_is_checked_without_an_account() {
    let request = check_buttons(&ntfy());
    assert_eq!(json(&request)["topic"], "randomReplies");
    assert_eq!(request.headers, [("content-type", "application/json".to_owned())]);
    assert_eq!(allow_buttons(&ntfy()), "ntfy access everyone randomReplies write-only");
}

#[test]
fn a_check_that_fails_gives_the_servers_reason() {
    let failed = |status, body: &str| checked(&response(status, body)).unwrap_err();
    assert_eq!(failed(401, r#"{"code":40101,"http":401,"error":"unauthorized"}"#), "unauthorized (HTTP 401)");
    assert_eq!(failed(403, r#"{"code":40301,"http":403,"error":"forbidden"}"#), "forbidden (HTTP 403)");
    assert_eq!(
        failed(400, r#"{"code":40010,"http":400,"error":"invalid request: topic name is not allowed"}"#),
        "invalid request: topic name is not allowed (HTTP 400)"
    );
    assert_eq!(
        failed(429, r#"{"code":42909,"http":429,"error":"limit reached: too many auth failures"}"#),
        "limit reached: too many auth failures (HTTP 429)"
    );
    assert_eq!(failed(200, "<html>"), "the response is not one of an ntfy server");
    assert_eq!(failed(200, r#"{"success":false}"#), "the response is not one of an ntfy server");
    assert_eq!(failed(404, "not here"), "HTTP 404");
}

#[test]
fn settings_that_cannot_work_are_refused_before_anything_is_sent() {
    assert_eq!(problem(&ntfy()), None);
    assert_eq!(problem(&Ntfy { server: "http://192.168.1.5:8080".into(), token: None, ..ntfy() }), None);
    let server = |server: &str| problem(&Ntfy { server: server.into(), ..ntfy() });
    for wrong in [
        "ntfy.example.org",
        "ftp://ntfy.example.org",
        "https://",
        "https://a.example/ntfy",
        "https://a.example/?x",
        "https://ann:pw@a.example",
    ] {
        assert!(server(wrong).is_some(), "{wrong}");
    }
    for topic in ["", "a b", "..", "a/b", "é", &"x".repeat(65)] {
        assert!(problem(&Ntfy { topic: topic.into(), ..ntfy() }).is_some(), "{topic}");
        assert!(problem(&Ntfy { reply_topic: topic.into(), ..ntfy() }).is_some(), "{topic}");
    }
    assert!(problem(&Ntfy { reply_topic: "ann-phone".into(), ..ntfy() }).is_some());
    for token in ["", "a b", "a\r\nb"] {
        assert!(problem(&Ntfy { token: Some(token.into()), ..ntfy() }).is_some(), "{token:?}");
    }
}

#[test]
fn the_shared_server_is_known_however_it_is_written() {
    let public = |server: &str| is_public(&Ntfy { server: server.into(), ..ntfy() });
    for server in ["https://ntfy.sh", "http://NTFY.sh:443/", "https://ntfy.sh./", "https://eu.ntfy.sh", "ntfy.sh", "?"]
    {
        assert!(public(server), "{server}");
    }
    for server in [
        "https://ntfy.example.org",
        "https://notntfy.sh",
        "https://ntfy.sh.example.org",
        "http://10.0.0.7",
        "http://[::1]:80",
    ] {
        assert!(!public(server), "{server}");
    }
}
