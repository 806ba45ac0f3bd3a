//! The buttons below a message.

use serde::Serialize;
use url::{Host, Url};

use super::message::LINK_UNITS_MAX;
use crate::address::web;
use crate::clip::{clip, one_line};
use crate::notice::{Button, Notice, Ticket, Tone};

/// What a tap may carry.
pub(super) const DATA_BYTES_MAX: usize = 64;
/// Telegram takes a hundred; the last rows are ours.
pub(super) const OPTIONS_MAX: usize = 90;
/// Telegram refuses keyboards that are too long and does not document the limit, so this one is ours.
pub(super) const KEYBOARD_BYTES_MAX: usize = 8192;
/// Telegram has no limit of its own; phones show much less.
pub(super) const LABEL_UNITS_MAX: usize = 64;
/// So many labels, and none longer than this, are side by side.
const ROW_MAX: usize = 3;
const ROW_LABEL_CHARS_MAX: usize = 12;

const OPEN: &str = "Open";
const WRITE: &str = "Write an answer";
const DONE: &str = "Done";
const CHOSEN: &str = "☑ ";
const NOT_CHOSEN: &str = "☐ ";

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Keyboard {
    pub(super) inline_keyboard: Vec<Vec<Key>>,
}

/// `style` is shown by apps since February 2026; others draw a plain button.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Key {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback_data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    style: Option<&'static str>,
}

/// Returns the keyboard of a notice, with check marks at the options in `chosen` if several may be chosen. All options
/// are on it, or none: from a part of them a person would choose as if it were all.
pub(super) fn keyboard(notice: &Notice, chosen: &[usize]) -> Keyboard {
    let options = options(notice, chosen);
    let with_options = Keyboard { inline_keyboard: options.into_iter().flatten().chain(ours(notice)).collect() };
    let bytes = serde_json::to_vec(&with_options).map_or(usize::MAX, |json| json.len());
    if bytes <= KEYBOARD_BYTES_MAX { with_options } else { Keyboard { inline_keyboard: ours(notice).collect() } }
}

fn options(notice: &Notice, chosen: &[usize]) -> Option<Vec<Vec<Key>>> {
    let Notice { buttons, done, .. } = notice;
    let tickets = buttons.iter().map(|button| &button.ticket).chain(done);
    if buttons.is_empty() || buttons.len() > OPTIONS_MAX || !tickets.into_iter().all(fits) {
        return None;
    }
    let mark = |at| match done {
        Some(_) if chosen.contains(&at) => CHOSEN,
        Some(_) => NOT_CHOSEN,
        None => "",
    };
    let keys: Vec<Key> = buttons.iter().enumerate().map(|(at, button)| option(button, at, mark(at))).collect();
    let is_short = |key: &Key| key.text.chars().count() <= ROW_LABEL_CHARS_MAX;
    let mut rows: Vec<Vec<Key>> = if done.is_none() && keys.len() <= ROW_MAX && keys.iter().all(is_short) {
        vec![keys]
    } else {
        keys.into_iter().map(|key| vec![key]).collect()
    };
    rows.extend(done.as_ref().map(|ticket| vec![tap(DONE.to_owned(), ticket, Some("primary"))]));
    Some(rows)
}

/// The rows below the options: to answer in words, and to open the card.
fn ours(notice: &Notice) -> impl Iterator<Item = Vec<Key>> {
    let words = notice.words.as_ref().filter(|ticket| fits(ticket));
    let words = words.map(|ticket| vec![tap(WRITE.to_owned(), ticket, None)]);
    let open = notice
        .link
        .as_deref()
        .and_then(button_address)
        .map(|url| vec![Key { text: OPEN.to_owned(), callback_data: None, url: Some(url), style: None }]);
    words.into_iter().chain(open)
}

fn option(button: &Button, at: usize, mark: &str) -> Key {
    let label = one_line(&button.label);
    let label = clip(&label, LABEL_UNITS_MAX, char::len_utf16);
    // Telegram refuses a button without a label.
    let label = if label.is_empty() { (at + 1).to_string() } else { label.into_owned() };
    let style = match button.tone {
        Tone::Plain => None,
        Tone::Allow => Some("success"),
        Tone::Deny => Some("danger"),
    };
    tap(format!("{mark}{label}"), &button.ticket, style)
}

fn tap(text: String, ticket: &Ticket, style: Option<&'static str>) -> Key {
    Key { text, callback_data: Some(ticket.0.clone()), url: None, style }
}

fn fits(ticket: &Ticket) -> bool {
    (1..=DATA_BYTES_MAX).contains(&ticket.0.len())
}

/// Returns an address as a button can have it. Telegram refuses the message if it is `localhost`, or another name
/// without a dot.
pub(super) fn button_address(link: &str) -> Option<String> {
    let url = web(link).filter(has_full_name)?;
    Some(String::from(url)).filter(|url| url.len() <= LINK_UNITS_MAX)
}

fn has_full_name(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.contains('.') && !name.ends_with('.'),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    }
}
