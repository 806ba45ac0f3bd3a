use proptest::prelude::*;

use super::*;
use crate::samples::{notice, notices, ticket};

/// The bytes 0 to 31.
const SECRET: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const NOW: Timestamp = Timestamp(1_700_000_000_999);

fn webhook(secret: Option<&str>) -> Webhook {
    Webhook { url: "https://hooks.example.org/askbridge".into(), secret: secret.map(str::to_owned) }
}

fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
}

fn response(status: u16, body: &[u8]) -> Response<'_> {
    Response { status, retry_after: None, body }
}

#[test]
fn a_post_is_signed_as_python_signs_it() {
    // python3: base64.b64encode(hmac.new(bytes(range(32)), b'post_1.1700000000.{"type":"test"}', 'sha256').digest())
    let request = send(&webhook(Some(SECRET)), "post_1", NOW, &json!({"type": "test"}));
    let expected = Request {
        method: Method::Post,
        url: "https://hooks.example.org/askbridge".into(),
        headers: vec![
            ("content-type", "application/json".into()),
            ("webhook-id", "post_1".into()),
            ("webhook-signature", "v1,kX1HooF5/baSP6E+XE9ERII0StgwCmTsWp4AOlZO9AI=".into()),
            ("webhook-timestamp", "1700000000".into()),
        ],
        body: br#"{"type":"test"}"#.to_vec(),
    };
    assert_eq!(request, expected);
}

#[test]
fn the_example_of_the_libraries_of_standard_webhooks_is_verified() {
    let secret = secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let (id, at, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", br#"{"test": 2432232314}"#);
    let now = Timestamp(1_614_265_330_000);
    let header = "v1,AAAA v2,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    verify(&secret, id, at, header, body, now).unwrap();
    verify(&secret, id, at, header, body, now.plus(TOLERANCE)).unwrap();
    for late in [now.plus(TOLERANCE).plus(Duration::from_millis(1)), now.minus(TOLERANCE * 2)] {
        assert!(verify(&secret, id, at, header, body, late).unwrap_err().contains("older"));
    }
    let changed = [
        verify(&secret, "msg_2", at, header, body, now),
        verify(&secret, id, "1614265331", header, body, now),
        verify(&secret, id, at, header, b"{}", now),
        verify(SECRET, id, at, header, body, now),
        verify(&secret, id, at, "v1,", body, now),
        verify(&secret, id, at, "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", body, now),
    ];
    for refused in changed {
        assert_eq!(refused.unwrap_err(), "no signature fits the body and the secret");
    }
}

#[test]
fn a_channel_without_a_secret_sends_no_signature() {
    let request = send(&webhook(None), "post_1", NOW, &json!({}));
    assert_eq!(header(&request, "webhook-signature"), None);
    assert_eq!(header(&request, "webhook-timestamp"), Some("1700000000"));
}

#[test]
fn a_secret_is_read_as_receivers_show_it() {
    let url_safe = SECRET.trim_end_matches('=').replace('+', "-").replace('/', "_");
    for text in [SECRET, &format!(" whsec_{SECRET}\n"), &url_safe] {
        assert_eq!(secret(text).as_deref(), Ok(SECRET));
    }
}

#[test]
fn a_secret_that_cannot_protect_is_refused_with_a_reason() {
    let short = "the secret has 3 bytes, and at least 24 are needed; `openssl rand -base64 32` makes one";
    assert_eq!(secret("whsec_AAEC").unwrap_err(), short);
    assert!(secret("").unwrap_err().starts_with("the secret has 0 bytes"));
    assert!(secret(&"A".repeat(800)).unwrap_err().ends_with("at most 512 are allowed"));
    for text in ["correct horse battery staple", "whsec_whsec_", "ünï"] {
        assert!(secret(text).unwrap_err().starts_with("the secret is not base64"), "{text}");
    }
}

#[test]
fn a_post_tells_what_is_shown_and_what_may_be_decided() {
    let notice = Notice { words: Some(ticket('w')), ..notice() };
    let expected = json!({
        "type": "ask.waits",
        "data": {
            "tag": "k7q2",
            "title": "Claude Code asks in shop",
            "body": "Deploy now?",
            "link": "https://bridge.example.org/#/asks/ask_1",
            "urgent": false,
            "buttons": [
                {"label": "Allow", "tone": "allow", "ticket": "a".repeat(40)},
                {"label": "Deny", "tone": "deny", "ticket": "d".repeat(40)},
            ],
            "done": null,
            "words": "w".repeat(40),
            "ask": {"id": "ask_1", "state": "open"},
        },
    });
    assert_eq!(payload(Occasion::Waits, &notice, Some(json!({"id": "ask_1", "state": "open"}))), expected);
    assert_eq!(payload(Occasion::Settled, &notice, None)["type"], "ask.settled");
    assert_eq!(payload(Occasion::Test, &notice, None)["type"], "test");
}

#[test]
fn each_response_says_whether_to_try_again() {
    assert_eq!(sent(&response(204, b"")), Fate::Sent { reference: None });
    assert_eq!(sent(&response(410, b"")), Fate::Gone { why: "the address wants no more posts (410)".into() });
    let wait = Some(Duration::from_secs(7));
    for status in [429, 503] {
        let response = Response { retry_after: wait, ..response(status, b"busy\nvery") };
        assert_eq!(sent(&response), Fate::Later { after: wait, why: format!("the receiver answered {status}: busy") });
    }
    let no = Fate::Refused { why: "the receiver answered 401: no such\\u{202e} key".into() };
    assert_eq!(sent(&response(401, "no such\u{202e} key\nmore".as_bytes())), no);
    assert!(matches!(sent(&response(302, b"")), Fate::Refused { .. }));
}

proptest! {
    #[test]
    fn no_text_breaks_out_of_its_place_and_every_post_is_verified(notice in notices()) {
        let payload = payload(Occasion::Waits, &notice, None);
        let request = send(&webhook(Some(SECRET)), "post_1", NOW, &payload);
        let read: Value = serde_json::from_slice(&request.body).unwrap();
        prop_assert_eq!(&read["data"]["title"], &notice.title);
        prop_assert_eq!(&read["data"]["body"], &notice.body);
        prop_assert_eq!(read["data"].as_object().unwrap().len(), 9);
        prop_assert!(!request.body.contains(&b'\n'));
        let signature = header(&request, "webhook-signature").unwrap();
        prop_assert_eq!(verify(SECRET, "post_1", "1700000000", signature, &request.body, NOW), Ok(()));
    }

    #[test]
    fn any_response_and_any_secret_can_be_read(status: u16, body: Vec<u8>, text: String) {
        let _ = (sent(&response(status, &body)), secret(&text));
        let _ = verify(&text, &text, &text, &text, &body, NOW);
    }
}
