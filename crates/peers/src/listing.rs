//! The list of languages: one row each.

use std::fmt;

use askbridge_core::ids::SessionId;
use askbridge_core::terms::Wishes;

use crate::dialects::{ccc, gobby, native, prime, seline};
use crate::doors::{claude, hook, http, mcp, whimmy};
use crate::peer::Peer;

/// One language: where it is spoken, what its screens can show, and how a conversation begins.
#[derive(Clone, Copy)]
pub struct Listing {
    pub name: &'static str,
    pub routes: &'static [Route],
    /// Does a connection begin with a login of its own, or does it bring its token along?
    pub login: Login,
    pub served: Served,
    /// What sessions made through this language wish for, unless someone stronger wishes otherwise.
    pub wishes: fn() -> Wishes,
    /// Do we run the agents of this door ourselves? Then the bridge has a host kind for it, by this name.
    pub hosted: bool,
    /// `None` for languages that are spoken by typed handlers instead of a machine, or only by processes that we run.
    pub greet: Option<fn(&Hello<'_>) -> Greeting>,
}

impl Listing {
    /// The cookie that a login in this language sets, if it sets one.
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
    /// A request that needs no token: a login, or the question whether there is one.
    Open,
}

/// When a language is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    Always,
    /// It was made by others, for a server of theirs: off until the operator names it.
    WhenNamed(WayIn),
}

/// How clients of another system show who they are.
///
/// `Authorization: Bearer …` and the base path `/t/<token>/…` are always taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WayIn {
    /// Where a token may come besides.
    pub carriers: &'static [Carrier],
    /// The body of a 401 for whoever brings no token.
    pub no_token: &'static str,
    /// The body of a 401 for whoever brings one that we do not know.
    pub wrong_token: &'static str,
}

/// Where a client of another system can put a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    Query(&'static str),
    /// A cookie that holds the token. Only where the original's own pages send one: cookies ignore ports.
    Cookie(&'static str),
    /// A cookie that our login sets: a secret for this language alone, never a token, and never for an agent that we know.
    LoginCookie(&'static str, Opens),
}

/// What a login cookie opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// Sockets, for a page of this very origin.
    Sockets,
    /// Everything of its language: sockets and changes for a page of this very origin, and reading.
    Everything,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    FirstFrame,
    Bearer,
}

/// What is known when somebody knocks.
#[derive(Debug, Clone)]
pub struct Hello<'a> {
    pub path: &'a str,
    pub query: &'a str,
    /// Who the bearer token belongs to, if one came along.
    pub caller: Option<&'a str>,
    /// Which sessions they may see.
    pub sees: Sees<'a>,
    pub choices: Choices,
    /// How long programs that call may be kept waiting, as far as the operator said so.
    pub patience: &'a mcp::Patience,
}

/// What the operator decided about languages, where an original leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// A question that was dismissed is answered with nothing, instead of words: an agent takes that for an answer.
    pub empty_dismissals: bool,
    /// Agents of whimmy's plugin ask a person before they use a tool.
    pub whimmy_approvals: bool,
}

/// Looks whether there is such a session, for whoever knocks.
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

/// Every language that is spoken here.
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

/// Returns the door of that name whose agents we run ourselves, if it is one.
pub fn hosted_door(name: &str) -> Option<&'static str> {
    hosted_doors().find(|door| *door == name)
}

/// Finds every door whose agents we run ourselves, in the order of the listing.
pub fn hosted_doors() -> impl Iterator<Item = &'static str> {
    LISTING.iter().filter(|row| row.hosted).map(|row| row.name)
}

/// The hosted door of clients that start an agent and cannot say which: the first of the listing.
pub fn usual_hosted_door() -> &'static str {
    hosted_doors().next().expect("a door in the listing is hosted")
}

/// The names of the languages that are spoken only when the operator names them.
pub fn dialects() -> impl Iterator<Item = &'static str> {
    LISTING.iter().filter(|listing| listing.served != Served::Always).map(|listing| listing.name)
}

/// Makes a machine that no connection has.
pub type Attend = fn() -> Box<dyn Peer>;

/// Languages that look after something although nobody is connected, each with the machine that does.
pub const ATTENDANTS: &[(&str, Attend)] = &[(prime::NAME, prime::attend)];
