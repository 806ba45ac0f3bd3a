//! The table of all languages (doors and dialects), one row each.

use std::fmt;

use askbridge_core::ids::SessionId;
use askbridge_core::terms::Wishes;

use crate::apps::AppDevices;
use crate::dialects::{ccc, gobby, native, prime, seline};
use crate::doors::{claude, hook, http, mcp, whimmy};
use crate::peer::Peer;

/// One language: its routes, how its clients sign in, and how a connection begins.
#[derive(Clone, Copy)]
pub struct Listing {
    pub name: &'static str,
    pub routes: &'static [Route],
    /// Whether a connection signs in with its first frame, or brings a bearer token.
    pub login: Login,
    pub served: Served,
    /// Default terms of sessions made through this language. The ask's and the session's own wishes take precedence.
    pub wishes: fn() -> Wishes,
    /// Whether askbridge runs the agents of this door. The bridge then has a host kind of this name.
    pub hosted: bool,
    /// `None` for languages with typed handlers instead of a machine, or spoken only by processes that askbridge runs.
    pub greet: Option<fn(&Hello<'_>) -> Greeting>,
}

impl Listing {
    /// The cookie that a login in this language sets, if any.
    pub fn login_cookie(&self) -> Option<(&'static str, Opens)> {
        let Served::WhenNamed(way_in) = self.served else { return None };
        way_in.carriers.iter().find_map(|carrier| match carrier {
            Carrier::LoginCookie(name, opens) => Some((*name, *opens)),
            Carrier::Query(_) | Carrier::Cookie(_) => None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub kind: RouteKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    Socket,
    Request,
    /// A request that needs no token: a login, or a check whether the client is logged in.
    Open,
}

/// When a language is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    Always,
    /// A language of another system: off until the operator names it.
    WhenNamed(WayIn),
}

/// How clients of another system authenticate.
///
/// `Authorization: Bearer …` and the base path `/t/<token>/…` are always accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WayIn {
    /// Other places where a token is accepted.
    pub carriers: &'static [Carrier],
    /// The body of a 401 when there is no token.
    pub no_token: &'static str,
    /// The body of a 401 when the token is unknown.
    pub wrong_token: &'static str,
}

/// Where a client of another system can put a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    Query(&'static str),
    /// A cookie that holds the token. Only where the original's own pages send one, because cookies ignore ports.
    Cookie(&'static str),
    /// A cookie that our login sets: a secret for this language alone, never a token, and never for a known agent.
    LoginCookie(&'static str, Opens),
}

/// What a login cookie opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// Sockets, for pages of the same origin.
    Sockets,
    /// Everything in its language: reads, and for pages of the same origin sockets and changes.
    Everything,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    FirstFrame,
    Bearer,
}

/// What is known about a new connection or request.
#[derive(Debug, Clone)]
pub struct Hello<'a> {
    pub path: &'a str,
    pub query: &'a str,
    /// The name of the caller whose bearer token came along, if any.
    pub caller: Option<&'a str>,
    /// Which sessions the caller may see.
    pub sees: Sees<'a>,
    pub choices: Choices,
    /// How long tool calls may be kept waiting, where the operator has set it.
    pub patience: &'a mcp::Patience,
}

/// The operator's settings for languages, where the original leaves something open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// Answer a dismissed question with nothing instead of words. An agent takes that for an answer.
    pub empty_dismissals: bool,
    /// Agents of whimmy's plugin ask a person before they use a tool.
    pub whimmy_approvals: bool,
}

/// Checks whether a session exists and the caller may see it.
#[derive(Clone, Copy)]
pub struct Sees<'a>(pub &'a dyn Fn(SessionId) -> bool);

impl Sees<'_> {
    pub fn see(&self, session: SessionId) -> bool {
        (self.0)(session)
    }
}

impl fmt::Debug for Sees<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sees")
    }
}

pub enum Greeting {
    Open(Box<dyn Peer>),
    Refuse(u16, String),
}

/// All languages.
pub const LISTING: &[Listing] = &[
    claude::LISTING,
    hook::LISTING,
    http::LISTING,
    mcp::LISTING,
    whimmy::LISTING,
    native::LISTING,
    prime::LISTING,
    ccc::LISTING,
    gobby::LISTING,
    seline::LISTING,
];

/// Returns the hosted door of that name, if there is one.
pub fn hosted_door(name: &str) -> Option<&'static str> {
    hosted_doors().find(|door| *door == name)
}

/// Returns all hosted doors, in the order of the listing.
pub fn hosted_doors() -> impl Iterator<Item = &'static str> {
    LISTING.iter().filter(|row| row.hosted).map(|row| row.name)
}

/// The hosted door for clients that start an agent and cannot say which: the first in the listing.
pub fn usual_hosted_door() -> &'static str {
    hosted_doors().next().expect("a door in the listing is hosted")
}

/// The names of the languages that are off until the operator names them.
pub fn dialects() -> impl Iterator<Item = &'static str> {
    LISTING.iter().filter(|listing| listing.served != Served::Always).map(|listing| listing.name)
}

/// Languages whose clients register devices that can be rung.
pub const APPS: &[AppDevices] = &[prime::DEVICES];
