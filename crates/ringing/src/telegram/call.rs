//! One call of the Bot API, and what its response says.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::address::segment;
use crate::channel::Telegram;
use crate::clip::quote;
use crate::wire::{Fate, Method, Request, Response};

/// Telegram asks for seconds or minutes; more than this is a mistake.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);

/// The token is part of the address, because the API has no other place for it.
pub(super) fn call(telegram: &Telegram, method: &str, params: &Value) -> Request {
    let api = telegram.api.trim_end_matches('/');
    Request {
        method: Method::Post,
        url: format!("{api}/bot{}/{method}", segment(&telegram.bot_token, b":")),
        headers: vec![("content-type", "application/json".to_owned())],
        body: params.to_string().into_bytes(),
    }
}

#[derive(Deserialize)]
struct Reply<T> {
    ok: bool,
    #[serde(default = "nothing")]
    result: Option<T>,
}

fn nothing<T>() -> Option<T> {
    None
}

#[derive(Default, Deserialize)]
struct Problem {
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Default, Deserialize)]
struct Parameters {
    #[serde(default)]
    retry_after: Option<u64>,
}

/// Returns the result of a call, or what became of it.
pub(super) fn read<T: DeserializeOwned>(response: &Response<'_>) -> Result<T, Fate> {
    if !(200..300).contains(&response.status) {
        return Err(failed(response));
    }
    match serde_json::from_slice::<Reply<T>>(response.body) {
        Ok(Reply { ok: true, result: Some(result) }) => Ok(result),
        _ => Err(Fate::Refused { why: "the response is not one of Telegram's".to_owned() }),
    }
}

fn failed(response: &Response<'_>) -> Fate {
    let Problem { description, parameters } = serde_json::from_slice(response.body).unwrap_or_default();
    let asked = parameters.retry_after.map(Duration::from_secs).or(response.retry_after);
    let after = asked.map(|after| after.min(RETRY_AFTER_MAX));
    let why = match quote(&description).as_str() {
        "" => format!("HTTP {}", response.status),
        reason => format!("{reason} (HTTP {})", response.status),
    };
    let says = |words: &str| description.contains(words);
    match response.status {
        // A token that is not even well-formed is an address that does not exist.
        401 | 404 => Fate::Refused { why: format!("Telegram does not know the bot's token: {why}") },
        // Blocked, deactivated, or thrown out of the chat.
        403 => Fate::Gone { why },
        400 if says("chat not found") || says("upgraded to a supergroup") || says("USER_IS_BLOCKED") => {
            Fate::Gone { why }
        }
        409 if says("webhook is active") => Fate::Refused { why },
        409 | 408 | 429 | 500..=599 => Fate::Later { after, why },
        _ => Fate::Refused { why },
    }
}

/// Does a failed change say that there is nothing left to change?
pub(super) fn is_done_already(response: &Response<'_>) -> bool {
    let Problem { description, .. } = serde_json::from_slice(response.body).unwrap_or_default();
    let nothing_left = [
        "message is not modified",
        "message to edit not found",
        "message can't be edited",
        "MESSAGE_ID_INVALID",
        "query is too old",
    ];
    response.status == 400 && nothing_left.iter().any(|words| description.contains(words))
}
