//! No text of an agent, and no response of a server, gets out of its place.

use proptest::prelude::*;
use serde_json::Value;

use super::super::publish::{JSON_BYTES_MAX, LABEL_BYTES_MAX, LINK_BYTES_MAX, MESSAGE_BYTES_MAX, TITLE_BYTES_MAX};
use super::super::{check, checked, close, heard, problem, schedule, send, sent, subscribe};
use super::*;
use crate::hostile;

fn of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The server decodes such a word in every field but the message.
fn has_encoded_word(message: &Value) -> bool {
    [of(message, "title"), of(message, "click"), &message["actions"].to_string()].iter().any(|text| text.contains("=?"))
}

proptest! {
    #[test]
    fn no_notice_breaks_out_of_its_message(notice in hostile::notice(), direct in any::<bool>()) {
        let direct = direct.then_some("https://ask.example.org/v1/taps");
        let request = send(&ntfy(), &notice, direct);
        prop_assert_eq!(&request.url, "https://ntfy.example.org/");
        prop_assert!(request.body.len() <= JSON_BYTES_MAX);
        let message = json(&request);
        prop_assert!(!has_encoded_word(&message));
        prop_assert!(of(&message, "message").len() <= MESSAGE_BYTES_MAX);
        prop_assert!(of(&message, "title").len() <= TITLE_BYTES_MAX);
        prop_assert!(!of(&message, "title").contains(char::is_control));
        prop_assert!(of(&message, "click").len() <= LINK_BYTES_MAX);
        prop_assert_eq!(of(&message, "topic"), "ann-phone");
        prop_assert_eq!(of(&message, "sequence_id"), &notice.tag);

        let none = Vec::new();
        let actions = message["actions"].as_array().unwrap_or(&none);
        let target = direct.unwrap_or("https://ntfy.example.org/randomReplies?firebase=no");
        let tickets: Vec<&str> = actions.iter().filter(|action| action["action"] == "http").map(|action| of(action, "body")).collect();
        let all: Vec<&str> = notice.buttons.iter().map(|button| button.ticket.0.as_str()).collect();
        let is_decided_here = all.len() <= 3 && notice.done.is_none();
        prop_assert_eq!(tickets, if is_decided_here { all } else { Vec::new() }, "all tickets in their order, or none");
        prop_assert!(actions.len() <= 3);
        for action in actions {
            let label = of(action, "label");
            prop_assert!(!label.is_empty() && label.len() <= LABEL_BYTES_MAX && !label.contains(char::is_control));
            prop_assert_eq!(of(action, "url"), if action["action"] == "http" { target } else { of(&message, "click") });
            prop_assert_eq!(action.get("headers"), None);
        }
        let everything = String::from_utf8(request.body).unwrap();
        prop_assert!(!everything.contains("tk_secret"), "subscribers would see the token");
    }

    #[test]
    fn no_line_breaks_out_of_a_closed_notice_or_an_alarm(line in hostile::text()) {
        for request in [close(&ntfy(), "ask17", &line), schedule(&ntfy(), "ask17", Duration::from_secs(60), &line)] {
            prop_assert!(request.body.len() <= JSON_BYTES_MAX);
            if request.body.is_empty() {
                prop_assert_eq!(line.trim(), "");
                continue;
            }
            let message = json(&request);
            prop_assert!(of(&message, "message").len() <= MESSAGE_BYTES_MAX);
            let kept = of(&message, "message");
            let whole = if line.trim().is_empty() { "askbridge" } else { line.trim() };
            prop_assert!(whole.starts_with(kept.strip_suffix('…').unwrap_or(kept)));
            prop_assert_eq!(of(&message, "sequence_id"), "ask17");
        }
    }

    #[test]
    fn no_setting_breaks_out_of_an_address(topic in hostile::text(), token in hostile::text(), id in hostile::text()) {
        let odd = Ntfy { topic, reply_topic: token.clone(), token: Some(token), ..ntfy() };
        for request in [close(&odd, &id, ""), subscribe(&odd, Some(&id)), check(&odd), super::super::check_replies(&odd)] {
            let url = url::Url::parse(&request.url).unwrap();
            prop_assert_eq!(url.host_str(), Some("ntfy.example.org"));
            prop_assert_eq!(url.fragment(), None);
            prop_assert!(url.query().is_none_or(|query| query.starts_with("since=") && !query.contains('&')));
            prop_assert!(request.headers.iter().all(|(_, value)| !value.contains(char::is_control)));
        }
        let _ = problem(&odd);
    }

    #[test]
    fn any_response_and_any_line_can_be_read(status in 100u16..600, bytes in proptest::collection::vec(any::<u8>(), 0..300), text in hostile::text()) {
        for body in [bytes.as_slice(), text.as_bytes(), format!(r#"{{"error":{}}}"#, Value::from(text.as_str())).as_bytes()] {
            let response = Response { status, retry_after: None, body };
            let _ = sent(&response);
            if let Err(why) = checked(&response) {
                prop_assert!(!why.contains(char::is_control) && why.chars().count() < 250);
            }
            let _ = heard(&String::from_utf8_lossy(body));
        }
    }
}
