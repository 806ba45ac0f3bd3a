//! [ntfy](https://ntfy.sh): a topic on a server that phones subscribe to. We publish a notice there. Its buttons post a
//! ticket to a second, random topic of the same server, which we read, so that an answer comes back although the phone
//! cannot reach us; where it can, they post the ticket to an address of ours.
//!
//! What the server does to a message decides most of what is here (server 2.13 and 2.16 and later, `server/server.go`):
//!
//! - It turns the fields of the JSON into headers of a request of its own, and decodes encoded words of RFC 2047
//!   (`=?utf-8?q?…?=`) in them. All actions are one such header, a JSON text. An encoded word in a label would thus be
//!   decoded inside that JSON text and could replace a button's address, so none is sent.
//! - A message of more than 4096 bytes becomes an attachment; JSON of more than twice that is refused.
//! - Messages with the same `sequence_id` replace each other, and `DELETE` removes them, on Android and in browsers. iOS
//!   shows both. Servers before 2.16 ignore the field, and do not return it.
//! - Every subscriber of the topic sees the actions, so they never carry an account's token. The phone posts to the reply
//!   topic as anyone: where the server denies that by default, its operator allows it ([`allow_buttons`]).

mod alarm;
mod publish;
mod replies;
mod settings;
#[cfg(test)]
mod tests;

pub use alarm::{DELAY_MAX, DELAY_MIN, cancel, schedule};
pub use publish::{close, send, sent};
pub use replies::{Heard, heard, look, subscribe, took};
pub use settings::{allow_buttons, check, check_buttons, check_reading, check_replies, checked, is_public, problem};
