//! `gobby`: the web chat of the gobby daemon, generations 0.2 to 0.4.
//!
//! One socket for all conversations. A question is a `tool_status` of the tool AskUserQuestion that is `calling`, an
//! answer is `ask_user_response`; approvals and plans have frames of their own. A page accepts only frames with the id
//! of its own last request. Conversations are loaded over HTTP. Known from the wheel 0.4.6 (May 2026); what it cannot
//! express is in `docs/dialects/gobby.md`.

mod cards;
mod events;
mod hear;
mod history;
mod holding;
mod lists;
mod looking;
mod messages;
mod modes;
mod moving;
mod names;
mod peer;
mod quirks;
mod requests;
mod starting;
mod streams;
mod summary;
mod tell;
mod wire;

pub use peer::Gobby;

use askbridge_core::fit::Abilities;
use askbridge_core::terms::{OnDismissal, OnExpiry, Wait, WhileOpen, Wishes};

use crate::listing::{Carrier, Greeting, Hello, Listing, Login, Opens, Route, RouteKind, Served, WayIn};

pub const NAME: &str = "gobby";

/// Questions, approvals and plans. Forms become questions.
pub const ABILITIES: Abilities = Abilities { forms: false, previews: false, notes: false, ..Abilities::FULL };

const fn request(method: &'static str, path: &'static str) -> Route {
    Route { method, path, kind: RouteKind::Request }
}

const fn open(method: &'static str, path: &'static str) -> Route {
    Route { method, path, kind: RouteKind::Open }
}

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        Route { method: "GET", path: "/ws", kind: RouteKind::Socket },
        // gobby's own tools, where they serve pages of 0.2 and 0.3, connect without a path. On our port, `/` is the
        // app.
        Route { method: "GET", path: "/", kind: RouteKind::Socket },
        open("GET", "/api/auth/status"),
        open("POST", "/api/auth/login"),
        open("POST", "/api/auth/logout"),
        request("GET", "/api/files/projects"),
        request("GET", "/api/projects"),
        request("POST", "/api/sessions/web-chat"),
        request("GET", "/api/sessions"),
        request("GET", "/api/sessions/{session}"),
        request("DELETE", "/api/sessions/{session}"),
        request("GET", "/api/sessions/{session}/messages"),
        request("POST", "/api/sessions/{session}/rename"),
        request("POST", "/api/sessions/{session}/expire"),
        request("POST", "/api/sessions/{session}/generate-summary"),
        request("POST", "/api/chat/attachments"),
        request("DELETE", "/api/chat/attachments/{attachment}"),
        request("GET", "/api/chat/{session}/messages"),
        open("GET", "/api/config/ui-settings"),
        request("PUT", "/api/config/ui-settings"),
        // Nothing personal is in the responses. A page requests these before it is logged in, and not again.
        open("GET", "/api/{*rest}"),
    ],
    login: Login::Bearer,
    served: Served::WhenNamed(WayIn {
        carriers: &[Carrier::Query("token"), Carrier::LoginCookie(quirks::COOKIE, Opens::Everything)],
        no_token: r#"{"detail":"Not authenticated"}"#,
        wrong_token: r#"{"detail":"Invalid token"}"#,
    }),
    wishes,
    hosted: false,
    greet: Some(greet),
};

/// As in the original: 600 seconds, then the agent is told; a new message ends the turn and its asks.
fn wishes() -> Wishes {
    Wishes {
        wait: Some(Wait::For(quirks::WAIT)),
        on_expiry: Some(OnExpiry::Tell),
        on_dismissal: Some(OnDismissal::Tell),
        messages: Some(WhileOpen::CancelTurn),
        ..Wishes::default()
    }
}

fn greet(hello: &Hello<'_>) -> Greeting {
    if matches!(hello.path, "/ws" | "/") {
        return Greeting::Open(Box::new(Gobby::default()));
    }
    let named = hello.path.split('/').skip(2).map(names::session_of).find(|session| hello.sees.see(*session));
    Greeting::Open(Box::new(requests::GobbyRequest::new(named, hello.caller.map(str::to_owned))))
}
