//! The `mcp` door: any program that speaks the Model Context Protocol gets tools with which its model asks a person.
//!
//! Streamable HTTP at `/mcp`, one machine for each request; `askbridge mcp` is the same over stdin and stdout. Used by
//! Claude Code, Codex, OpenCode, Gemini CLI, editors and the official SDKs, in the revisions from 2024-11-05 to
//! 2025-11-25 (with a handshake) and 2026-07-28 (without). The wire is small enough to be written here: no library
//! serves both forms without a runtime of its own.
//!
//! Clients cut long calls silently, so a question is stored first, waited for as long as this client lets us
//! (`clients.rs`), and answered with a ticket after that. Everything that the model has not been told goes along with
//! the next result of any tool. Proof of delivery: the connection took the result. That is at least once, by a stable
//! id: a client that gave up silently may ask the same again, and gets the same answer.

mod ask;
mod client_session;
mod clients;
mod dialog;
mod era;
mod gather;
mod greeting;
mod hear;
mod outcome;
mod peer;
mod prompt;
mod rpc;
mod sse;
mod stdio;
mod tasks;
mod tools;
mod wait;

pub use clients::Patience;
pub use stdio::{CONTEXT, Passed, SESSION_ID, StdioAction, StdioSession, whereabouts};
pub use tools::ASK_TOOLS;

use askbridge_core::terms::Wishes;

use crate::listing::{Greeting, Hello, Listing, Login, Route, RouteKind, Served};

/// The door's name in sessions and asks.
pub const NAME: &str = "mcp";

const PATH: &str = "/mcp";

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        Route { method: "POST", path: PATH, kind: RouteKind::Request },
        Route { method: "GET", path: PATH, kind: RouteKind::Request },
        Route { method: "DELETE", path: PATH, kind: RouteKind::Request },
    ],
    login: Login::Bearer,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: Some(greet),
};

fn greet(hello: &Hello<'_>) -> Greeting {
    Greeting::Open(Box::new(peer::Mcp::new(hello.patience.clone(), hello.caller.unwrap_or_default())))
}
