//! Reads the topic to which the buttons post.

use url::form_urlencoded;

use super::publish::{Published, authorization, root};
use crate::address::segment;
use crate::channel::Ntfy;
use crate::notice::Ticket;
use crate::wire::{Method, Request};

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
