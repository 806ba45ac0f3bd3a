use std::time::Duration;

use serde_json::json;

use super::super::{Shown, answer_tap, changed, close, prompt, send, sent, toggle};
use super::*;
use crate::wire::{Fate, Method};

fn refused(why: &str) -> Fate {
    Fate::Refused { why: why.into() }
}

#[test]
fn an_approval_has_a_bold_title_and_coloured_buttons_with_tickets() {
    let request = send(&telegram(), &approval()).unwrap();
    assert_eq!(request.method, Method::Post);
    assert_eq!(request.url, "https://api.telegram.org/bot110201543:AAHdqTcvCH1v-_x/sendMessage");
    assert_eq!(request.headers, [("content-type", "application/json".to_owned())]);
    let expected = json!({
        "chat_id": 7001,
        "text": "Run `rm -rf build`?\n\nclaude asks in shop",
        "entities": [{ "type": "bold", "offset": 0, "length": 19 }],
        "link_preview_options": { "is_disabled": true },
        "reply_markup": { "inline_keyboard": [
            [
                { "text": "Allow", "callback_data": "ticketYes", "style": "success" },
                { "text": "Deny", "callback_data": "ticketNo", "style": "danger" },
            ],
            [{ "text": "Open", "url": "https://ask.example.org/#ask=17" }],
        ] },
    });
    assert_eq!(json(&request), expected);
}

#[test]
fn long_labels_have_a_row_each() {
    let buttons = vec![button("Yes", "t1", Tone::Plain), button("No, only on the test server", "t2", Tone::Plain)];
    let request = send(&telegram(), &Notice { buttons, link: None, ..approval() }).unwrap();
    let rows = json!([
        [{ "text": "Yes", "callback_data": "t1" }],
        [{ "text": "No, only on the test server", "callback_data": "t2" }],
    ]);
    assert_eq!(json(&request)["reply_markup"]["inline_keyboard"], rows);
}

#[test]
fn a_notice_that_decides_nothing_has_no_keyboard() {
    let notice = Notice { buttons: Vec::new(), link: None, ..approval() };
    assert_eq!(json(&send(&telegram(), &notice).unwrap()).get("reply_markup"), None);
}

#[test]
fn an_answer_in_words_is_asked_for_when_its_button_is_tapped() {
    let notice = Notice { buttons: Vec::new(), link: None, words: Some(Ticket("w0rds".into())), ..approval() };
    let rows = json!([[{ "text": "Write an answer", "callback_data": "w0rds" }]]);
    assert_eq!(json(&send(&telegram(), &notice).unwrap())["reply_markup"]["inline_keyboard"], rows);
    let request = prompt(&telegram(), "7001:55", "Which branch?", "main").unwrap();
    let expected = json!({
        "chat_id": 7001, "text": "Which branch?", "link_preview_options": { "is_disabled": true },
        "reply_parameters": { "message_id": 55, "allow_sending_without_reply": true },
        "reply_markup": { "force_reply": true, "input_field_placeholder": "main" },
    });
    assert_eq!((request.url.rsplit('/').next(), json(&request)), (Some("sendMessage"), expected));
}

#[test]
fn several_options_are_chosen_by_check_marks_and_sent_by_done() {
    let buttons = ["a", "b"].map(|label| button(label, &format!("t{label}"), Tone::Plain)).to_vec();
    let notice = Notice { buttons, link: None, done: Some(Ticket("d0n3".into())), ..approval() };
    let rows = |first: &str, second: &str| {
        json!([
            [{ "text": first, "callback_data": "ta" }],
            [{ "text": second, "callback_data": "tb" }],
            [{ "text": "Done", "callback_data": "d0n3", "style": "primary" }],
        ])
    };
    assert_eq!(json(&send(&telegram(), &notice).unwrap())["reply_markup"]["inline_keyboard"], rows("☐ a", "☐ b"));
    let request = toggle(&telegram(), "7001:55", &notice, &[1]).unwrap();
    assert!(request.url.ends_with("/editMessageReplyMarkup"));
    let keyboard = json!({ "inline_keyboard": rows("☐ a", "☑ b") });
    assert_eq!(json(&request), json!({ "chat_id": 7001, "message_id": 55, "reply_markup": keyboard }));
}

#[test]
fn too_many_options_are_chosen_from_on_the_card() {
    let open = json!([[{ "text": "Open", "url": "https://ask.example.org/#ask=17" }]]);
    let rows = |count, label: &str| {
        let buttons = (0..count).map(|at| button(label, &format!("t{at}"), Tone::Plain)).collect();
        json(&send(&telegram(), &Notice { buttons, ..approval() }).unwrap())["reply_markup"]["inline_keyboard"].clone()
    };
    assert_eq!(rows(90, "x").as_array().unwrap().len(), 91);
    assert_eq!(rows(91, "x"), open);
    assert_eq!(rows(90, &"長".repeat(60)), open, "the keyboard would be too long");
    let buttons = vec![button("x", &"t".repeat(65), Tone::Plain)];
    let request = send(&telegram(), &Notice { buttons, ..approval() }).unwrap();
    assert_eq!(json(&request)["reply_markup"]["inline_keyboard"], open, "a ticket is never cut");
}

#[test]
fn an_address_that_no_button_can_have_is_in_the_text() {
    for (link, shown) in [
        ("http://localhost:4760/#ask=17", Some("http://localhost:4760/#ask=17")),
        ("http://box/#ask=17", Some("http://box/#ask=17")),
        ("javascript:alert(1)", None),
    ] {
        let notice =
            Notice { title: "A".into(), body: "b".into(), buttons: Vec::new(), link: Some(link.into()), ..approval() };
        let message = json(&send(&telegram(), &notice).unwrap());
        assert_eq!(message["text"], shown.map_or("A\n\nb".to_owned(), |shown| format!("A\n\nb\n\n{shown}")));
        assert_eq!(message.get("reply_markup"), None);
    }
    let notice = Notice { buttons: Vec::new(), link: Some("http://192.168.1.5:4760/".into()), ..approval() };
    assert!(json(&send(&telegram(), &notice).unwrap()).get("reply_markup").is_some());
}

#[test]
fn a_long_text_is_cut_where_telegram_counts_4096() {
    let notice = Notice { title: "😀".repeat(300), body: "😀".repeat(3000), link: None, ..approval() };
    let message = json(&send(&telegram(), &notice).unwrap());
    let text = message["text"].as_str().unwrap();
    let title = format!("{}…", "😀".repeat(127));
    assert_eq!(message["entities"], json!([{ "type": "bold", "offset": 0, "length": 255 }]));
    assert!(text.starts_with(&format!("{title}\n\n😀")) && text.ends_with("😀…"));
    let units = text.encode_utf16().count();
    assert!((4090..=4096).contains(&units), "{units}");
}

#[test]
fn a_settled_notice_becomes_a_line_without_buttons() {
    let request = close(&telegram(), "7001:55", "Ann allowed it").unwrap();
    let expected = json!({
        "chat_id": 7001, "message_id": 55, "text": "Ann allowed it", "link_preview_options": { "is_disabled": true },
        "reply_markup": { "inline_keyboard": [] },
    });
    assert_eq!((request.url.rsplit('/').next(), json(&request)), (Some("editMessageText"), expected));
    let request = close(&telegram(), "7001:55", " ").unwrap();
    let expected = json!({ "chat_id": 7001, "message_id": 55, "reply_markup": { "inline_keyboard": [] } });
    assert_eq!((request.url.rsplit('/').next(), json(&request)), (Some("editMessageReplyMarkup"), expected));
}

#[test]
fn nothing_is_sent_to_a_chat_that_is_not_paired() {
    let unpaired = Telegram { chat: None, ..telegram() };
    assert_eq!(send(&unpaired, &approval()), Err(refused("no chat is paired with this bot yet")));
    for reference in ["7002:55", "55", "", "7001:", "7001:x"] {
        let why = Err(refused("the message is not in the paired chat"));
        assert_eq!(close(&telegram(), reference, "x"), why);
        assert_eq!(toggle(&telegram(), reference, &approval(), &[]), why);
        assert_eq!(prompt(&telegram(), reference, "x", ""), why);
    }
}

#[test]
fn a_tap_is_answered_with_a_text_or_without() {
    let request = answer_tap(&telegram(), "4382bfdwdsb323b2d9", "Allowed", Shown::Briefly);
    assert!(request.url.ends_with("/answerCallbackQuery"));
    let expected = json!({ "callback_query_id": "4382bfdwdsb323b2d9", "text": "Allowed", "show_alert": false });
    assert_eq!(json(&request), expected);
    let request = answer_tap(&telegram(), "q", &"😀".repeat(300), Shown::UntilClosed);
    assert_eq!(json(&request)["text"].as_str().unwrap().encode_utf16().count(), 199);
    assert_eq!(json(&request)["show_alert"], true);
    assert_eq!(json(&answer_tap(&telegram(), "q", "", Shown::Briefly)), json!({ "callback_query_id": "q" }));
}

#[test]
fn a_message_that_was_sent_is_known_by_its_chat_and_number() {
    let body = r#"{"ok":true,"result":{"message_id":55,"from":{"id":110201543,"is_bot":true,"first_name":"Ask","username":"ask_bot"},
        "chat":{"id":7001,"first_name":"Ann","type":"private"},"date":1795003200,"text":"Deploy?"}}"#;
    assert_eq!(sent(&response(200, body)), Fate::Sent { reference: Some("7001:55".into()) });
}

#[test]
fn a_person_who_blocked_the_bot_is_gone() {
    for (status, description) in [
        (403, "Forbidden: bot was blocked by the user"),
        (403, "Forbidden: user is deactivated"),
        (400, "Bad Request: chat not found"),
    ] {
        let why = format!("{description} (HTTP {status})");
        assert_eq!(sent(&response(status, &refusal(status, description))), Fate::Gone { why });
    }
}

#[test]
fn a_wrong_token_is_refused() {
    let why = "Telegram does not know the bot's token: Unauthorized (HTTP 401)";
    assert_eq!(sent(&response(401, &refusal(401, "Unauthorized"))), refused(why));
    let why = "Telegram does not know the bot's token: Not Found (HTTP 404)";
    assert_eq!(sent(&response(404, &refusal(404, "Not Found"))), refused(why));
}

#[test]
fn other_refusals_are_given_in_telegrams_words() {
    let body = refusal(400, "Bad Request: inline keyboard button URL 'x' is invalid: Wrong HTTP URL");
    let why = "Bad Request: inline keyboard button URL 'x' is invalid: Wrong HTTP URL (HTTP 400)";
    assert_eq!(sent(&response(400, &body)), refused(why));
    assert_eq!(sent(&response(200, "<html>")), refused("the response is not one of Telegram's"));
    assert_eq!(sent(&response(200, r#"{"ok":false}"#)), refused("the response is not one of Telegram's"));
}

#[test]
fn telegram_says_how_long_to_wait() {
    let body = r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 37","parameters":{"retry_after":37}}"#;
    let why = "Too Many Requests: retry after 37 (HTTP 429)".to_owned();
    assert_eq!(sent(&response(429, body)), Fate::Later { after: Some(Duration::from_secs(37)), why });
    let body = r#"{"ok":false,"parameters":{"retry_after":18446744073709551615}}"#;
    let after = Some(Duration::from_secs(86_400));
    assert_eq!(sent(&response(429, body)), Fate::Later { after, why: "HTTP 429".into() }, "a day at most");
    let header = Response { retry_after: Some(Duration::from_secs(5)), ..response(502, "") };
    assert_eq!(sent(&header), Fate::Later { after: header.retry_after, why: "HTTP 502".into() });
}

#[test]
fn a_change_that_changes_nothing_is_done() {
    let done = Fate::Sent { reference: None };
    assert_eq!(changed(&response(200, r#"{"ok":true,"result":true}"#)), done);
    assert_eq!(changed(&response(200, r#"{"ok":true,"result":{"message_id":55}}"#)), done);
    for description in [
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
        "Bad Request: message to edit not found",
        "Bad Request: message can't be edited",
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
    ] {
        assert_eq!(changed(&response(400, &refusal(400, description))), done);
    }
    assert!(matches!(changed(&response(400, &refusal(400, "Bad Request: text is too long"))), Fate::Refused { .. }));
    assert!(matches!(changed(&response(500, "")), Fate::Later { .. }));
}
