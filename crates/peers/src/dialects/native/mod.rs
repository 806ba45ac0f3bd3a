//! The `native` dialect: askbridge's own WebSocket, `/v1/ws`.
//!
//! Used by the web app, the command line and any new front end. The client says hello with its token and perhaps a
//! cursor; it gets a snapshot, or the events since the cursor; then every event as it happens. Its requests carry a tag
//! of its own, and get a reply with the same tag once they are durable. The resulting events are told before the reply.

mod hear;
mod peer;
mod schema;
mod tell;
mod wire;

pub use peer::Native;
pub use schema::{EVENT_SCHEMA_ID, EventRecord, client_frame, server_frame};
pub use tell::{SnapshotParts, delta_frame, draft_frame, event_frame, gone_frame, own_frame};

use askbridge_core::terms::Wishes;

use crate::listing::{Greeting, Listing, Login, Route, RouteKind, Served};

/// The dialect's name in `via`.
pub const NAME: &str = "native";

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[Route { method: "GET", path: "/v1/ws", kind: RouteKind::Socket }],
    login: Login::FirstFrame,
    served: Served::Always,
    wishes: Wishes::default,
    hosted: false,
    greet: Some(|hello| Greeting::Open(Box::new(Native::new(hello.caller.is_some())))),
};
