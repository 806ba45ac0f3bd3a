//! Reads the topic to which the buttons post.

use askbridge_core::ids::Timestamp;
use url::form_urlencoded;

use super::publish::{Published, authorization, root};
use crate::address::segment;
use crate::channel::Ntfy;
use crate::notice::Ticket;
use crate::wire::{Method, Request, Response};

/// How far the server's clock may be from ours.
const SKEW_SECONDS: i64 = 60;

/// One line of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A button was tapped. `id` is what the next subscription continues from.
    Message { id: String, ticket: Ticket },
    /// The subscription has begun.
    Open,
    /// The connection is alive. The server sends this every 45 seconds, unless it is set otherwise.
    KeepAlive,
    /// A line that is not from our buttons: the topic's name is not known, but nothing keeps anyone from posting there.
    Unreadable,
}

/// Opens the stream of the reply topic, from the message after `since` on. Without it, and where the server has forgotten
/// that message, from the oldest one that it has kept (twelve hours): a button that was tapped while we were not
/// listening counts, and a ticket that was used before has its outcome already.
pub fn subscribe(ntfy: &Ntfy, since: Option<&str>) -> Request {
    let since = form_urlencoded::byte_serialize(since.unwrap_or("all").as_bytes()).collect::<String>();
    let url = format!("{}/{}/json?since={since}", root(ntfy), segment(&ntfy.reply_topic, &[]));
    Request { method: Method::Get, url, headers: authorization(ntfy), body: Vec::new() }
}

/// Asks whether a message was published under this tag since then: after a kill nothing else shows whether the server
/// took it. Read the response with [`took`].
pub fn look(ntfy: &Ntfy, since: Timestamp) -> Request {
    // The server's clock may be ahead of ours or behind it; reminders are further apart than that.
    let since = since.0.div_euclid(1000) - SKEW_SECONDS;
    let url = format!("{}/{}/json?poll=1&since={since}", root(ntfy), segment(&ntfy.topic, &[]));
    Request { method: Method::Get, url, headers: authorization(ntfy), body: Vec::new() }
}

/// Returns whether the server took the message. `None`: it does not say so, for example because we may only publish.
pub fn took(response: &Response<'_>, tag: &str) -> Option<bool> {
    if !(200..300).contains(&response.status) {
        return None;
    }
    let lines = std::str::from_utf8(response.body).ok()?.lines().filter(|line| !line.trim().is_empty());
    let messages: Vec<Published> = lines.map(serde_json::from_str).collect::<Result<_, _>>().ok()?;
    Some(messages.iter().any(|message| message.sequence_id.as_deref() == Some(tag)))
}

/// Reads one line of the stream.
pub fn heard(line: &str) -> Heard {
    let Ok(Published { id, event, message, encoding, .. }) = serde_json::from_str(line) else {
        return Heard::Unreadable;
    };
    match event.as_str() {
        "open" => Heard::Open,
        // The others announce that a message was changed, cleared or deleted, which ours never are.
        "keepalive" | "message_delete" | "message_clear" | "poll_request" => Heard::KeepAlive,
        "message" if encoding.is_empty() && !id.is_empty() => match Ticket::read(message.trim()) {
            Some(ticket) => Heard::Message { id, ticket },
            None => Heard::Unreadable,
        },
        _ => Heard::Unreadable,
    }
}
