//! `ccc`: the browser front end of Claude-Code-Cloud.
//!
//! One socket for each session, which several clients may share. A question is `user_question`, an answer
//! `question_answer` with indices instead of texts. The screen has room for one question. Logins, projects, sessions
//! and histories go over HTTP. As of January 2026; what it cannot express is in `docs/dialects/ccc.md`.

mod absent;
mod answers;
mod bodies;
mod deleting;
mod hear;
mod models;
mod peer;
mod projects;
mod quirks;
mod requests;
mod sessions;
mod starting;
mod tell;
mod wire;

pub use peer::Ccc;

use askbridge_core::fit::Abilities;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Wait, WhileOpen, Wishes};

use crate::listing::{Carrier, Greeting, Hello, Listing, Login, Opens, Route, RouteKind, Served, WayIn};
use crate::uuid::read_session;

pub const NAME: &str = "ccc";

/// Questions with options or free text. Everything else becomes questions.
pub const ABILITIES: Abilities =
    Abilities { approvals: false, plans: false, forms: false, previews: false, notes: false, ..Abilities::FULL };

const fn request(method: &'static str, path: &'static str) -> Route {
    Route { method, path, kind: RouteKind::Request }
}

const fn open(method: &'static str, path: &'static str) -> Route {
    Route { method, path, kind: RouteKind::Open }
}

pub const LISTING: Listing = Listing {
    name: NAME,
    routes: &[
        Route { method: "GET", path: "/ws/chat/{session}", kind: RouteKind::Socket },
        open("POST", "/api/auth/login"),
        open("POST", "/api/auth/register"),
        open("POST", "/api/auth/logout"),
        request("GET", "/api/auth/me"),
        open("GET", "/api/health"),
        request("GET", "/api/models"),
        request("GET", "/api/models/recommended"),
        request("GET", "/api/projects"),
        request("POST", "/api/projects"),
        request("GET", "/api/projects/{project}"),
        request("PUT", "/api/projects/{project}"),
        request("DELETE", "/api/projects/{project}"),
        request("GET", "/api/projects/{project}/sessions"),
        request("POST", "/api/projects/{project}/sessions"),
        request("GET", "/api/projects/{project}/usage"),
        request("GET", "/api/projects/{project}/cost-limit-check"),
        request("PUT", "/api/projects/{project}/cost-limits"),
        request("DELETE", "/api/projects/{project}/cost-limits"),
        request("GET", "/api/sessions/{session}"),
        request("PUT", "/api/sessions/{session}"),
        request("DELETE", "/api/sessions/{session}"),
        request("GET", "/api/sessions/{session}/messages"),
        // Features that are not here, refused in words: its page can request each of these.
        request("GET", "/api/projects/{project}/{*rest}"),
        request("POST", "/api/projects/{project}/{*rest}"),
        request("PUT", "/api/projects/{project}/{*rest}"),
        request("DELETE", "/api/projects/{project}/{*rest}"),
        request("GET", "/api/agents/{*rest}"),
        request("PUT", "/api/agents/{*rest}"),
        request("PATCH", "/api/agents/{*rest}"),
        request("POST", "/api/agents/{*rest}"),
        request("GET", "/api/commands/{*rest}"),
        request("PUT", "/api/commands/{*rest}"),
        request("PATCH", "/api/commands/{*rest}"),
        request("POST", "/api/commands/{*rest}"),
        request("GET", "/api/skills/{*rest}"),
        request("PUT", "/api/skills/{*rest}"),
        request("PATCH", "/api/skills/{*rest}"),
        request("POST", "/api/skills/{*rest}"),
        request("GET", "/api/mcp/{*rest}"),
        request("PUT", "/api/mcp/{*rest}"),
        request("DELETE", "/api/mcp/{*rest}"),
        request("GET", "/api/cron/{*rest}"),
        request("POST", "/api/cron/{*rest}"),
        request("PUT", "/api/cron/{*rest}"),
        request("DELETE", "/api/cron/{*rest}"),
        request("GET", "/api/templates"),
        request("POST", "/api/templates"),
        request("GET", "/api/templates/{*rest}"),
        request("POST", "/api/templates/{*rest}"),
        request("PATCH", "/api/templates/{*rest}"),
        request("DELETE", "/api/templates/{*rest}"),
        request("GET", "/api/files"),
        request("GET", "/api/files/{*rest}"),
        request("POST", "/api/files/{*rest}"),
        request("DELETE", "/api/files/{*rest}"),
    ],
    login: Login::Bearer,
    served: Served::WhenNamed(WayIn {
        carriers: &[Carrier::Query("token"), Carrier::LoginCookie(quirks::COOKIE, Opens::Sockets)],
        no_token: r#"{"detail":"Not authenticated"}"#,
        wrong_token: r#"{"detail":"Could not validate credentials"}"#,
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
    let named = hello.path.split('/').find_map(read_session).filter(|session| hello.sees.see(*session));
    Greeting::Open(match hello.path.strip_prefix("/ws/chat/") {
        Some(name) => Box::new(Ccc::new(name.to_owned(), named)),
        None => Box::new(requests::CccRequest::new(named, hello.caller.unwrap_or_default())),
    })
}
