//! Checks a bot's settings, and writes the link that pairs a chat with it.

use serde::Deserialize;
use serde_json::json;

use super::call::{call, read};
use crate::address::{segment, web};
use crate::channel::Telegram;
use crate::wire::{Fate, Request, Response};

/// Returns what is wrong with the settings themselves, before anything is sent.
pub fn problem(telegram: &Telegram) -> Option<String> {
    if web(&telegram.api).is_none() {
        return Some(format!("`{}` is not an address such as https://api.telegram.org", telegram.api));
    }
    let is_token = telegram.bot_token.split_once(':').is_some_and(|(id, secret)| {
        let is_secret = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_digit())
            && !secret.is_empty()
            && secret.bytes().all(is_secret)
    });
    (!is_token).then(|| "a bot's token is a number, a colon, and letters; @BotFather shows it".to_owned())
}

/// Asks who the bot is.
pub fn check(telegram: &Telegram) -> Request {
    call(telegram, "getMe", &json!({}))
}

/// Reads the response to [`check`]: the bot's user name, or the reason that Telegram gave.
pub fn checked(response: &Response<'_>) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Bot {
        username: String,
    }
    match read::<Bot>(response) {
        Ok(bot) => Ok(bot.username),
        Err(Fate::Later { why, .. } | Fate::Refused { why } | Fate::Gone { why }) => Err(why),
        Err(Fate::Sent { .. }) => Err("the response is not one of Telegram's".to_owned()),
    }
}

/// Returns the link that opens a chat with the bot, and sends it the code when the person taps *Start*. The code is at
/// most 64 letters, digits, `-` and `_`.
pub fn link(bot_name: &str, code: &str) -> String {
    format!("https://t.me/{}?start={}", segment(bot_name, &[]), segment(code, &[]))
}
