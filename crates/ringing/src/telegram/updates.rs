//! Reads what people did in their chats with the bot.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{call, read};
use super::message::Reference;
use crate::channel::{Telegram, TelegramChat};
use crate::notice::Ticket;
use crate::wire::{Fate, Request, Response};

/// How long Telegram holds a poll open if nothing happens. The request needs more patience than that.
pub const POLL_SECONDS: u64 = 50;
/// The longest code that a bot's link can carry.
const CODE_CHARS_MAX: usize = 64;

/// One thing that happened. Telegram repeats it until a poll asks for a later one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub id: i64,
    pub what: What,
}

/// What happened. `chat` says where and who, and anyone can write to a bot: see [`is_paired`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The bot was started with a code from our link, in a private chat.
    Start { code: String, chat: TelegramChat },
    /// A button was tapped. `callback` is what the tap is answered by, `message` the message that has the button.
    Tap { callback: String, ticket: Ticket, chat: TelegramChat, message: String },
    /// Something was written. `reply_to` is the message that it replies to.
    Words { chat: TelegramChat, reply_to: Option<String>, text: String },
    /// `/inbox`
    Inbox { chat: TelegramChat },
    /// `/away` and `/away on`, or `/back` and `/away off`.
    Away { chat: TelegramChat, is_away: bool },
    /// Nothing for us: a sticker, a blank message, a button that is not ours, an event of a group.
    Other,
}

/// Updates in one response. Anyone can write long messages to a bot, and one response has a limit.
const UPDATES_MAX: u8 = 1;

/// Asks for what happened from the update `offset` on; the ones before it are then forgotten. Waits for
/// [`POLL_SECONDS`].
pub fn poll(telegram: &Telegram, offset: Option<i64>) -> Request {
    let mut params =
        json!({ "timeout": POLL_SECONDS, "limit": UPDATES_MAX, "allowed_updates": ["message", "callback_query"] });
    if let Some(offset) = offset {
        params["offset"] = json!(offset);
    }
    call(telegram, "getUpdates", &params)
}

/// Reads the response to [`poll`]. An update that cannot be read is [`What::Other`], so that the next poll passes it.
/// [`Fate::Later`] with a 409 is a second program that polls the same bot.
pub fn updates(response: &Response<'_>) -> Result<Vec<Update>, Fate> {
    let result: Vec<Value> = read(response)?;
    let update = |value: Value| {
        let id = value.get("update_id")?.as_i64()?;
        let what = serde_json::from_value(value).ok().and_then(what).unwrap_or(What::Other);
        Some(Update { id, what })
    };
    Ok(result.into_iter().filter_map(update).collect())
}

/// Returns the offset for the next poll, once these updates have been dealt with.
pub fn next_offset(updates: &[Update]) -> Option<i64> {
    updates.iter().map(|update| update.id.saturating_add(1)).max()
}

/// Does this come from the paired chat, and in it from the paired person? Anything else decides nothing: a stranger who
/// found the bot, or another member of a group.
pub fn is_paired(telegram: &Telegram, from: TelegramChat) -> bool {
    telegram.chat == Some(from)
}

#[derive(Deserialize)]
struct Happened {
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    callback_query: Option<Query>,
}

#[derive(Deserialize)]
struct Message {
    message_id: i64,
    /// Missing for what a channel posts.
    #[serde(default)]
    from: Option<User>,
    chat: Chat,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    reply_to_message: Option<RepliedTo>,
}

#[derive(Deserialize)]
struct RepliedTo {
    message_id: i64,
}

#[derive(Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct User {
    id: i64,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
struct Query {
    id: String,
    from: User,
    /// Has at least these fields even when the message is too old to be shown.
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    data: Option<String>,
}

fn what(happened: Happened) -> Option<What> {
    match happened {
        Happened { callback_query: Some(query), .. } => tap(query),
        Happened { message: Some(message), .. } => written(message),
        Happened { .. } => None,
    }
}

fn tap(query: Query) -> Option<What> {
    let Message { message_id, chat, .. } = query.message?;
    let ticket = Ticket::read(&query.data?)?;
    let message = Reference { chat: chat.id, message: message_id }.write();
    Some(What::Tap { callback: query.id, ticket, chat: TelegramChat { chat: chat.id, user: query.from.id }, message })
}

fn written(message: Message) -> Option<What> {
    let Message { from, chat: Chat { id, kind }, text, reply_to_message, .. } = message;
    let from = from.filter(|user| !user.is_bot)?;
    let text = text.filter(|text| !is_blank(text))?;
    let chat = TelegramChat { chat: id, user: from.id };
    let reply_to = reply_to_message.map(|to| Reference { chat: id, message: to.message_id }.write());
    // A reply is an answer even if it looks like a command: `/etc/hosts`, `/back`.
    let words: Vec<&str> = if reply_to.is_none() { text.split_whitespace().take(3).collect() } else { Vec::new() };
    // In groups a command may name the bot: `/inbox@our_bot`.
    let command = words.first().map(|word| word.split_once('@').map_or(*word, |(command, _)| command));
    match (command, words.get(1..).unwrap_or_default()) {
        (Some("/start"), [code]) if kind == "private" && is_code(code) => {
            Some(What::Start { code: (*code).to_owned(), chat })
        }
        (Some("/start"), _) => None,
        (Some("/inbox"), []) => Some(What::Inbox { chat }),
        (Some("/away"), [] | ["on"]) => Some(What::Away { chat, is_away: true }),
        (Some("/back"), []) | (Some("/away"), ["off"]) => Some(What::Away { chat, is_away: false }),
        _ => Some(What::Words { chat, reply_to, text }),
    }
}

fn is_code(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=CODE_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_allowed)
}

/// Is there nothing to see in a text? Besides space: joiners, directions, selectors and the blanks of some scripts.
fn is_blank(text: &str) -> bool {
    text.chars().all(|char| {
        char.is_whitespace()
            || char.is_control()
            || matches!(char, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
    })
}
