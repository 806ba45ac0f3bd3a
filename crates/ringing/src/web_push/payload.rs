//! The JSON inside a push: a declarative push message (Push API, Safari 18.4 and newer), which the system shows without
//! running our service worker. Other browsers pass the same JSON to the worker.
//!
//! ```json
//! {
//!   "web_push": 8030,
//!   "notification": {
//!     "title": "Claude Code asks in shop",
//!     "body": "Deploy now?",
//!     "dir": "auto",
//!     "navigate": "https://bridge.example.org/#/asks/ask_…_1",
//!     "silent": false,
//!     "tag": "k7q2",
//!     "renotify": true,
//!     "requireInteraction": false,
//!     "actions": [{"action": "0", "title": "Allow", "navigate": "https://…"}],
//!     "data": {"ask": "ask_…_1", "tag": "k7q2", "link": "https://…", "tickets": {"0": "…"}, "receipt": "…"}
//!   },
//!   "app_badge": 3,
//!   "mutable": true
//! }
//! ```
//!
//! `notification.data` is ours. It is there and not beside `notification`, because a worker that is woken for a
//! declarative message gets the notification and not the JSON. `tickets` has the ticket of each action by its name; the
//! worker has no token, so a ticket is all that it can answer with. Under the ticket in `receipt` it says that it showed
//! the notification, and that the person tapped it.
//!
//! `mutable` asks the system to run the worker first. It is set only where there are actions: without them the worker
//! has nothing to add, and on iOS a worker that fails to show something costs the subscription.

use serde_json::{Map, Value, json};

use super::send::Push;
use crate::clip::{clip, one_line};
use crate::notice::Notice;

/// 4096 bytes of body, less the header of `aes128gcm` (86), the end of the record (1) and its tag (16).
pub const PAYLOAD_BYTES_MAX: usize = 3993;
/// Longer titles and labels are shortened; no system shows as much.
const TITLE_BYTES_MAX: usize = 600;
const LABEL_BYTES_MAX: usize = 120;
/// Longer addresses are refused: with two actions the address is in the message four times.
const LINK_BYTES_MAX: usize = 500;
/// Longer ids are refused. Ours have 42 letters.
const ASK_BYTES_MAX: usize = 64;
const TAG_BYTES_MAX: usize = 32;
const TICKET_BYTES_MAX: usize = 40;
/// What browsers show at most, whatever they say they can.
const ACTIONS_MAX: usize = 2;

/// Returns the message, with the body shortened until it fits.
pub(super) fn payload(push: &Push<'_>) -> Result<Vec<u8>, String> {
    let without_body = message(push, "")?.to_string().len();
    let room = PAYLOAD_BYTES_MAX.checked_sub(without_body).ok_or("the push message is too large without its text")?;
    let body = clip(&push.notice.body, room, json_bytes);
    if body != push.notice.body && !push.notice.buttons.is_empty() {
        // Nothing is decided by a text that is not there whole.
        let notice = Notice { buttons: Vec::new(), ..push.notice.clone() };
        return payload(&Push { notice: &notice, ..*push });
    }
    let message = message(push, &body)?.to_string();
    debug_assert!(message.len() <= PAYLOAD_BYTES_MAX);
    Ok(message.into_bytes())
}

fn message(push: &Push<'_>, body: &str) -> Result<Value, String> {
    let Push { notice, ask, waiting, .. } = push;
    let Notice { tag, title, link, is_urgent, receipt, .. } = notice;
    let receipt = short(receipt.as_ref().map(|ticket| &*ticket.0), TICKET_BYTES_MAX, "the receipt")?;
    let link = short(link.as_deref(), LINK_BYTES_MAX, "the address of the card")?;
    let ask = short(*ask, ASK_BYTES_MAX, "the id of the ask")?;
    let tag = short(Some(tag), TAG_BYTES_MAX, "the tag of the notice")?.unwrap_or_default();

    let mut actions = Vec::new();
    let mut tickets = Map::new();
    for (index, button) in shown(push).iter().enumerate() {
        let ticket = short(Some(&button.ticket.0), TICKET_BYTES_MAX, "a ticket")?;
        let name = index.to_string();
        let title = one_line(&button.label);
        let mut action = json!({"action": name, "title": clip(&title, LABEL_BYTES_MAX, json_bytes)});
        put(&mut action, "navigate", link);
        actions.push(action);
        tickets.insert(name, ticket.into());
    }
    let is_mutable = !actions.is_empty();

    let mut data = json!({"tag": tag, "tickets": tickets});
    put(&mut data, "ask", ask);
    put(&mut data, "link", link);
    put(&mut data, "receipt", receipt);
    let title = one_line(title);
    let mut notification = json!({
        "title": clip(&title, TITLE_BYTES_MAX, json_bytes),
        "body": body,
        "dir": "auto",
        "silent": false,
        "tag": tag,
        // A newer notice about the same matter rings again, because the server has decided that it should. Browsers
        // refuse this without a tag.
        "renotify": !tag.is_empty(),
        "requireInteraction": is_urgent,
        "actions": actions,
        "data": data,
    });
    // Required in a declarative message. Without it the message goes to the worker, as in other browsers.
    put(&mut notification, "navigate", link);
    let mut message = json!({"web_push": 8030, "notification": notification, "mutable": is_mutable});
    if let Some(waiting) = waiting {
        message["app_badge"] = (*waiting).into();
    }
    Ok(message)
}

/// Returns the buttons that become actions: all of them, or none. Some of them would look like all that can be chosen.
fn shown<'a>(push: &Push<'a>) -> &'a [crate::notice::Button] {
    let (notice, max) = (push.notice, usize::from(push.to.actions_max).min(ACTIONS_MAX));
    if notice.done.is_none() && notice.buttons.len() <= max { &notice.buttons } else { &[] }
}

fn put(object: &mut Value, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        object[name] = value.into();
    }
}

fn short<'a>(text: Option<&'a str>, bytes_max: usize, what: &str) -> Result<Option<&'a str>, String> {
    match text {
        Some(text) if text.chars().map(json_bytes).sum::<usize>() > bytes_max => {
            Err(format!("{what} is too long for a push message: at most {bytes_max} bytes"))
        }
        text => Ok(text),
    }
}

/// How many bytes a character takes in a JSON string as `serde_json` writes it.
fn json_bytes(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => char.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use askbridge_core::ids::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::channel::WebPush;
    use crate::notice::Tone;
    use crate::samples::{button, hostile, notice, notices, ticket};

    fn browser(actions_max: u8) -> WebPush {
        let endpoint = "https://push.example.net/p/1".into();
        WebPush { endpoint, p256dh: String::new(), auth: String::new(), actions_max }
    }

    fn push<'a>(to: &'a WebPush, notice: &'a Notice) -> Push<'a> {
        Push { to, notice, ask: Some("ask_1"), waiting: Some(3), now: Timestamp(0), ttl: Duration::ZERO }
    }

    fn read(to: &WebPush, notice: &Notice) -> Value {
        serde_json::from_slice(&payload(&push(to, notice)).unwrap()).unwrap()
    }

    #[test]
    fn a_browser_with_actions_gets_a_ticket_for_each() {
        let link = "https://bridge.example.org/#/asks/ask_1";
        let expected = json!({
            "web_push": 8030,
            "notification": {
                "title": "Claude Code asks in shop",
                "body": "Deploy now?",
                "dir": "auto",
                "navigate": link,
                "silent": false,
                "tag": "k7q2",
                "renotify": true,
                "requireInteraction": false,
                "actions": [
                    {"action": "0", "title": "Allow", "navigate": link},
                    {"action": "1", "title": "Deny", "navigate": link},
                ],
                "data": {
                    "ask": "ask_1",
                    "tag": "k7q2",
                    "link": link,
                    "tickets": {"0": "a".repeat(40), "1": "d".repeat(40)},
                },
            },
            "app_badge": 3,
            "mutable": true,
        });
        assert_eq!(read(&browser(2), &notice()), expected);
    }

    #[test]
    fn a_browser_without_actions_gets_no_ticket_and_shows_it_without_the_worker() {
        let sent = read(&browser(0), &notice());
        assert_eq!(sent["notification"]["actions"], json!([]));
        assert_eq!(sent["notification"]["data"]["tickets"], json!({}));
        assert_eq!(sent["mutable"], false);
    }

    #[test]
    fn a_choice_is_shown_whole_or_not_at_all() {
        let mut three = notice();
        three.buttons.push(button("Later", 'l', Tone::Plain));
        assert_eq!(read(&browser(2), &three)["notification"]["actions"], json!([]));
        let several = Notice { done: Some(ticket('x')), ..notice() };
        assert_eq!(read(&browser(2), &several)["notification"]["actions"], json!([]));
    }

    #[test]
    fn an_address_that_leaves_no_room_is_refused() {
        let long = Notice { link: Some(format!("https://example.org/{}", "a".repeat(500))), ..notice() };
        let refused = payload(&push(&browser(2), &long)).unwrap_err();
        assert_eq!(refused, "the address of the card is too long for a push message: at most 500 bytes");
    }

    #[test]
    fn a_text_that_had_to_be_shortened_decides_nothing() {
        let sent = read(&browser(2), &Notice { body: "a".repeat(10_000), ..notice() });
        assert_eq!(sent["notification"]["actions"], json!([]));
        assert_eq!(sent["notification"]["data"]["tickets"], json!({}));
    }

    #[test]
    fn a_long_text_fills_the_message_to_the_last_byte() {
        let long = Notice { body: "a".repeat(10_000), ..notice() };
        let sent = payload(&push(&browser(2), &long)).unwrap();
        assert_eq!(sent.len(), PAYLOAD_BYTES_MAX);
    }

    proptest! {
        #[test]
        fn every_message_fits_and_no_text_breaks_out_of_its_place(
            notice in notices(), title in hostile(), actions_max in 0u8..9, waiting: Option<u32>,
        ) {
            let notice = Notice { title, ..notice };
            let to = browser(actions_max);
            let sent = payload(&Push { waiting, ..push(&to, &notice) }).unwrap();
            prop_assert!(sent.len() <= PAYLOAD_BYTES_MAX);
            let sent: Value = serde_json::from_slice(&sent).unwrap();
            prop_assert_eq!(sent.as_object().unwrap().len(), 3 + usize::from(waiting.is_some()));
            prop_assert_eq!(sent["app_badge"].as_u64(), waiting.map(u64::from));
            let shown = &sent["notification"];
            let keys = 9 + usize::from(notice.link.is_some());
            prop_assert_eq!(shown.as_object().unwrap().len(), keys);
            let body = shown["body"].as_str().unwrap();
            prop_assert!(notice.body.starts_with(body.strip_suffix('…').unwrap_or(body)));
            let title = shown["title"].as_str().unwrap();
            prop_assert!(!title.contains(char::is_control));
            let actions = shown["actions"].as_array().unwrap();
            prop_assert!(actions.len() <= usize::from(actions_max.min(2)));
            prop_assert_eq!(shown["data"]["tickets"].as_object().unwrap().len(), actions.len());
        }

        #[test]
        fn the_size_of_a_character_is_what_json_makes_of_it(char: char) {
            prop_assert_eq!(json!(char.to_string()).to_string().len(), json_bytes(char) + 2);
        }
    }
}
