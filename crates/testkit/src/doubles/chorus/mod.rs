//! `chorus`: many sessions on one socket, for a screen that can only append.
//!
//! Like the web chats that show every conversation of a daemon at once. The token comes with the upgrade. Text arrives in
//! deltas, of which some may be lost; what was stored completes a block. Answers name the agent's call, or nothing: then
//! the only open ask of the session is meant. What is granted is not acknowledged: the screen sees that it happened.

mod peer;
mod wire;

pub use peer::Chorus;

use askbridge_core::fit::Abilities;
use askbridge_core::terms::Wishes;
use askbridge_peers::listing::{Greeting, Listing, Login, Route, RouteKind, Served};

pub const NAME: &str = "chorus";

/// Everything is a question here, in plain words.
pub const ABILITIES: Abilities = Abilities {
    approvals: false,
    plans: false,
    forms: false,
    previews: false,
    descriptions: false,
    notes: false,
    options_max: 9,
    header_chars_max: 12,
    ..Abilities::FULL
};

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[Route { method: "GET", path: "/chorus", kind: RouteKind::Socket }],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: Some(|_| Greeting::Open(Box::new(Chorus::default()))),
};
