//! A message that the server delivers by itself unless we keep postponing it: it tells people that askbridge is down.

use std::time::Duration;

use super::publish::{Message, PRIORITY_HIGH, post, remove};
use crate::channel::Ntfy;
use crate::wire::Request;

/// The shortest and the longest time for which a server keeps a message.
pub const DELAY_MIN: Duration = Duration::from_secs(10);
pub const DELAY_MAX: Duration = Duration::from_hours(72);

/// Lets the server deliver `text` after `delay`, instead of an alarm under the same tag that it has not delivered yet.
/// Each time counts as a message, and ntfy.sh takes 250 a day. Needs server 2.16: an older one would deliver them all, so
/// schedule a second one only if [`sent`](super::sent) returned a reference for the first.
pub fn schedule(ntfy: &Ntfy, tag: &str, delay: Duration, text: &str) -> Request {
    let seconds = delay.clamp(DELAY_MIN, DELAY_MAX).as_secs();
    let message = Message {
        topic: &ntfy.topic,
        message: text.trim().to_owned(),
        title: "askbridge".to_owned(),
        priority: PRIORITY_HIGH,
        tags: ["warning"],
        click: None,
        actions: Vec::new(),
        sequence_id: tag,
        delay: Some(format!("{seconds}s")),
    };
    post(ntfy, message)
}

/// Cancels the alarm, because askbridge is stopped on purpose.
pub fn cancel(ntfy: &Ntfy, tag: &str) -> Request {
    remove(ntfy, tag)
}
