use std::time::Duration;

use serde_json::json;

use super::super::{Update, What, is_paired, next_offset, poll, updates};
use super::*;
use crate::wire::Fate;

/// A private message as Telegram writes it, with other fields.
fn message(fields: Value) -> Value {
    let mut message = json!({
        "message_id": 56,
        "from": { "id": 7001, "is_bot": false, "first_name": "Ann", "username": "ann", "language_code": "en" },
        "chat": { "id": 7001, "first_name": "Ann", "username": "ann", "type": "private" },
        "date": 1_795_003_200,
    });
    for (key, value) in fields.as_object().unwrap() {
        message[key] = value.clone();
    }
    message
}

fn group() -> Value {
    json!({ "id": -100_123, "title": "Team", "type": "supergroup" })
}

fn read(updates: &Value) -> Vec<Update> {
    super::super::updates(&response(200, &json!({ "ok": true, "result": updates }).to_string())).unwrap()
}

/// What one message or tap says.
fn what(kind: &str, value: Value) -> What {
    let mut updates = read(&json!([{ "update_id": 9, kind: value }]));
    assert_eq!(updates.len(), 1);
    updates.remove(0).what
}

fn said(text: &str) -> What {
    what("message", message(json!({ "text": text })))
}

fn tap(fields: Value) -> Value {
    let mut tap = json!({
        "id": "4382bfdwdsb323b2d9",
        "from": { "id": 7001, "is_bot": false, "first_name": "Ann" },
        "message": message(json!({ "message_id": 55, "from": { "id": 110_201_543, "is_bot": true, "first_name": "Ask" }, "text": "Deploy?" })),
        "chat_instance": "-3125861023",
        "data": "ticketYes",
    });
    for (key, value) in fields.as_object().unwrap() {
        tap[key] = value.clone();
    }
    tap
}

#[test]
fn a_poll_waits_for_messages_and_taps() {
    let request = poll(&telegram(), Some(10));
    assert!(request.url.ends_with("/getUpdates"));
    let expected = json!({ "timeout": 50, "limit": 1, "allowed_updates": ["message", "callback_query"], "offset": 10 });
    assert_eq!(json(&request), expected);
    assert_eq!(json(&poll(&telegram(), None)).get("offset"), None);
}

#[test]
fn a_start_with_a_code_pairs_a_private_chat() {
    assert_eq!(said("/start pair-7Kq_x"), What::Start { code: "pair-7Kq_x".into(), chat: ANN });
    assert_eq!(said("/start@ask_bot pair-7Kq_x"), What::Start { code: "pair-7Kq_x".into(), chat: ANN });
    for other in ["/start", "/start a b", "/start a/b", &format!("/start {}", "x".repeat(65))] {
        assert_eq!(said(other), What::Other, "{other}");
    }
    let in_group = message(json!({ "text": "/start pair-7Kq_x", "chat": group() }));
    assert_eq!(what("message", in_group), What::Other, "everyone in the group would see the code and what follows");
}

#[test]
fn a_tap_says_where_and_who() {
    let expected = What::Tap {
        callback: "4382bfdwdsb323b2d9".into(),
        ticket: Ticket("ticketYes".into()),
        chat: ANN,
        message: "7001:55".into(),
    };
    assert_eq!(what("callback_query", tap(json!({}))), expected);
    // The message is too old for Telegram to say more about it.
    let old = json!({ "message": { "message_id": 55, "date": 0, "chat": { "id": 7001, "type": "private" } } });
    assert_eq!(what("callback_query", tap(old)), expected);
}

#[test]
fn a_tap_on_a_button_that_is_not_ours_is_nothing() {
    for fields in
        [json!({ "data": null }), json!({ "data": "" }), json!({ "data": "ap:req_12" }), json!({ "message": null })]
    {
        assert_eq!(what("callback_query", tap(fields)), What::Other);
    }
}

#[test]
fn only_the_paired_person_in_the_paired_chat_decides() {
    let from = |fields| match what("callback_query", tap(fields)) {
        What::Tap { chat, .. } => chat,
        other => panic!("{other:?}"),
    };
    let stranger = json!({ "id": 6666, "is_bot": false, "first_name": "Ann", "username": "ann" });
    let in_group = message(json!({ "chat": group() }));
    assert!(is_paired(&telegram(), from(json!({}))));
    assert!(!is_paired(&telegram(), from(json!({ "from": stranger }))), "another person, with Ann's name");
    assert!(!is_paired(&telegram(), from(json!({ "message": in_group }))), "Ann, where others would see it");
    assert!(!is_paired(&telegram(), from(json!({ "message": in_group, "from": stranger }))));
    assert!(!is_paired(&Telegram { chat: None, ..telegram() }, ANN), "nobody is paired");

    let group_paired = Telegram { chat: Some(TelegramChat { chat: -100_123, user: 7001 }), ..telegram() };
    assert!(is_paired(&group_paired, from(json!({ "message": in_group }))));
    assert!(!is_paired(&group_paired, from(json!({ "message": in_group, "from": stranger }))), "another member");
}

#[test]
fn words_say_what_they_reply_to() {
    let words = |reply_to: Option<&str>, text: &str| What::Words {
        chat: ANN,
        reply_to: reply_to.map(Into::into),
        text: text.into(),
    };
    assert_eq!(said(" use main\n"), words(None, " use main\n"));
    let prompt = message(json!({ "message_id": 55, "text": "Which branch?" }));
    let reply = |text: &str| what("message", message(json!({ "text": text, "reply_to_message": prompt })));
    assert_eq!(reply("main"), words(Some("7001:55"), "main"));
    assert_eq!(reply("/back"), words(Some("7001:55"), "/back"), "an answer, not a command");
    assert_eq!(said("/etc/hosts"), words(None, "/etc/hosts"));
}

#[test]
fn a_blank_message_is_no_answer() {
    for blank in ["", " \n", "\u{200b}", "\u{2800}\u{3164}", "\u{200e}\u{feff} \u{fe0f}"] {
        assert_eq!(said(blank), What::Other, "{blank:?}");
    }
    assert_eq!(what("message", message(json!({ "sticker": { "emoji": "👍" } }))), What::Other);
    assert_eq!(
        what("message", message(json!({ "text": "hi", "from": { "id": 1, "is_bot": true, "first_name": "B" } }))),
        What::Other
    );
}

#[test]
fn commands_ask_for_the_inbox_and_say_who_is_away() {
    assert_eq!(said("/inbox"), What::Inbox { chat: ANN });
    for away in ["/away", "/away on", "/away@ask_bot"] {
        assert_eq!(said(away), What::Away { chat: ANN, is_away: true });
    }
    for back in ["/back", "/away off"] {
        assert_eq!(said(back), What::Away { chat: ANN, is_away: false });
    }
}

#[test]
fn an_update_that_cannot_be_read_does_not_stop_the_others() {
    let happened = read(&json!([
        { "update_id": 9, "message": { "message_id": "odd" } },
        { "message": message(json!({ "text": "no id" })) },
        { "update_id": 10, "poll_answer": {} },
        { "update_id": 11, "message": message(json!({ "text": "hello" })) },
        "odd",
    ]));
    let words = What::Words { chat: ANN, reply_to: None, text: "hello".into() };
    let expected = [(9, What::Other), (10, What::Other), (11, words)].map(|(id, what)| Update { id, what });
    assert_eq!(happened, expected);
    assert_eq!(next_offset(&happened), Some(12));
    assert_eq!(next_offset(&[]), None);
}

#[test]
fn a_second_poller_is_told_apart_from_a_webhook() {
    let second = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    let why = format!("{second} (HTTP 409)");
    assert_eq!(updates(&response(409, &refusal(409, second))), Err(Fate::Later { after: None, why }));
    let webhook =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    let why = format!("{webhook} (HTTP 409)");
    assert_eq!(updates(&response(409, &refusal(409, webhook))), Err(Fate::Refused { why }));
}

#[test]
fn a_poll_can_fail_like_any_call() {
    assert!(matches!(updates(&response(401, &refusal(401, "Unauthorized"))), Err(Fate::Refused { .. })));
    let body = r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}"#;
    let after = Some(Duration::from_secs(5));
    assert_eq!(
        updates(&response(429, body)),
        Err(Fate::Later { after, why: "Too Many Requests: retry after 5 (HTTP 429)".into() })
    );
    assert!(matches!(updates(&response(502, "<html>")), Err(Fate::Later { .. })));
    assert_eq!(updates(&response(200, r#"{"ok":true,"result":[]}"#)), Ok(Vec::new()));
}
