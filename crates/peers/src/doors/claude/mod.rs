//! The `claude` door: Claude Code, run by askbridge, over its own stdio protocol.
//!
//! Lines of JSON in both directions. A question is held at a `PreToolUse` hook, which is the one place where Claude Code
//! lets a call wait, be answered, or be deferred so that the process can end. Everything else that needs a person comes
//! as `can_use_tool` or `elicitation`. Proof of delivery: the `tool_result` with the call's id for verdicts, and
//! `command_lifecycle: started` with the message's uuid for messages. Both are stable over restarts of either side.
//!
//! Known from experiments with version 2.1.325; undocumented behaviour is listed in `quirks.rs`.

mod always;
mod answer;
mod asking;
mod blocks;
mod calls;
mod consulting;
mod control;
mod denied;
mod hear;
mod interrupts;
mod mcp;
mod messages;
mod parking;
mod peer;
mod quirks;
mod reply;
mod say;
mod tell;
mod turns;
mod wire;

pub use always::AlwaysAsk;
pub use mcp::{SERVER as MCP_SERVER, TOOL as MCP_TOOL};
pub use peer::{Begin, Carry, Claude, Process};
pub use quirks::MODE_THAT_DENIES;
pub use say::session_uuid;

use askbridge_core::terms::Wishes;

use crate::listing::{Listing, Login, Served};

/// The door's name in sessions and asks.
pub const NAME: &str = "claude";

/// Closes the conversation because the question is parked: the process ends, the session goes on.
pub const PARKED: u16 = 4001;
/// Closes the conversation because the session is over.
pub const CLOSED: u16 = 4002;

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: true,
    greet: None,
};
