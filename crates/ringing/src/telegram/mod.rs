//! [Telegram](https://core.telegram.org/bots/api): a private chat with a bot of the operator's own. We send messages with
//! buttons, and read taps and replies with a long poll, so that nothing has to reach us.
//!
//! - A person pairs the chat with a one-time code in the bot's link ([`link`], [`What::Start`]). From then on an update
//!   counts only if chat and person are the paired ones ([`is_paired`]); names are never compared.
//! - Texts are sent plain, and the title is made bold by its position, so there is nothing to escape.
//!   Positions and limits count UTF-16 code units, as Telegram does.
//! - A button carries a ticket, whole. One tap is answered once ([`answer_tap`]), after it was decided.
//! - Only one program can poll a bot; a second one is told so, and so is the first.

mod call;
mod keyboard;
mod message;
mod sending;
mod setup;
#[cfg(test)]
mod tests;
mod updates;

pub use sending::{Shown, answer_tap, changed, close, prompt, send, sent, toggle};
pub use setup::{check, checked, link, problem};
pub use updates::{POLL_SECONDS, Update, What, is_paired, next_offset, poll, updates};
