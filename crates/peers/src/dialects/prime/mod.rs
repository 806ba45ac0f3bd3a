//! `prime`: the chat of prime-agent, a personal knowledge system whose iOS and macOS client is closed.
//!
//! One socket for each session; the newest connection displaces the others. A question is `ask_user_question`, an
//! answer `ask_user_response`; both spell their names twice, in snake and in camel case. The screen has room for one
//! question. Lists and histories are fetched over HTTP. As of January 2026; what it cannot express is in
//! `docs/dialects/prime.md`.

mod answers;
mod devices;
mod hear;
mod histories;
mod notify;
mod peer;
mod push;
mod quirks;
mod requests;
mod sessions;
mod status;
mod tell;
mod wire;

pub use peer::Prime;
pub use push::DEVICES;

use askbridge_core::fit::Abilities;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Wait, WhileOpen, Wishes};

use crate::listing::{Carrier, Greeting, Hello, Listing, Login, Route, RouteKind, Served, WayIn};
use crate::uuid::read_session;

pub const NAME: &str = "prime";

/// Questions with options or free text. Everything else becomes questions.
pub const ABILITIES: Abilities =
    Abilities { approvals: false, plans: false, forms: false, previews: false, notes: false, ..Abilities::FULL };

const fn request(method: &'static str, path: &'static str) -> Route {
    Route { method, path, kind: RouteKind::Request }
}

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        Route { method: "GET", path: "/api/v1/chat/ws/{session}", kind: RouteKind::Socket },
        request("POST", "/api/v1/chat/sessions"),
        request("GET", "/api/v1/chat/sessions/{session}/messages"),
        request("GET", "/api/v1/claude-sessions"),
        request("GET", "/api/v1/claude-sessions/"),
        request("GET", "/api/v1/claude-sessions/{session}"),
        request("GET", "/api/v1/claude-sessions/{session}/messages"),
        request("GET", "/api/v1/claude-sessions/{session}/summary"),
        request("POST", "/api/v1/devices/register"),
        request("GET", "/api/v1/devices"),
        request("POST", "/api/v1/notifications/send"),
    ],
    login: Login::Bearer,
    served: Served::WhenNamed(WayIn {
        carriers: &[Carrier::Query("token")],
        no_token: r#"{"detail":"Not authenticated"}"#,
        wrong_token: r#"{"detail":"Invalid authentication token"}"#,
    }),
    wishes,
    hosted: false,
    greet: Some(greet),
};

/// As in the original: 55 seconds, then the turn is stopped; closing a question stops it too; other tools run.
fn wishes() -> Wishes {
    Wishes {
        wait: Some(Wait::For(quirks::WAIT)),
        on_expiry: Some(OnExpiry::TellAndStop),
        on_dismissal: Some(OnDismissal::TellAndStop),
        messages: Some(WhileOpen::Hold),
        other_tools: Some(OtherTools::Allow),
        ..Wishes::default()
    }
}

fn greet(hello: &Hello<'_>) -> Greeting {
    let Some(name) = hello.path.strip_prefix("/api/v1/chat/ws/") else {
        let named = hello.path.split('/').find_map(read_session);
        let named = named.filter(|session| hello.sees.see(*session));
        return Greeting::Open(Box::new(requests::PrimeRequest::new(named, hello.caller.unwrap_or_default())));
    };
    if name == "new" || name.starts_with("conn_") {
        return Greeting::Open(Box::new(Prime::new(None)));
    }
    match read_session(name).filter(|session| hello.sees.see(*session)) {
        Some(session) => Greeting::Open(Box::new(Prime::new(Some(session)))),
        None => Greeting::Refuse(403, String::new()),
    }
}
