//! The `hook` door: an agent in a person's own terminal, which calls `askbridge hook` when it needs a decision.
//!
//! Used by Claude Code (hooks in its settings, or our plugin) and by Codex (hooks in its settings). Each event is one
//! request on the local socket: the agent's input to its hook comes in unchanged, and the response is what the hook
//! prints. The terminal's own dialog is on screen meanwhile, and the first answer wins. Empty means no opinion.
//!
//! Proof of delivery: the event after the call, which reports the input that the call ran with; it also shows that the
//! terminal was faster. A denied call has no such event; the end of the turn is its proof. Codex shows no dialog
//! meanwhile and is not asked for more events than needed: there the hook that takes an answer is the proof.
//!
//! The addresses and the waiting are in the bridge; this folder reads the events and writes the answers. Known from
//! experiments with Claude Code 2.1.325 and Codex 0.166.

pub mod advice;
mod answer;
mod asking;
mod choose;
mod denied;
mod done;
mod hear;
mod mouth;
mod record;
mod resuming;
mod version;
mod wire;

pub use crate::tools::ToolCall;
pub use answer::{answer, defer, say_along, say_more, swallowed};
pub use asking::{Around, wish};
pub use choose::{Facts, HookAction, choose};
pub use denied::{denied_wish, may_retry};
pub use done::{Finished, finished, is_about, is_certain, told};
pub use hear::{Agent, HookEvent, HookEventKind, hear};
pub use mouth::Mouth;
pub use record::{Record, read_record};
pub use resuming::kept_flags;
pub use version::Version;

use askbridge_core::terms::Wishes;

use crate::listing::{Listing, Login, Served};

/// The door's name in sessions and asks.
pub const NAME: &str = "hook";

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: None,
};
