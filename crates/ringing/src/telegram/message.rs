//! The text of a message, and the name by which it is found again.

use serde::Serialize;

use crate::clip::{clip, one_line};

/// Telegram's limit for a message.
pub(super) const TEXT_UNITS_MAX: usize = 4096;
pub(super) const TITLE_UNITS_MAX: usize = 256;
/// A longer address is left out: cut off it would lead elsewhere.
pub(super) const LINK_UNITS_MAX: usize = 1500;
const GAP: &str = "\n\n";

/// A text, and which part of it is bold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) entities: Vec<Entity>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entity {
    #[serde(rename = "type")]
    kind: &'static str,
    offset: usize,
    length: usize,
}

/// Puts a title above a text and an address below it. The text is shortened until all three fit.
pub(super) fn text(title: &str, body: &str, link: Option<&str>) -> Text {
    let title = one_line(title);
    let title = clip(&title, TITLE_UNITS_MAX, char::len_utf16);
    let link = link.filter(|link| units(link) <= LINK_UNITS_MAX).unwrap_or_default();
    let room = TEXT_UNITS_MAX - units(&title) - units(link) - 2 * units(GAP);
    let body = clip(body.trim(), room, char::len_utf16);
    let parts: Vec<&str> = [title.as_ref(), body.as_ref(), link].into_iter().filter(|part| !part.is_empty()).collect();
    let entities = match units(&title) {
        0 => Vec::new(),
        length => vec![Entity { kind: "bold", offset: 0, length }],
    };
    // Telegram refuses a message without text.
    let text = if parts.is_empty() { "askbridge".to_owned() } else { parts.join(GAP) };
    Text { text, entities }
}

/// Counts as Telegram does.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A message is known by its number in its chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) chat: i64,
    pub(super) message: i64,
}

impl Reference {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (chat, message) = text.split_once(':')?;
        Some(Self { chat: chat.parse().ok()?, message: message.parse().ok()? })
    }

    pub(super) fn write(self) -> String {
        format!("{}:{}", self.chat, self.message)
    }
}
