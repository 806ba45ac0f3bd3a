//! Sends a notice, changes it, and answers taps.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{call, is_done_already, read};
use super::keyboard::{Keyboard, button_address, keyboard};
use super::message::{Reference, Text, text};
use crate::address::web;
use crate::channel::{Telegram, TelegramChat};
use crate::clip::{clip, one_line};
use crate::notice::Notice;
use crate::wire::{Fate, Request, Response};

/// Telegram's limits for the answer to a tap, and for the text in an empty input field.
pub(super) const TAP_TEXT_UNITS_MAX: usize = 200;
pub(super) const PLACEHOLDER_UNITS_MAX: usize = 64;

/// Sends a notice to the paired chat. A reply in words is asked for with [`prompt`], when its button is tapped: a message
/// that opens the keyboard by itself could not be changed later.
pub fn send(telegram: &Telegram, notice: &Notice) -> Result<Request, Fate> {
    let chat = paired(telegram)?.chat;
    // What cannot be a button can still be copied.
    let link = notice.link.as_deref().filter(|link| button_address(link).is_none()).and_then(web).map(String::from);
    let Text { text, entities } = text(&notice.title, &notice.body, link.as_deref());
    let mut params =
        json!({ "chat_id": chat, "text": text, "entities": entities, "link_preview_options": no_preview() });
    let keyboard = keyboard(notice, &[]);
    if !keyboard.inline_keyboard.is_empty() {
        params["reply_markup"] = json!(keyboard);
    }
    Ok(call(telegram, "sendMessage", &params))
}

/// Telegram would fetch addresses out of the agent's text, to show what is there.
fn no_preview() -> Value {
    json!({ "is_disabled": true })
}

/// Reads the response to [`send`] and [`prompt`].
pub fn sent(response: &Response<'_>) -> Fate {
    #[derive(Deserialize)]
    struct Message {
        message_id: i64,
        chat: Chat,
    }
    #[derive(Deserialize)]
    struct Chat {
        id: i64,
    }
    match read::<Message>(response) {
        Ok(Message { message_id, chat }) => {
            Fate::Sent { reference: Some(Reference { chat: chat.id, message: message_id }.write()) }
        }
        Err(fate) => fate,
    }
}

/// Replaces a notice by a line that says what became of it, without buttons. An empty line removes the buttons only.
pub fn close(telegram: &Telegram, reference: &str, line: &str) -> Result<Request, Fate> {
    let Reference { chat, message } = ours(telegram, reference)?;
    let mut params = json!({ "chat_id": chat, "message_id": message, "reply_markup": Keyboard::default() });
    if line.trim().is_empty() {
        return Ok(call(telegram, "editMessageReplyMarkup", &params));
    }
    params["text"] = json!(text("", line, None).text);
    params["link_preview_options"] = no_preview();
    Ok(call(telegram, "editMessageText", &params))
}

/// Draws the keyboard of a notice again, with check marks at the options in `chosen`.
pub fn toggle(telegram: &Telegram, reference: &str, notice: &Notice, chosen: &[usize]) -> Result<Request, Fate> {
    let Reference { chat, message } = ours(telegram, reference)?;
    let params = json!({ "chat_id": chat, "message_id": message, "reply_markup": keyboard(notice, chosen) });
    Ok(call(telegram, "editMessageReplyMarkup", &params))
}

/// Asks for a reply in words to a notice, and opens the person's keyboard. The reply names this message as the one that
/// it replies to ([`What::Words`](super::What::Words)).
pub fn prompt(telegram: &Telegram, reference: &str, question: &str, placeholder: &str) -> Result<Request, Fate> {
    let Reference { chat, message } = ours(telegram, reference)?;
    let placeholder = one_line(placeholder);
    let placeholder = clip(&placeholder, PLACEHOLDER_UNITS_MAX, char::len_utf16);
    let mut markup = json!({ "force_reply": true });
    if !placeholder.is_empty() {
        markup["input_field_placeholder"] = json!(placeholder);
    }
    let params = json!({
        "chat_id": chat,
        "text": text("", question, None).text,
        "link_preview_options": no_preview(),
        "reply_parameters": { "message_id": message, "allow_sending_without_reply": true },
        "reply_markup": markup,
    });
    Ok(call(telegram, "sendMessage", &params))
}

/// How the answer to a tap is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// For a few seconds, above the chat.
    Briefly,
    /// Until the person closes it.
    UntilClosed,
}

/// Answers a tap, once: a second answer is not shown. Until then the button shows that it is busy.
pub fn answer_tap(telegram: &Telegram, callback: &str, text: &str, shown: Shown) -> Request {
    let mut params = json!({ "callback_query_id": callback });
    let text = clip(text.trim(), TAP_TEXT_UNITS_MAX, char::len_utf16);
    if !text.is_empty() {
        params["text"] = json!(text);
        params["show_alert"] = json!(shown == Shown::UntilClosed);
    }
    call(telegram, "answerCallbackQuery", &params)
}

/// Reads the response to [`close`], [`toggle`] and [`answer_tap`]. A message that looks so already, or that the person
/// has deleted, and a tap that is too old, need nothing more.
pub fn changed(response: &Response<'_>) -> Fate {
    match read::<Value>(response) {
        Ok(_) => Fate::Sent { reference: None },
        Err(_) if is_done_already(response) => Fate::Sent { reference: None },
        Err(fate) => fate,
    }
}

fn paired(telegram: &Telegram) -> Result<TelegramChat, Fate> {
    telegram.chat.ok_or_else(|| Fate::Refused { why: "no chat is paired with this bot yet".to_owned() })
}

/// Returns the message that a reference names, if it is in the paired chat: another chat's are no longer ours to change.
fn ours(telegram: &Telegram, reference: &str) -> Result<Reference, Fate> {
    let chat = paired(telegram)?.chat;
    let reference = Reference::read(reference).filter(|reference| reference.chat == chat);
    reference.ok_or_else(|| Fate::Refused { why: "the message is not in the paired chat".to_owned() })
}
