//! Slack: direct messages with buttons, over an app of the operator's own. Answers come back over Socket Mode, a
//! WebSocket that we open, so Slack never has to reach us.
//!
//! - `api.rs`: the requests, and what the responses mean
//! - `blocks.rs`: what a message looks like; `modal.rs`: the window for an answer in words
//! - `envelope.rs`: what arrives over the connection
//!
//! The app needs an app-level token with `connections:write` and a bot token with `chat:write`; interactivity and
//! Socket Mode are switched on in its settings. A slash command is needed only to pair from within Slack, and no event
//! subscription at all: messages are not read.

mod api;
mod blocks;
mod envelope;
mod modal;

pub use api::{Workspace, check, checked, close, modal, open, opened, pair, reply, send, sent};
pub use envelope::{Envelope, Sender, Tap, What, envelope};
