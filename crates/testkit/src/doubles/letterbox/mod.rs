//! `letterbox`: letters come as an event stream, replies go by post.
//!
//! Like the web chats that stream over HTTP and post an answer to another address. The token is a bearer's. Each letter
//! carries the cursor to come back to as its id, so a browser resumes by itself.

mod peer;

pub use peer::Letterbox;

use askbridge_core::fit::Abilities;
use askbridge_core::terms::Wishes;
use askbridge_peers::listing::{Greeting, Listing, Login, Route, RouteKind, Served};

pub const NAME: &str = "letterbox";

/// Options to tick, and nothing to write with.
pub const ABILITIES: Abilities = Abilities {
    approvals: false,
    plans: false,
    forms: false,
    notes: false,
    free_text: false,
    questions_max: 4,
    options_max: 12,
    ..Abilities::FULL
};

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        Route { method: "GET", path: "/letterbox", kind: RouteKind::Request },
        Route { method: "POST", path: "/letterbox/reply", kind: RouteKind::Request },
    ],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: Some(|_| Greeting::Open(Box::new(Letterbox::default()))),
};
