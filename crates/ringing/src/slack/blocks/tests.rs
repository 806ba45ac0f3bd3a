use proptest::prelude::*;

use super::super::modal::view;
use super::*;
use crate::samples::{button, hostile, notice, notices, ticket};

fn text(text: &str) -> Value {
    json!({"type": "plain_text", "text": text, "emoji": false})
}

fn many(count: usize) -> Vec<Button> {
    (0..count).map(|index| button(&format!("Option {index}"), 'o', Tone::Plain)).collect()
}

#[test]
fn an_approval_has_a_button_for_each_decision() {
    let notice = Notice { words: Some(ticket('w')), ..notice() };
    let expected = json!([
        {"type": "header", "text": text("Claude Code asks in shop")},
        {"type": "section", "text": text("Deploy now?")},
        {"type": "actions", "elements": [
            {"type": "button", "action_id": "decide0", "text": text("Allow"), "value": "a".repeat(40), "style": "primary"},
            {"type": "button", "action_id": "decide1", "text": text("Deny"), "value": "d".repeat(40), "style": "danger"},
            {"type": "button", "action_id": "words", "text": text("Answer in words"), "value": "w".repeat(40)},
            {"type": "button", "action_id": "open", "text": text("Open"), "url": "https://bridge.example.org/#/asks/ask_1"},
        ]},
    ]);
    assert_eq!(json!(notice_blocks(&notice)), expected);
}

#[test]
fn more_than_five_choices_are_a_menu() {
    let notice = Notice { buttons: many(6), link: None, ..notice() };
    let blocks = notice_blocks(&notice);
    let menu = &blocks[2]["elements"][0];
    assert_eq!(menu["type"], "static_select");
    assert_eq!(menu["options"].as_array().unwrap().len(), 6);
    assert_eq!(menu["options"][5], json!({"text": text("Option 5"), "value": "o".repeat(40)}));
}

#[test]
fn several_choices_are_boxes_with_a_button_below() {
    let several = |count| Notice { buttons: many(count), done: Some(ticket('x')), link: None, ..notice() };
    let blocks = notice_blocks(&several(3));
    assert_eq!(blocks[2]["element"]["type"], "checkboxes");
    let send = json!({"type": "button", "action_id": "done", "text": text("Send"), "value": "x".repeat(40), "style": "primary"});
    assert_eq!(blocks[3]["elements"], json!([send]));
    assert_eq!(notice_blocks(&several(11))[2]["element"]["type"], "multi_static_select");
}

#[test]
fn choices_beyond_what_slack_shows_are_announced() {
    let notice = Notice { buttons: many(103), ..notice() };
    let blocks = notice_blocks(&notice);
    assert_eq!(blocks[2]["elements"][0]["options"].as_array().unwrap().len(), 100);
    assert_eq!(blocks[3]["elements"], json!([text("3 more choices are on the card.")]));
}

#[test]
fn a_notice_without_anything_to_tap_has_no_empty_block() {
    let notice = Notice { body: " \n".into(), buttons: Vec::new(), link: None, done: Some(ticket('x')), ..notice() };
    assert_eq!(json!(notice_blocks(&notice)), json!([{"type": "header", "text": text("Claude Code asks in shop")}]));
}

#[test]
fn an_address_that_slack_would_refuse_is_left_out() {
    for link in ["bridge/#/asks", "javascript:alert(1)", &format!("https://example.org/{}", "a".repeat(3000))] {
        let notice = Notice { link: Some(link.into()), buttons: Vec::new(), ..notice() };
        assert_eq!(notice_blocks(&notice).len(), 2, "{link}");
    }
}

#[test]
fn an_entity_is_never_cut_in_two() {
    let text = fallback("", &"&".repeat(1000));
    assert_eq!(text, format!("{}…", "&amp;".repeat(199)));
}

/// Every text object in a message, with Slack's limit for its place.
fn texts<'a>(value: &'a Value, limit: usize, found: &mut Vec<(&'a str, usize)>) {
    match value {
        Value::Object(object) if object.get("type").is_some_and(|kind| kind == "plain_text") => {
            found.push((object["text"].as_str().unwrap(), limit));
        }
        Value::Object(object) => {
            let limit = match object.get("type").and_then(Value::as_str) {
                Some("header") => 150,
                Some("section") => 3000,
                Some("input" | "context" | "modal") => 2000,
                Some("actions") => 75,
                Some("checkboxes" | "multi_static_select") => 75,
                _ => limit,
            };
            for (name, value) in object {
                let limit = if matches!(name.as_str(), "title" | "submit" | "close") { 24 } else { limit };
                texts(value, limit, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, limit, found)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn every_message_keeps_slacks_limits(notice in notices(), question in hostile()) {
        let blocks = notice_blocks(&notice);
        prop_assert!(blocks.len() <= 50);
        let all = json!([blocks, view(&ticket('w'), &question)]);
        let mut found = Vec::new();
        texts(&all, 0, &mut found);
        prop_assert!(found.len() >= 5);
        for (text, limit) in found {
            prop_assert!(!text.trim().is_empty());
            prop_assert!(text.encode_utf16().count() <= limit, "{} of {limit}: {text}", text.len());
        }
        for block in blocks.iter().filter(|block| block["type"] == "actions") {
            let elements = block["elements"].as_array().unwrap();
            prop_assert!((1..=25).contains(&elements.len()));
            let mut names: Vec<_> = elements.iter().map(|element| element["action_id"].as_str().unwrap()).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), elements.len(), "names of actions are unique");
        }
    }

    #[test]
    fn no_title_looks_like_a_title_and_a_text(title in hostile()) {
        let notice = Notice { title, ..notice() };
        let blocks = notice_blocks(&notice);
        prop_assert!(!blocks[0]["text"]["text"].as_str().unwrap().contains(char::is_control));
        prop_assert_eq!(blocks.len(), 3);
    }
}
