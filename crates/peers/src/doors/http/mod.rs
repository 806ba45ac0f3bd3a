//! The `http` door: any program asks with one POST, and comes back for the answer.
//!
//! Used by shell scripts (`askbridge ask`), CI jobs and agents with an HTTP client. The addresses have typed handlers
//! in the bridge, so that the API can describe itself; this folder reads their bodies. Proof of delivery: the asker
//! fetched the settled ask. The idempotency key makes it once: the same key is the same ask and the same answer.

mod documented;
mod hear;
mod slips;
mod stated;
mod wire;

pub use hear::{AskError, Asking, ask};
pub use stated::stated;
pub use wire::NewAsk;

use askbridge_core::terms::Wishes;

use crate::listing::{Listing, Login, Served};

/// The door's name in sessions and asks.
pub const NAME: &str = "http";

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: None,
};
