//! No text of an agent, and no response, gets out of its place.

use proptest::prelude::*;
use serde_json::json;

use super::super::keyboard::{DATA_BYTES_MAX, KEYBOARD_BYTES_MAX, LABEL_UNITS_MAX};
use super::super::message::{TEXT_UNITS_MAX, TITLE_UNITS_MAX};
use super::super::sending::{PLACEHOLDER_UNITS_MAX, TAP_TEXT_UNITS_MAX};
use super::super::{Shown, answer_tap, changed, checked, close, link, prompt, send, sent, toggle, updates};
use super::*;
use crate::hostile;

fn units(value: &Value) -> usize {
    value.as_str().unwrap_or_default().encode_utf16().count()
}

/// The part of a text that an entity names, as Telegram counts.
fn named(message: &Value, entity: &Value) -> String {
    let text: Vec<u16> = message["text"].as_str().unwrap().encode_utf16().collect();
    let at = |key: &str| usize::try_from(entity[key].as_u64().unwrap()).unwrap();
    String::from_utf16(&text[at("offset")..at("offset") + at("length")]).expect("no character is cut in two")
}

fn keys(markup: &Value) -> Vec<&Value> {
    let rows = markup["inline_keyboard"].as_array();
    rows.into_iter().flatten().flat_map(|row| row.as_array().unwrap()).collect()
}

proptest! {
    #[test]
    fn no_notice_breaks_out_of_its_message(notice in hostile::notice()) {
        let message = json(&send(&telegram(), &notice).unwrap());
        let text = message["text"].as_str().unwrap();
        prop_assert!((1..=TEXT_UNITS_MAX).contains(&units(&message["text"])));
        prop_assert_eq!(message.get("parse_mode"), None);
        let entities = message["entities"].as_array().unwrap();
        prop_assert!(entities.len() <= 1);
        for entity in entities {
            let title = named(&message, entity);
            prop_assert_eq!(&entity["type"], "bold");
            prop_assert!(text.starts_with(&title) && title.encode_utf16().count() <= TITLE_UNITS_MAX);
            prop_assert!(!title.contains(char::is_control), "one line");
            prop_assert!(text == title || text[title.len()..].starts_with("\n\n"));
        }
        let body = notice.body.trim();
        if !body.is_empty() && body.len() < 1000 && units(&json!(notice.link)) <= 1500 {
            prop_assert!(text.contains(body), "nothing of the text is lost");
        }

        let markup = &message["reply_markup"];
        prop_assert!(markup.is_null() || markup.to_string().len() <= KEYBOARD_BYTES_MAX);
        let keys = keys(markup);
        prop_assert!(keys.len() <= 100);
        for key in &keys {
            prop_assert!((1..=LABEL_UNITS_MAX + 2).contains(&units(&key["text"])));
            prop_assert!(!key["text"].as_str().unwrap().contains(char::is_control));
            let is_tap = key["callback_data"].as_str().is_some_and(|data| (1..=DATA_BYTES_MAX).contains(&data.len()));
            let is_link = key["url"].as_str().is_some_and(|url| url.starts_with("https://") || url.starts_with("http://"));
            prop_assert!(is_tap != is_link);
        }
        let taps: Vec<&str> = keys.iter().filter_map(|key| key["callback_data"].as_str()).collect();
        let options: Vec<&str> = notice.buttons.iter().map(|button| &button.ticket).chain(&notice.done).map(|ticket| ticket.0.as_str()).collect();
        let words: Vec<&str> = notice.words.iter().map(|ticket| ticket.0.as_str()).collect();
        let options = if notice.buttons.is_empty() { Vec::new() } else { options };
        prop_assert!(taps == words || taps == [options, words].concat(), "all options in their order, or none");
    }

    #[test]
    fn check_marks_change_nothing_but_the_labels(notice in hostile::notice(), chosen in prop::collection::vec(0usize..6, 0..4)) {
        let sent = json(&send(&telegram(), &notice).unwrap());
        let toggled = json(&toggle(&telegram(), "7001:55", &notice, &chosen).unwrap());
        let data = |message: &Value| keys(&message["reply_markup"]).iter().map(|key| key["callback_data"].clone()).collect::<Vec<_>>();
        prop_assert_eq!(data(&sent), data(&toggled));
        let marked = |message: &Value| keys(&message["reply_markup"]).iter().filter(|key| key["text"].as_str().unwrap().starts_with("☑ ")).count();
        let at = |button: &usize| *button < notice.buttons.len();
        let mut several: Vec<usize> = chosen.iter().copied().filter(at).collect();
        several.sort_unstable();
        several.dedup();
        if notice.done.is_some() && !data(&toggled).is_empty() && notice.buttons.len() < 6 {
            prop_assert_eq!(marked(&toggled), several.len());
        }
    }

    #[test]
    fn no_line_is_longer_than_telegram_takes(line in hostile::text()) {
        let closed = json(&close(&telegram(), "7001:55", &line).unwrap());
        prop_assert!(units(&closed["text"]) <= TEXT_UNITS_MAX);
        prop_assert_eq!(&closed["reply_markup"], &json!({ "inline_keyboard": [] }));
        let prompted = json(&prompt(&telegram(), "7001:55", &line, &line).unwrap());
        prop_assert!((1..=TEXT_UNITS_MAX).contains(&units(&prompted["text"])));
        prop_assert!(units(&prompted["reply_markup"]["input_field_placeholder"]) <= PLACEHOLDER_UNITS_MAX);
        let answered = json(&answer_tap(&telegram(), &line, &line, Shown::Briefly));
        prop_assert!(units(&answered["text"]) <= TAP_TEXT_UNITS_MAX);
        prop_assert_eq!(&answered["callback_query_id"], &line);
    }

    #[test]
    fn no_setting_breaks_out_of_an_address(token in hostile::text(), code in hostile::text()) {
        let request = send(&Telegram { bot_token: token.clone(), ..telegram() }, &approval()).unwrap();
        let url = url::Url::parse(&request.url).unwrap();
        prop_assert_eq!((url.host_str(), url.query(), url.fragment()), (Some("api.telegram.org"), None, None));
        prop_assert_eq!(url.path_segments().unwrap().count(), 2);
        let url = url::Url::parse(&link("ask_bot", &code)).unwrap();
        prop_assert_eq!((url.path(), url.fragment()), ("/ask_bot", None));
        prop_assert_eq!(url.query_pairs().collect::<Vec<_>>(), [("start".into(), code.into())]);
    }

    #[test]
    fn any_response_can_be_read(status in 100u16..600, bytes in prop::collection::vec(any::<u8>(), 0..300), text in hostile::text()) {
        let described = json!({ "ok": false, "description": text }).to_string();
        let updated = json!({ "ok": true, "result": [{ "update_id": 1, "message": { "message_id": 1, "text": text,
            "from": { "id": 1 }, "chat": { "id": 1, "type": "private" } } }] }).to_string();
        for body in [bytes.as_slice(), text.as_bytes(), described.as_bytes(), updated.as_bytes()] {
            let response = Response { status, retry_after: None, body };
            let _ = (sent(&response), changed(&response), updates(&response));
            if let Err(why) = checked(&response) {
                prop_assert!(!why.contains(char::is_control) && why.chars().count() < 300);
            }
        }
        let read = updates(&Response { status: 200, retry_after: None, body: updated.as_bytes() }).unwrap();
        prop_assert_eq!(read.len(), 1);
    }
}
