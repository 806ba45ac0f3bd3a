//! What channels send, read by the libraries that receivers use: `http-ece`, `cryptography`, `slack_sdk` and Python's own
//! HMAC.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_ringing::channel::{Slack, WebPush, Webhook};
use askbridge_ringing::notice::{Button, Notice, Ticket, Tone};
use askbridge_ringing::slack;
use askbridge_ringing::web_push::{self, Keys, PAYLOAD_BYTES_MAX, Push};
use askbridge_ringing::webhook::{self, Occasion};
use askbridge_ringing::wire::Request;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use serde_json::{Value, json};

/// A Python with the libraries: `ASKBRIDGE_TEST_RECEIVERS`, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn python() -> PathBuf {
    let named = std::env::var_os("ASKBRIDGE_TEST_RECEIVERS").map(PathBuf::from);
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
    let path = named.unwrap_or_else(|| tools.join("receivers/1/bin/python"));
    assert!(path.is_file(), "there is nothing at {}; run `cargo xtask install`", path.display());
    path
}

/// Passes a document to one of the receivers, and returns what it made of it.
fn received(kind: &str, given: &Value) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/receivers.py");
    let mut command = Command::new(python());
    command.args(["-I", script, kind]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The receiver reads everything before it writes.
    child.stdin.take().unwrap().write_all(given.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn header<'a>(request: &'a Request, name: &str) -> &'a str {
    request.headers.iter().find(|(found, _)| *found == name).map_or("", |(_, value)| value.as_str())
}

fn ticket(letter: char) -> Ticket {
    Ticket(letter.to_string().repeat(40))
}

fn notice(title: &str, body: &str, buttons: usize) -> Notice {
    let tone = |index| [Tone::Allow, Tone::Deny, Tone::Plain][index % 3];
    let button = |index: usize| Button {
        label: format!("{title} {index}"),
        ticket: Ticket(format!("ticket{index}")),
        tone: tone(index),
    };
    Notice {
        tag: "k7q2".into(),
        title: title.into(),
        body: body.into(),
        link: Some("https://bridge.example.org/#/asks/ask_1".into()),
        is_urgent: true,
        buttons: (0..buttons).map(button).collect(),
        done: None,
        words: Some(ticket('w')),
        receipt: None,
    }
}

/// Texts that try to break out, at the lengths at which they are cut.
fn hostile() -> Vec<String> {
    let family = "👩\u{200d}👩\u{200d}👧";
    vec![
        "Deploy now?".into(),
        "\"},\"x\":[<!channel> <@U1> &amp; *b*\n\u{202e}gnp".into(),
        "שלום \u{301}".into(),
        format!("{}{}", "a".repeat(70), family.repeat(1000)),
        "<&>\"\\\n".repeat(2000),
        String::new(),
    ]
}

/// The browser of RFC 8291's example.
const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";

#[test]
fn a_browser_decrypts_every_push_and_its_push_service_accepts_the_token() {
    let to = WebPush {
        endpoint: "https://push.example.net/p/1".into(),
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUz\
                 ORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkN\
                 toIAiw4"
            .into(),
        auth: "BTBZMqHH6r4Tts7J_aSIgg".into(),
        actions_max: 2,
    };
    let random = SystemRandom::new();
    let keys = Keys::read(&Keys::generate(&random).unwrap(), &random).unwrap();
    for text in hostile() {
        let notice = notice("Claude Code asks", &text, 2);
        let (now, ttl) = (Timestamp(1_700_000_000_000), Duration::from_secs(600));
        let push = Push { to: &to, notice: &notice, ask: Some("ask_1"), waiting: Some(2), now, ttl };
        let request = web_push::send(&push, &keys, "mailto:ops@example.org", &random).unwrap();
        let read = received(
            "push",
            &json!({
                "private": PRIVATE,
                "auth": to.auth,
                "body": URL_SAFE_NO_PAD.encode(&request.body),
                "authorization": header(&request, "authorization"),
            }),
        );
        let shown = read["message"]["notification"]["body"].as_str().unwrap();
        // A text that is cut off decides nothing: its tickets are left out.
        let tickets = match shown.strip_suffix('…') {
            Some(beginning) => {
                assert!(text.starts_with(beginning) && text.len() > PAYLOAD_BYTES_MAX / 2);
                json!({})
            }
            None => {
                assert_eq!(shown, text);
                json!({"0": "ticket0", "1": "ticket1"})
            }
        };
        assert_eq!(read["message"]["notification"]["data"]["tickets"], tickets);
        assert_eq!(read["header"], json!({"typ": "JWT", "alg": "ES256"}));
        let claims = json!({"aud": "https://push.example.net", "exp": 1_700_043_200, "sub": "mailto:ops@example.org"});
        assert_eq!((&read["claims"], read["key"].as_str().unwrap()), (&claims, keys.public()));
    }
}

#[test]
fn slacks_own_library_finds_nothing_wrong_with_our_messages() {
    let slack = Slack {
        api: "https://slack.com/api".into(),
        app_token: "xapp-1".into(),
        bot_token: "xoxb-1".into(),
        to: Some("U07".into()),
        user: None,
    };
    let body = |request: Request| serde_json::from_slice::<Value>(&request.body).unwrap();
    let mut messages = vec![body(slack::pair(&slack, "U07", "https://bridge.example.org/#slack=abc"))];
    let mut windows = Vec::new();
    for text in hostile() {
        for buttons in [0, 1, 5, 6, 12, 101] {
            let single = notice(&text, &text, buttons);
            let several = Notice { done: Some(ticket('x')), ..single.clone() };
            messages.extend([single, several].iter().map(|notice| body(slack::send(&slack, notice).unwrap())));
        }
        messages.push(body(slack::close(&slack, "D1:1.2", &text).unwrap()));
        windows.push(body(slack::modal(&slack, "1.2.3", &ticket('w'), &text)));
    }
    let envelope = slack::envelope(r#"{"type":"events_api","envelope_id":"e1","payload":{}}"#);
    let messages: Vec<_> = messages.iter().map(|message| message["blocks"].clone()).collect();
    let views: Vec<_> = windows.iter().map(|window| window["view"].clone()).collect();
    let read = received("slack", &json!({"messages": messages, "views": views, "envelopes": ["e1"]}));
    assert_eq!(messages.len(), 1 + 6 * 13);
    assert_eq!(read["messages"], json!(messages), "the library knows every member");
    assert_eq!(read["views"], json!(views));
    assert_eq!(read["acks"][0], serde_json::from_str::<Value>(&envelope.ack.unwrap()).unwrap());
}

#[test]
fn python_signs_a_post_as_we_do() {
    let secret = webhook::secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap();
    let webhook = Webhook { url: "https://hooks.example.org".into(), secret: Some(secret.clone()) };
    for text in hostile() {
        let payload = webhook::payload(Occasion::Waits, &notice(&text, &text, 2), None);
        let request = webhook::send(&webhook, "post_1", Timestamp(1_700_000_000_000), &payload);
        let given = json!({
            "secret": secret,
            "id": header(&request, "webhook-id"),
            "timestamp": header(&request, "webhook-timestamp"),
            "body": URL_SAFE_NO_PAD.encode(&request.body),
        });
        assert_eq!(received("webhook", &given), header(&request, "webhook-signature"));
    }
}
