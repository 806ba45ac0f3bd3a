//! `asker`: an agent that connects to us and asks over its own connection.
//!
//! Like a messenger's plugin, or a command line that speaks over its pipes. The token comes in the address. Only this
//! connection leads back: when it dies, open asks are stranded, and their answers become notes. An agent that comes back
//! and asks with the same id asks the same thing; a verdict that it has not acknowledged is handed to it again. Proof of
//! delivery is its own `heard`: at least once, with a stable id.

mod peer;
mod tell;
mod wire;

pub use peer::Asker;

use askbridge_core::terms::Wishes;
use askbridge_peers::listing::{Greeting, Listing, Login, Route, RouteKind, Served};

pub const NAME: &str = "asker";

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[Route { method: "GET", path: "/asker", kind: RouteKind::Socket }],
    login: Login::FirstFrame,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: Some(|hello| match hello.query.strip_prefix("token=") {
        Some(token) => Greeting::Open(Box::new(Asker::new(token))),
        None => Greeting::Refuse(401, "bring your token as ?token=".to_owned()),
    }),
};
