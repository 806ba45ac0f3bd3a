//! `seline`: the desktop app Seline (later Selene), a front end made of assistant-ui and Vercel's AI SDK.
//!
//! Each message is a request whose response is a stream of chunks, the UI message stream of the AI SDK, version 1. A
//! question is a tool call without a result; the answer comes in another request, or as the call's result in the next
//! one. A reader that disconnects stops nothing. As of March 2026; what it cannot express is in
//! `docs/dialects/seline.md`.

mod answers;
mod chat;
mod draw;
mod history;
mod js;
mod lists;
mod opening;
mod quirks;
mod requests;
mod resume;
mod starting;
mod tell;
mod wire;

use askbridge_core::fit::Abilities;
use askbridge_core::ids::SessionId;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Wait, WhileOpen, Wishes};

use crate::listing::{Carrier, Greeting, Hello, Listing, Login, Route, RouteKind, Served, WayIn};
use crate::uuid;

pub const NAME: &str = "seline";

/// Questions with options to click, and plans. There is no text field.
pub const ABILITIES: Abilities =
    Abilities { approvals: false, forms: false, previews: false, notes: false, free_text: false, ..Abilities::FULL };

const fn request(method: &'static str, path: &'static str) -> Route {
    Route { method, path, kind: RouteKind::Request }
}

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        request("POST", "/api/chat"),
        request("POST", "/api/chat/preflight"),
        request("POST", "/api/chat/tool-result"),
        request("GET", "/api/sessions"),
        request("POST", "/api/sessions"),
        request("GET", "/api/sessions/{session}"),
        request("PATCH", "/api/sessions/{session}"),
        request("DELETE", "/api/sessions/{session}"),
        request("GET", "/api/sessions/{session}/messages"),
        request("GET", "/api/sessions/{session}/active-run"),
        request("GET", "/api/agent-runs/{run}/status"),
        request("POST", "/api/sessions/{session}/live-prompt-queue"),
        request("POST", "/api/agent-runs/{run}/cancel"),
        request("GET", "/api/characters/active-status"),
    ],
    login: Login::Bearer,
    served: Served::WhenNamed(WayIn {
        carriers: &[Carrier::Cookie("zlutty-session")],
        no_token: r#"{"error":"Unauthorized"}"#,
        wrong_token: r#"{"error":"Unauthorized"}"#,
    }),
    wishes,
    hosted: false,
    greet: Some(greet),
};

/// As in the original: 300 seconds, then the agent is told and goes on; other tools run.
fn wishes() -> Wishes {
    Wishes {
        wait: Some(Wait::For(quirks::WAIT)),
        on_expiry: Some(OnExpiry::Tell),
        on_dismissal: Some(OnDismissal::Tell),
        messages: Some(WhileOpen::Hold),
        other_tools: Some(OtherTools::Allow),
        ..Wishes::default()
    }
}

fn greet(hello: &Hello<'_>) -> Greeting {
    Greeting::Open(match hello.path {
        "/api/chat" => Box::new(chat::Chat::default()),
        path if is_resumed(path) => Box::new(resume::Resumed::default()),
        _ => Box::new(requests::SelineRequest::default()),
    })
}

/// Whether this request comes from a page that reconnects.
fn is_resumed(path: &str) -> bool {
    let parts: Vec<_> = path.trim_start_matches("/api/").split('/').collect();
    matches!(parts[..], ["sessions"] | ["sessions", _] | ["sessions", _, "messages"] | ["agent-runs", _, "status"])
}

/// The session that a client means. It makes up names of its own; each always leads to the same session.
fn session_of(name: &str) -> SessionId {
    uuid::read_session(name).unwrap_or_else(|| {
        let derived = uuid::read_session(&uuid::of_text(&format!("seline {name}")));
        derived.expect("what was written as an id reads back")
    })
}
