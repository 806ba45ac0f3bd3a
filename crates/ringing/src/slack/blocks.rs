//! The blocks of a message. All texts of a notice are `plain_text`, in which Slack looks for no markup; only the
//! fallback text needs escaping. Limits: <https://docs.slack.dev/reference/block-kit/blocks>.

use serde_json::{Value, json};
use url::Url;

use crate::clip::{clip, one_line};
use crate::notice::{Button, Notice, Ticket, Tone};

/// The names by which `envelope.rs` tells the elements apart.
pub(super) const DECIDE: &str = "decide";
pub(super) const PICK: &str = "pick";
pub(super) const CHOICE: &str = "choice";
pub(super) const DONE: &str = "done";
pub(super) const WORDS: &str = "words";
const OPEN: &str = "open";

const HEADER_MAX: usize = 150;
const SECTION_MAX: usize = 3000;
const LABEL_MAX: usize = 75;
const URL_MAX: usize = 3000;
const FALLBACK_MAX: usize = 1000;
/// More choices than this become a menu.
const BUTTONS_MAX: usize = 5;
/// More choices than this, where several may be chosen, become a menu.
const CHECKBOXES_MAX: usize = 10;
/// More choices than this are not shown; a line says so.
const OPTIONS_MAX: usize = 100;
/// Slack refuses empty texts.
const NO_TEXT: &str = "–";

/// Returns a notice as blocks.
pub(super) fn notice_blocks(notice: &Notice) -> Vec<Value> {
    let Notice { title, body, link, buttons, done, words, .. } = notice;
    let mut blocks = vec![json!({"type": "header", "text": line(title, HEADER_MAX)})];
    if !body.trim().is_empty() {
        blocks.push(json!({"type": "section", "text": plain(body, SECTION_MAX)}));
    }
    let mut elements = Vec::new();
    match done {
        _ if buttons.is_empty() => {}
        Some(done) => {
            blocks.push(several(buttons));
            elements.push(element(DONE, "Send", Some(done), Tone::Allow));
        }
        None if buttons.len() <= BUTTONS_MAX => {
            let one = |(index, button): (usize, &Button)| {
                element(&format!("{DECIDE}{index}"), &button.label, Some(&button.ticket), button.tone)
            };
            elements.extend(buttons.iter().enumerate().map(one));
        }
        None => elements.push(json!({
            "type": "static_select",
            "action_id": PICK,
            "placeholder": line("Choose", LABEL_MAX),
            "options": options(buttons),
        })),
    }
    if let Some(words) = words {
        elements.push(element(WORDS, "Answer in words", Some(words), Tone::Plain));
    }
    elements.extend(link.as_deref().and_then(link_button));
    if !elements.is_empty() {
        blocks.push(json!({"type": "actions", "elements": elements}));
    }
    if buttons.len() > OPTIONS_MAX {
        let more = format!("{} more choices are on the card.", buttons.len() - OPTIONS_MAX);
        blocks.push(json!({"type": "context", "elements": [line(&more, SECTION_MAX)]}));
    }
    blocks
}

/// Returns the blocks of a notice that is over: one line.
pub(super) fn closed_blocks(text: &str) -> Vec<Value> {
    vec![json!({"type": "section", "text": plain(text, SECTION_MAX)})]
}

/// Returns the blocks of the message that pairs a Slack user.
pub(super) fn pairing_blocks(url: &str) -> Vec<Value> {
    let text = "Open this link in the browser in which you use askbridge. Your Slack account then belongs to you there, \
                and you can answer from Slack. If you did not ask for this, ignore it.";
    let mut blocks = closed_blocks(text);
    match link_button(url) {
        Some(button) => blocks.push(json!({"type": "actions", "elements": [button]})),
        None => blocks.push(json!({"type": "section", "text": plain(url, SECTION_MAX)})),
    }
    blocks
}

/// Returns the text that notifications show, with Slack's three control characters escaped.
pub(super) fn fallback(title: &str, body: &str) -> String {
    let text = if title.trim().is_empty() { body.to_owned() } else { format!("{}: {body}", one_line(title)) };
    let text = clip(&text, FALLBACK_MAX, |char| escaped(char).map_or(char.len_utf16(), str::len));
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match escaped(char) {
            Some(entity) => safe.push_str(entity),
            None => safe.push(char),
        }
    }
    if safe.trim().is_empty() { NO_TEXT.to_owned() } else { safe }
}

fn escaped(char: char) -> Option<&'static str> {
    match char {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        _ => None,
    }
}

/// A choice of several: boxes or a menu, whose state arrives with the tap on the button below it.
fn several(buttons: &[Button]) -> Value {
    let kind = if buttons.len() <= CHECKBOXES_MAX { "checkboxes" } else { "multi_static_select" };
    json!({
        "type": "input",
        "block_id": CHOICE,
        "label": line("Choose", LABEL_MAX),
        "element": {"type": kind, "action_id": CHOICE, "options": options(buttons)},
    })
}

fn options(buttons: &[Button]) -> Vec<Value> {
    let option = |button: &Button| json!({"text": line(&button.label, LABEL_MAX), "value": button.ticket.0});
    buttons.iter().take(OPTIONS_MAX).map(option).collect()
}

fn element(action: &str, label: &str, ticket: Option<&Ticket>, tone: Tone) -> Value {
    let mut button = json!({"type": "button", "action_id": action, "text": line(label, LABEL_MAX)});
    if let Some(ticket) = ticket {
        button["value"] = ticket.0.as_str().into();
    }
    match tone {
        Tone::Plain => {}
        Tone::Allow => button["style"] = "primary".into(),
        Tone::Deny => button["style"] = "danger".into(),
    }
    button
}

/// Slack refuses a whole message for an address that it cannot open, so such an address is left out.
fn link_button(url: &str) -> Option<Value> {
    let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "https" | "http"))?;
    let url = parsed.as_str();
    if url.len() > URL_MAX {
        return None;
    }
    let mut button = element(OPEN, "Open", None, Tone::Plain);
    button["url"] = url.into();
    Some(button)
}

/// A text of one line.
pub(super) fn line(text: &str, max: usize) -> Value {
    plain(&one_line(text), max)
}

/// A text without markup. Slack counts as JavaScript does.
pub(super) fn plain(text: &str, max: usize) -> Value {
    let text = clip(text, max, char::len_utf16);
    let text = if text.trim().is_empty() { NO_TEXT } else { &text };
    json!({"type": "plain_text", "text": text, "emoji": false})
}

#[cfg(test)]
mod tests;
