//! The `hook` door: an agent in a person's own terminal, which calls `askbridge hook` when it needs somebody.
//!
//! Spoken by Claude Code (hooks in its settings, or our plugin) and by Codex (hooks in its settings). Each event is
//! one request on the local socket: what the agent writes to its hook comes in as it is, what the hook has to print goes
//! out. The terminal's own dialog is on screen meanwhile, and whoever answers first wins. No opinion is an empty answer.
//!
//! Proof of delivery: the event after the call, which says what the call was really run with; it also shows that the
//! terminal was faster. A denied call has no such event; the end of the turn is its proof. Codex shows no dialog meanwhile
//! and is not asked for more events than needed: there the hook that takes an answer is the proof.
//!
//! The addresses and the waiting are the bridge's; this folder holds what is said. Known from experiments with Claude Code
//! 2.1.325 and Codex 0.166.

mod answer;
mod asking;
mod choose;
mod done;
mod hear;
mod mouth;
mod record;
mod resuming;
mod version;
mod wire;

pub use answer::{answer, defer, say_along, say_more, swallowed};
pub use asking::{Around, wish};
pub use choose::{Facts, Step, choose};
pub use done::{Finished, finished, is_about, is_certain, told};
pub use hear::{Agent, Call, Heard, What, hear};
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
