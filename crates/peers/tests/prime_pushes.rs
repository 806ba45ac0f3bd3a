//! What a push to a device of prime's client says, and what its relay answers.

use askbridge_core::ask::Ask;
use askbridge_core::ids::Raw;
use askbridge_peers::apps::{AppPush, PushAbout, PushFate};
use askbridge_peers::dialects::prime::DEVICES;
use askbridge_testkit::asks::{self, SESSION};
use serde_json::{Value, json};

const CHAT: &str = "00000000-0000-0000-0000-000000000007";

fn write(about: PushAbout<'_>) -> Value {
    let push = AppPush { title: "Something waits for you", body: "Open askbridge to see it.", about };
    serde_json::from_str((DEVICES.write)(&push).as_str()).expect("a push is JSON")
}

fn about(kind: &str) -> Value {
    json!({"type": kind, "session_id": CHAT, "deeplink_url": format!("prime://chat/session/{CHAT}")})
}

/// `"data":{"type":"ask_user_question",…}`, as its client reads it.
#[test]
fn a_push_about_a_question_leads_to_its_card() {
    let ask = asks::ask("single").expect("it is a sample");
    let mut data = about("ask_user_question");
    data["question_id"] = json!("q_9e3779b97f4a7c15f39cc0605cedc83c");
    let one = write(PushAbout::Ask { ask: &ask, count: 1, is_shown: true });
    assert_eq!(one, json!({"title": "Question from ci", "body": "Which database?", "data": data}));
    let two = write(PushAbout::Ask { ask: &ask, count: 2, is_shown: true });
    assert_eq!(two, json!({"title": "2 questions wait", "body": "Which database?", "data": data}));
    let hidden = write(PushAbout::Ask { ask: &ask, count: 1, is_shown: false });
    let body = "Open askbridge to see it.";
    assert_eq!(hidden, json!({"title": "Something waits for you", "body": body, "data": data}));
}

/// "title "Chat response ready", data `{type:"chat_complete",session_id,status,deeplink_url,costUsd?,durationMs?}`".
#[test]
fn a_push_about_a_turns_end_is_in_the_originals_words() {
    let mut data = about("chat_complete");
    data["status"] = json!("success");
    let expected = json!({"title": "Chat response ready", "body": "The agent has finished its turn", "data": data});
    assert_eq!(write(PushAbout::TurnEnded { session: SESSION, usage: None }), expected);
    let usage = Raw::from(r#"{"total_cost_usd":0.25,"duration_ms":1500}"#);
    let said = write(PushAbout::TurnEnded { session: SESSION, usage: Some(&usage) });
    assert_eq!((&said["data"]["costUsd"], &said["data"]["durationMs"]), (&json!(0.25), &json!(1500)));
}

#[test]
fn what_prime_has_no_kind_for_is_words_alone() {
    let body = "Open askbridge to see it.";
    assert_eq!(write(PushAbout::Other), json!({"title": "Something waits for you", "body": body}));
}

#[test]
fn texts_are_as_long_as_the_relay_takes_and_hide_nothing() {
    let mut ask: Ask = (*asks::ask("single").expect("it is a sample")).clone();
    ask.asker.agent = format!("\u{202e}{}", "a".repeat(200));
    let said = write(PushAbout::Ask { ask: &ask, count: 1, is_shown: true });
    let title = said["title"].as_str().expect("it has a title");
    assert_eq!(title.chars().count(), 100);
    assert!(title.starts_with(r"Question from \u{202e}aaa"), "{title}");
}

/// "expects `{queued:true}`", "HTTP 410 => device removed".
#[test]
fn only_a_relay_that_says_no_has_refused() {
    let became = DEVICES.became;
    assert_eq!(became(200, r#"{"queued":true}"#), PushFate::Sent);
    assert_eq!(became(202, ""), PushFate::Sent);
    assert_eq!(became(200, r#"{"queued":false}"#), PushFate::Failed("the relay did not queue it".to_owned()));
    assert_eq!(became(410, ""), PushFate::Gone);
    for later in [408, 429, 500, 503] {
        assert_eq!(became(later, ""), PushFate::Failed(format!("the relay answered {later}")));
    }
    assert_eq!(became(403, ""), PushFate::Refused("the relay answered 403".to_owned()));
}

#[test]
fn a_device_that_an_earlier_release_kept_is_read() {
    let kept = r#"{"installation_id":"phone","device_name":"Ada's phone","device_type":"iphone",
        "push_url":"https://relay.example/push/1/secret","owner":"ada"}"#;
    let device = (DEVICES.read)(&Raw::from(kept)).expect("it is a device");
    assert_eq!((&*device.kept_as, &*device.name, &*device.owner), ("device/phone", "Ada's phone", "ada"));
    assert_eq!(device.push_url, "https://relay.example/push/1/secret");
    assert_eq!((DEVICES.read)(&Raw::from("{}")), None);
}
