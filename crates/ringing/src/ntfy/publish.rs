//! Sends a notice, and later replaces or removes it.

use serde::{Deserialize, Serialize};

use crate::address::{segment, web};
use crate::channel::Ntfy;
use crate::clip::{clip, one_line, quote};
use crate::notice::{Button, Notice};
use crate::wire::{Fate, Method, Request, Response};

/// A longer message becomes an attachment.
pub(super) const MESSAGE_BYTES_MAX: usize = 4096;
/// The server reads no more of the JSON.
pub(super) const JSON_BYTES_MAX: usize = 2 * MESSAGE_BYTES_MAX;
/// The server has no limit of its own for these; phones show much less.
pub(super) const TITLE_BYTES_MAX: usize = 500;
pub(super) const LABEL_BYTES_MAX: usize = 100;
/// A longer address is left out: cut off it would lead elsewhere.
pub(super) const LINK_BYTES_MAX: usize = 1500;
/// More are refused.
const ACTIONS_MAX: usize = 3;
const OPEN: &str = "Open";

/// From 1 (no sound, below the others) to 5 (vibrates for long).
pub(super) const PRIORITY_MIN: u8 = 1;
pub(super) const PRIORITY_DEFAULT: u8 = 3;
pub(super) const PRIORITY_HIGH: u8 = 4;
pub(super) const PRIORITY_MAX: u8 = 5;

/// A message as it is published. Tags that name an emoji are shown as that emoji, before the title.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) topic: &'a str,
    pub(super) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    pub(super) priority: u8,
    pub(super) tags: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) click: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) actions: Vec<Action<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) sequence_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delay: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub(super) enum Action<'a> {
    /// `clear` closes the notification, once the call has succeeded.
    Http {
        label: String,
        url: String,
        method: &'static str,
        body: &'a str,
        clear: bool,
    },
    View {
        label: &'static str,
        url: String,
        clear: bool,
    },
}

/// Publishes a notice. Its buttons post to `direct`, if it is given, otherwise to the reply topic. A choice that does not
/// fit into three buttons, and one of several options, is made on the card.
pub fn send(ntfy: &Ntfy, notice: &Notice, direct: Option<&str>) -> Request {
    let link = notice.link.as_deref().and_then(address);
    let has_buttons = (1..=ACTIONS_MAX).contains(&notice.buttons.len()) && notice.done.is_none();
    let target = direct.map_or_else(|| Some(reply_address(ntfy)), address);
    let actions = match (target, &link) {
        (Some(target), _) if has_buttons => {
            notice.buttons.iter().enumerate().map(|(at, button)| http(button, at, &target)).collect()
        }
        (_, Some(link)) => vec![Action::View { label: OPEN, url: link.clone(), clear: true }],
        (_, None) => Vec::new(),
    };
    let (title, message) = match (header(&notice.title, TITLE_BYTES_MAX), notice.body.trim()) {
        (title, "") => (String::new(), title),
        (title, body) => (title, body.to_owned()),
    };
    post(
        ntfy,
        Message {
            topic: &ntfy.topic,
            message,
            title,
            priority: if notice.is_urgent { PRIORITY_MAX } else { PRIORITY_DEFAULT },
            tags: [if notice.is_urgent { "rotating_light" } else { "speech_balloon" }],
            click: link,
            actions,
            sequence_id: &notice.tag,
            delay: None,
        },
    )
}

fn http<'a>(button: &'a Button, at: usize, target: &str) -> Action<'a> {
    let mut label = header(&button.label, LABEL_BYTES_MAX);
    if label.is_empty() {
        // The server refuses the whole message if a button has no label.
        label = (at + 1).to_string();
    }
    Action::Http { label, url: target.to_owned(), method: "POST", body: &button.ticket.0, clear: true }
}

/// Says in the place of a notice what became of it, without sound and without buttons; an empty `line` removes it. On iOS
/// the line is a second notification, and a removed one stays. The response is read by [`sent`].
pub fn close(ntfy: &Ntfy, reference: &str, line: &str) -> Request {
    let line = line.trim();
    if line.is_empty() {
        return remove(ntfy, reference);
    }
    post(
        ntfy,
        Message {
            topic: &ntfy.topic,
            message: line.to_owned(),
            title: String::new(),
            priority: PRIORITY_MIN,
            tags: ["white_check_mark"],
            click: None,
            actions: Vec::new(),
            sequence_id: reference,
            delay: None,
        },
    )
}

/// Removes a message that was published, or cancels one that is scheduled.
pub(super) fn remove(ntfy: &Ntfy, sequence_id: &str) -> Request {
    let url = format!("{}/{}/{}", root(ntfy), segment(&ntfy.topic, &[]), segment(sequence_id, &[]));
    Request { method: Method::Delete, url, headers: authorization(ntfy), body: Vec::new() }
}

/// Reads the response to [`send`], [`close`] and the alarm's requests. The reference is the sequence id as the server
/// took it; a server that is too old to change a message later does not return it.
pub fn sent(response: &Response<'_>) -> Fate {
    match response.status {
        200..=299 => match serde_json::from_slice::<Published>(response.body) {
            Ok(published) => Fate::Sent { reference: published.sequence_id.filter(|id| !id.is_empty()) },
            Err(_) => Fate::Refused { why: NOT_NTFY.to_owned() },
        },
        // A server that is asked on and on in spite of a 429 bans the address for hours.
        408 | 429 | 500..=599 => Fate::Later { after: response.retry_after, why: why(response) },
        _ => Fate::Refused { why: why(response) },
    }
}

pub(super) const NOT_NTFY: &str = "the response is not one of an ntfy server";

/// What every message is on its way back to us: as published, and on a subscription.
#[derive(Deserialize)]
pub(super) struct Published {
    pub(super) id: String,
    pub(super) event: String,
    #[serde(default)]
    pub(super) sequence_id: Option<String>,
    #[serde(default)]
    pub(super) message: String,
    /// Empty, or `base64` for bytes that are no text.
    #[serde(default)]
    pub(super) encoding: String,
}

/// How the server refuses: `code` is the HTTP status and two more digits.
#[derive(Default, Deserialize)]
pub(super) struct Problem {
    #[serde(default)]
    pub(super) code: u32,
    #[serde(default)]
    error: String,
}

/// Returns why a request failed, in the server's words where it has any.
pub(super) fn why(response: &Response<'_>) -> String {
    let Response { status, .. } = response;
    let problem: Problem = serde_json::from_slice(response.body).unwrap_or_default();
    match quote(&problem.error).as_str() {
        "" if (300..400).contains(status) => format!("the address redirects elsewhere (HTTP {status})"),
        "" => format!("HTTP {status}"),
        reason => format!("{reason} (HTTP {status})"),
    }
}

/// Publishes a message, shortened until the server takes it.
pub(super) fn post(ntfy: &Ntfy, mut message: Message<'_>) -> Request {
    let mut text = std::mem::take(&mut message.message);
    if text.is_empty() {
        // The server writes "triggered" otherwise.
        "askbridge".clone_into(&mut text);
    }
    let mut room = MESSAGE_BYTES_MAX;
    let body = loop {
        message.message = clip(&text, room, char::len_utf8).into_owned();
        let json = serde_json::to_vec(&message).expect("strings and numbers are valid JSON");
        // A byte of text is at least a byte of JSON, so that what is cut off the text is enough.
        let excess = json.len().saturating_sub(JSON_BYTES_MAX);
        if excess == 0 || message.message.is_empty() {
            break json;
        }
        room = message.message.len().saturating_sub(excess);
    };
    let mut headers = authorization(ntfy);
    headers.push(("content-type", "application/json".to_owned()));
    Request { method: Method::Post, url: format!("{}/", root(ntfy)), headers, body }
}

pub(super) fn root(ntfy: &Ntfy) -> &str {
    ntfy.server.trim_end_matches('/')
}

pub(super) fn authorization(ntfy: &Ntfy) -> Vec<(&'static str, String)> {
    let token = ntfy.token.iter().map(|token| token.chars().filter(char::is_ascii_graphic).collect::<String>());
    token.filter(|token| !token.is_empty()).map(|token| ("authorization", format!("Bearer {token}"))).collect()
}

/// The address to which buttons post. Tickets are kept from Google's push service, which has no use for them; a query,
/// because a header would make browsers ask the server first.
fn reply_address(ntfy: &Ntfy) -> String {
    format!("{}/{}?firebase=no", root(ntfy), segment(&ntfy.reply_topic, &[]))
}

/// Returns an address that may be sent: http or https, and not too long.
fn address(text: &str) -> Option<String> {
    let text = String::from(web(text)?).replace("=?", "=%3F");
    (text.len() <= LINK_BYTES_MAX).then_some(text)
}

/// Returns a text for a field that the server makes a header of: one line, and no encoded word.
pub(super) fn header(text: &str, bytes_max: usize) -> String {
    clip(&one_line(&text.replace("=?", "= ?")), bytes_max, char::len_utf8).into_owned()
}
