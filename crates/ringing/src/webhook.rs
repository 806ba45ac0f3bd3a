//! Posts to an address of the person's own, signed as [Standard Webhooks](https://www.standardwebhooks.com) say.
//!
//! The body is JSON:
//!
//! ```json
//! {
//!   "type": "ask.waits",
//!   "data": {
//!     "tag": "k7q2",
//!     "title": "Claude Code asks in shop",
//!     "body": "Deploy now?",
//!     "link": "https://bridge.example.org/#/asks/ask_…_1",
//!     "urgent": false,
//!     "buttons": [{"label": "Yes", "tone": "plain", "ticket": "…"}],
//!     "done": null,
//!     "words": null,
//!     "ask": {"id": "ask_…_1", "state": "open"}
//!   }
//! }
//! ```
//!
//! - `type`: `ask.waits` when an ask waits for a person (again for each reminder), `ask.settled` when it no longer does,
//!   `notice` when something else happened that the channel tells of, `test` when the person tries the channel.
//! - `tag` is the same in every post about the same matter.
//! - `title` and `body` are ready to be shown. Where the channel is set to hide contents they say only that something
//!   waits, and `ask` is null.
//! - `buttons`, `done` and `words` are empty unless the channel may decide. A ticket is a secret that decides: keep it
//!   as you would keep a password.
//! - `ask` has the shape of an ask in the HTTP API, or is null when there is none or there are several.
//!
//! Three headers carry the signature: `webhook-id` (the same for each attempt to deliver the same post),
//! `webhook-timestamp` (seconds since 1970) and `webhook-signature`: `v1,` and the HMAC-SHA256 of
//! `{id}.{timestamp}.{body}` in base64. A channel without a secret sends the first two only.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ring::hmac;
use serde_json::{Value, json};

use crate::channel::Webhook;
use crate::clip::first_line;
use crate::notice::{Button, Notice, Ticket, Tone};
use crate::wire::{Fate, Method, Request, Response};

/// Standard Webhooks asks for 24 to 64 bytes.
const SECRET_BYTES_MIN: usize = 24;
/// Longer secrets are refused: they are more likely a file that was pasted by mistake.
const SECRET_BYTES_MAX: usize = 512;
const PREFIX: &str = "whsec_";
/// How old or early a post may be for its receiver. Limits how long a recorded one can be sent again.
const TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Why a post is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    Waits,
    Settled,
    /// Something other than an ask.
    Notice,
    Test,
}

/// Returns the body of a post. `ask` is the ask as the HTTP API shows it, if its content may be told.
pub fn payload(occasion: Occasion, notice: &Notice, ask: Option<Value>) -> Value {
    let kind = match occasion {
        Occasion::Waits => "ask.waits",
        Occasion::Settled => "ask.settled",
        Occasion::Notice => "notice",
        Occasion::Test => "test",
    };
    let ticket = |ticket: &Option<Ticket>| ticket.as_ref().map(|ticket| ticket.0.clone());
    let Notice { tag, title, body, link, is_urgent, buttons, done, words, receipt: _ } = notice;
    json!({
        "type": kind,
        "data": {
            "tag": tag,
            "title": title,
            "body": body,
            "link": link,
            "urgent": is_urgent,
            "buttons": buttons.iter().map(button).collect::<Vec<_>>(),
            "done": ticket(done),
            "words": ticket(words),
            "ask": ask,
        },
    })
}

fn button(Button { label, ticket, tone }: &Button) -> Value {
    let tone = match tone {
        Tone::Plain => "plain",
        Tone::Allow => "allow",
        Tone::Deny => "deny",
    };
    json!({"label": label, "tone": tone, "ticket": ticket.0})
}

/// Makes the request. `id` names this post and stays the same when it is tried again; letters, digits and `_`.
pub fn send(webhook: &Webhook, id: &str, at: Timestamp, payload: &Value) -> Request {
    let body = payload.to_string().into_bytes();
    let timestamp = at.0.div_euclid(1000).to_string();
    let mut headers = vec![("content-type", "application/json".to_owned()), ("webhook-id", id.to_owned())];
    if let Some(secret) = &webhook.secret {
        let tag = hmac::sign(&key(secret), &signed(id, &timestamp, &body));
        headers.push(("webhook-signature", format!("v1,{}", STANDARD.encode(tag))));
    }
    headers.push(("webhook-timestamp", timestamp));
    Request { method: Method::Post, url: webhook.url.clone(), headers, body }
}

/// Reads the response to a post.
pub fn sent(response: &Response<'_>) -> Fate {
    let Response { status, retry_after, body } = *response;
    let said = || first_line(body).map_or_else(String::new, |line| format!(": {line}"));
    match status {
        200..=299 => Fate::Sent { reference: None },
        410 => Fate::Gone { why: format!("the address wants no more posts (410){}", said()) },
        408 | 425 | 429 | 500.. => {
            Fate::Later { after: retry_after, why: format!("the receiver answered {status}{}", said()) }
        }
        300..=399 => {
            Fate::Refused { why: format!("the address redirects ({status}); enter the one that it redirects to") }
        }
        _ => Fate::Refused { why: format!("the receiver answered {status}{}", said()) },
    }
}

/// Reads a secret as a person enters it, `whsec_…` or plain base64, and returns it as [`Webhook`] keeps it.
pub fn secret(text: &str) -> Result<String, String> {
    let text = text.trim();
    let digits = text.strip_prefix(PREFIX).unwrap_or(text);
    let bytes = decode(digits).ok_or_else(|| {
        format!("the secret is not base64; enter it as the receiver shows it, usually beginning with `{PREFIX}`")
    })?;
    match bytes.len() {
        ..SECRET_BYTES_MIN => Err(format!(
            "the secret has {} bytes, and at least {SECRET_BYTES_MIN} are needed; `openssl rand -base64 32` makes one",
            bytes.len()
        )),
        SECRET_BYTES_MIN..=SECRET_BYTES_MAX => Ok(STANDARD.encode(bytes)),
        _ => Err(format!("the secret has {} bytes, and at most {SECRET_BYTES_MAX} are allowed", bytes.len())),
    }
}

/// Checks a post as its receiver does: the signature, then the time. `signature` is the whole header, which holds
/// several signatures while a secret is being replaced.
pub fn verify(
    secret: &str,
    id: &str,
    timestamp: &str,
    signature: &str,
    body: &[u8],
    now: Timestamp,
) -> Result<(), String> {
    let (key, message) = (key(secret), signed(id, timestamp, body));
    let ours = signature.split(' ').filter_map(|one| STANDARD.decode(one.strip_prefix("v1,")?).ok());
    if !ours.into_iter().any(|tag| hmac::verify(&key, &message, &tag).is_ok()) {
        return Err("no signature fits the body and the secret".into());
    }
    let sent = timestamp.parse::<i64>().map_err(|_| "the timestamp is not a number")?;
    let sent = Timestamp(sent.saturating_mul(1000));
    if now.since(sent).max(sent.since(now)) > TOLERANCE {
        return Err("the post is older than five minutes, or comes from the future".into());
    }
    Ok(())
}

fn signed(id: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
    [id.as_bytes(), timestamp.as_bytes(), body].join(&b'.')
}

/// A secret that [`secret`] did not return is used as it is. The receiver then refuses the signature, and the person
/// is told so; an unsigned post could go unnoticed.
fn key(secret: &str) -> hmac::Key {
    let bytes = decode(secret).unwrap_or_else(|| secret.as_bytes().to_vec());
    hmac::Key::new(hmac::HMAC_SHA256, &bytes)
}

/// Decodes both alphabets of base64, with and without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let plain = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    STANDARD_NO_PAD.decode(plain).ok()
}

#[cfg(test)]
mod tests;
