//! `ccc`: the browser front of Claude-Code-Cloud.
//!
//! One socket for each session, which several may share. A question is `user_question`, an answer `question_answer` with
//! indices instead of texts. The screen has room for one question. Logins, projects, sessions and histories come by
//! requests. As of January 2026; what it cannot say is in `docs/dialects/ccc.md`.

mod answers;
mod hear;
mod peer;
mod projects;
mod quirks;
mod requests;
mod tell;
mod wire;

pub use peer::Ccc;

use askbridge_core::fit::Abilities;
use askbridge_core::terms::{OnDismissal, OnExpiry, OtherTools, Wait, WhileOpen, Wishes};

use crate::listing::{Carrier, Greeting, Hello, Listing, Login, Manners, Route, RouteKind, Served, Sharing, WayIn};
use crate::uuid::read_session;

pub const NAME: &str = "ccc";

/// Questions with options or words of one's own. Everything else is put into questions.
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
        request("GET", "/api/projects"),
        request("GET", "/api/projects/{project}"),
        request("GET", "/api/projects/{project}/sessions"),
        request("POST", "/api/projects/{project}/sessions"),
        request("GET", "/api/projects/{project}/cost-limit-check"),
        request("GET", "/api/sessions/{session}"),
        request("DELETE", "/api/sessions/{session}"),
        request("GET", "/api/sessions/{session}/messages"),
        request("GET", "/api/models/recommended"),
    ],
    abilities: ABILITIES,
    manners: Manners { sharing: Sharing::Share, login: Login::Bearer },
    served: Served::WhenNamed(WayIn {
        carriers: &[Carrier::Query("token")],
        no_token: r#"{"detail":"Not authenticated"}"#,
        wrong_token: r#"{"detail":"Could not validate credentials"}"#,
    }),
    wishes,
    greet: Some(greet),
};

/// As the original has it: 300 seconds, then the agent is told and goes on; other tools run.
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
        None => Box::new(requests::Asked::new(named)),
    })
}
