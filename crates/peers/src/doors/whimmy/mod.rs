//! `whimmy`: OpenClaw's channel plugin for a mobile messenger, whose server and app are closed. We are that server.
//!
//! The plugin opens one socket for each account, asks (`ask_user_question`, `exec.approval.requested`), and runs its
//! agents on people's messages (`hook.agent`). It keeps pending questions in memory, by id, accepts answers on any
//! socket, and gives up silently, so we keep the clock. An answer is `Pull`: it stays, and goes to any connection that
//! is there. Proof of delivery is the `pong` to a `ping` that follows the answer: at least once, by a stable id. As of
//! 0.6.0, February 2026; what it cannot express is in `docs/doors/whimmy.md`.

mod again;
mod answer;
mod asks;
mod chat;
mod events;
mod hear;
mod memory;
mod models;
mod multipart;
mod peer;
mod plugin_session;
mod quirks;
mod requests;
mod wire;

pub use peer::Whimmy;

use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Wait, WhileOpen, Wishes};

use crate::listing::{Carrier, Greeting, Hello, Listing, Login, Route, RouteKind, Served, WayIn};

pub const NAME: &str = "whimmy";

const SOCKET: &str = "/api/v1/providers/ws";

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        Route { method: "GET", path: SOCKET, kind: RouteKind::Socket },
        Route { method: "POST", path: "/api/v1/providers/pair/redeem", kind: RouteKind::Open },
        Route { method: "POST", path: "/api/v1/providers/files/upload", kind: RouteKind::Request },
        Route { method: "GET", path: "/api/v1/providers/files/{file}", kind: RouteKind::Request },
        Route { method: "GET", path: "/api/v1/providers/memory", kind: RouteKind::Request },
    ],
    login: Login::Bearer,
    served: Served::WhenNamed(WayIn {
        carriers: &[Carrier::Query("token")],
        no_token: r#"{"error":"missing token"}"#,
        wrong_token: r#"{"error":"invalid token"}"#,
    }),
    wishes,
    hosted: false,
    greet: Some(greet),
};

/// Asks wait as long as the plugin does, less a margin; then its agent is told, and goes on. Other tools run, as in the
/// original, unless a rule says otherwise.
fn wishes() -> Wishes {
    Wishes {
        wait: Some(Wait::For(quirks::WAIT - quirks::MARGIN)),
        on_expiry: Some(OnExpiry::Tell),
        on_dismissal: Some(OnDismissal::Tell),
        messages: Some(WhileOpen::Hold),
        other_tools: Some(OtherTools::Allow),
        ..Wishes::default()
    }
}

fn greet(hello: &Hello<'_>) -> Greeting {
    Greeting::Open(match hello.path {
        SOCKET => Box::new(Whimmy::new(hello.choices)),
        _ => Box::new(requests::WhimmyRequest::default()),
    })
}
