use serde_json::json;

use super::super::{cancel, close, schedule, send, sent};
use super::*;
use crate::wire::{Fate, Method};

#[test]
fn a_question_has_a_button_for_each_option_that_posts_its_ticket_to_the_reply_topic() {
    let request = send(&ntfy(), &question(), None);
    assert_eq!(request.method, Method::Post);
    assert_eq!(request.url, "https://ntfy.example.org/");
    let headers = [("authorization", "Bearer tk_secret".to_owned()), ("content-type", "application/json".to_owned())];
    assert_eq!(request.headers, headers);
    let action = |label: &str, ticket: &str| {
        json!({
            "action": "http", "label": label, "url": "https://ntfy.example.org/randomReplies?firebase=no",
            "method": "POST", "body": ticket, "clear": true,
        })
    };
    let expected = json!({
        "topic": "ann-phone",
        "title": "Deploy now?",
        "message": "ci asks in shop",
        "priority": 3,
        "tags": ["speech_balloon"],
        "click": "https://ask.example.org/#ask=17",
        "actions": [action("Yes", "ticketYes"), action("No", "ticketNo")],
        "sequence_id": "ask17",
    });
    assert_eq!(json(&request), expected);
}

#[test]
fn buttons_post_to_an_address_of_ours_where_a_phone_can_reach_it() {
    let request = send(&ntfy(), &question(), Some("https://ask.example.org/v1/taps"));
    for action in json(&request)["actions"].as_array().unwrap() {
        assert_eq!(action["url"], "https://ask.example.org/v1/taps");
    }
}

#[test]
fn an_urgent_notice_has_the_highest_priority() {
    let request = send(&ntfy(), &Notice { is_urgent: true, ..question() }, None);
    assert_eq!((&json(&request)["priority"], &json(&request)["tags"]), (&json!(5), &json!(["rotating_light"])));
}

#[test]
fn a_choice_that_does_not_fit_into_three_buttons_is_made_on_the_card() {
    let open = json!([{ "action": "view", "label": "Open", "url": "https://ask.example.org/#ask=17", "clear": true }]);
    let four = (0..4).map(|at| button(&format!("option {at}"), &format!("t{at}"))).collect();
    let four = Notice { buttons: four, ..question() };
    assert_eq!(json(&send(&ntfy(), &four, None))["actions"], open);
    let several = Notice { done: Some(Ticket("d0n3".into())), ..question() };
    assert_eq!(json(&send(&ntfy(), &several, None))["actions"], open, "one tap would be taken for the whole choice");
    let none = Notice { buttons: Vec::new(), ..question() };
    assert_eq!(json(&send(&ntfy(), &none, None))["actions"], open);
    let unreachable = Notice { link: None, ..none };
    assert_eq!(json(&send(&ntfy(), &unreachable, None)).get("actions"), None);
}

#[test]
fn a_notice_without_text_shows_its_title_as_text() {
    let message = json(&send(&ntfy(), &Notice { body: " \n".into(), ..question() }, None));
    assert_eq!((&message["message"], message.get("title")), (&json!("Deploy now?"), None));
    let message = json(&send(&ntfy(), &Notice { title: " ".into(), body: String::new(), ..question() }, None));
    assert_eq!(message["message"], "askbridge", "the server would write a word of its own");
}

#[test]
fn an_encoded_word_in_a_label_is_not_decoded_by_the_server() {
    // As a header, this would be decoded to `","url":"https://evil.example/","a":"` inside the JSON of the actions.
    let evil = "=?utf-8?q?=22,=22url=22:=22https://evil.example/=22,=22a=22:=22?=";
    let notice = Notice { title: evil.into(), buttons: vec![button(evil, "t")], ..question() };
    let message = json(&send(&ntfy(), &notice, None));
    let shown = "= ?utf-8?q?=22,=22url=22:=22https://evil.example/=22,=22a=22:=22?=";
    assert_eq!((&message["title"], &message["actions"][0]["label"]), (&json!(shown), &json!(shown)));
}

#[test]
fn an_encoded_word_in_an_address_is_not_decoded_either() {
    let link = "https://ask.example.org/?q==?utf-8?q?=22?=";
    let shown = "https://ask.example.org/?q==%3Futf-8?q?=22?=";
    let notice = Notice { link: Some(link.into()), buttons: Vec::new(), ..question() };
    let message = json(&send(&ntfy(), &notice, None));
    assert_eq!((&message["click"], &message["actions"][0]["url"]), (&json!(shown), &json!(shown)));
    let message = json(&send(&ntfy(), &question(), Some(link)));
    assert_eq!(message["actions"][0]["url"], shown);
}

#[test]
fn an_address_that_is_not_one_of_the_web_is_left_out() {
    for link in ["javascript:alert(1)", "intent://x#Intent;end", "card 17", "file:///etc/passwd"] {
        let message = json(&send(&ntfy(), &Notice { link: Some(link.into()), ..question() }, None));
        assert_eq!(message.get("click"), None, "{link}");
    }
}

#[test]
fn a_text_is_cut_between_characters_where_the_server_would_make_an_attachment_of_it() {
    let message = json(&send(&ntfy(), &Notice { body: "😀".repeat(2000), ..question() }, None));
    let text = message["message"].as_str().unwrap();
    assert_eq!(text, format!("{}…", "😀".repeat(1023)), "4092 bytes and the ellipsis would be 4095");
    assert_eq!(text.len(), 4095);
}

#[test]
fn a_text_that_is_all_quotation_marks_still_fits_the_servers_limit_for_json() {
    let request = send(&ntfy(), &Notice { body: "\"".repeat(4096), ..question() }, None);
    assert!((7500..=8192).contains(&request.body.len()), "{}", request.body.len());
}

#[test]
fn a_settled_notice_is_replaced_without_a_sound_by_who_answered_what() {
    let request = close(&ntfy(), "ask17", "Ann answered Yes");
    let expected = json!({
        "topic": "ann-phone", "message": "Ann answered Yes", "priority": 1, "tags": ["white_check_mark"],
        "sequence_id": "ask17",
    });
    assert_eq!((request.method, json(&request)), (Method::Post, expected));
}

#[test]
fn a_settled_notice_with_nothing_to_say_is_removed() {
    let request = close(&ntfy(), "ask17", " ");
    assert_eq!(request.method, Method::Delete);
    assert_eq!(request.url, "https://ntfy.example.org/ann-phone/ask17");
    assert_eq!(request.headers, [("authorization", "Bearer tk_secret".to_owned())]);
    assert_eq!(request.body, b"");
}

#[test]
fn a_message_that_was_published_is_known_by_its_sequence() {
    let body = r#"{"id":"Zk3hvM1pQz0a","sequence_id":"ask17","time":1795003200,"expires":1795046400,"event":"message",
        "topic":"ann-phone","title":"Deploy now?","message":"ci asks in shop","priority":3,"tags":["speech_balloon"]}"#;
    assert_eq!(sent(&response(200, body)), Fate::Sent { reference: Some("ask17".into()) });
    let removed =
        r#"{"id":"aB3hvM1pQz0a","sequence_id":"ask17","time":1795003300,"event":"message_delete","topic":"ann-phone"}"#;
    assert_eq!(sent(&response(200, removed)), Fate::Sent { reference: Some("ask17".into()) });
}

#[test]
fn a_server_that_cannot_replace_messages_gives_no_reference() {
    let body = r#"{"id":"Zk3hvM1pQz0a","time":1795003200,"event":"message","topic":"ann-phone","message":"x"}"#;
    assert_eq!(sent(&response(200, body)), Fate::Sent { reference: None });
}

#[test]
fn a_page_that_is_not_ntfys_is_not_taken_for_success() {
    let why = "the response is not one of an ntfy server".to_owned();
    assert_eq!(sent(&response(200, "<html>Log in to the hotel's network</html>")), Fate::Refused { why });
}

#[test]
fn a_refusal_is_given_in_the_servers_words() {
    let refused = |why: &str| Fate::Refused { why: why.into() };
    let forbidden =
        r#"{"code":40301,"http":403,"error":"forbidden","link":"https://ntfy.sh/docs/publish/#authentication"}"#;
    assert_eq!(sent(&response(403, forbidden)), refused("forbidden (HTTP 403)"));
    let unauthorized = r#"{"code":40101,"http":401,"error":"unauthorized"}"#;
    assert_eq!(sent(&response(401, unauthorized)), refused("unauthorized (HTTP 401)"));
    assert_eq!(
        sent(&response(404, r#"{"code":40401,"http":404,"error":"page not found"}"#)),
        refused("page not found (HTTP 404)")
    );
    assert_eq!(sent(&response(413, "too big")), refused("HTTP 413"));
    assert_eq!(sent(&response(301, "")), refused("the address redirects elsewhere (HTTP 301)"));
    assert_eq!(sent(&response(400, r#"{"error":"a\u001b[1m\nb"}"#)), refused("a [1m b (HTTP 400)"));
}

#[test]
fn a_server_that_is_busy_or_broken_is_tried_again_later() {
    let limit = r#"{"code":42901,"http":429,"error":"limit reached: too many requests"}"#;
    let why = "limit reached: too many requests (HTTP 429)".to_owned();
    let after = Some(Duration::from_secs(30));
    assert_eq!(sent(&response_after(429, 30, limit)), Fate::Later { after, why: why.clone() });
    assert_eq!(sent(&response(429, limit)), Fate::Later { after: None, why });
    for status in [408, 500, 502, 503, 507] {
        assert_eq!(sent(&response(status, "")), Fate::Later { after: None, why: format!("HTTP {status}") });
    }
}

#[test]
fn an_alarm_is_a_message_that_the_server_keeps_back() {
    let request =
        schedule(&ntfy(), "down", Duration::from_secs(900), "askbridge has not been heard from for 15 minutes");
    let expected = json!({
        "topic": "ann-phone", "title": "askbridge", "message": "askbridge has not been heard from for 15 minutes",
        "priority": 4, "tags": ["warning"], "sequence_id": "down", "delay": "900s",
    });
    assert_eq!(json(&request), expected);
    let delay = |seconds| json(&schedule(&ntfy(), "down", Duration::from_secs(seconds), "x"))["delay"].clone();
    assert_eq!((delay(1), delay(1_000_000)), (json!("10s"), json!("259200s")), "what servers allow");
    let request = cancel(&ntfy(), "down");
    assert_eq!((request.method, request.url.as_str()), (Method::Delete, "https://ntfy.example.org/ann-phone/down"));
}
