//! The list of languages: one row each.

use askbridge_core::fit::Abilities;
use askbridge_core::terms::Wishes;

use crate::dialects::native;
use crate::doors::{claude, http};
use crate::peer::Peer;

/// One language: where it is spoken, what its screens can show, and how a conversation begins.
#[derive(Clone, Copy)]
pub struct Listing {
    pub name: &'static str,
    pub routes: &'static [Route],
    pub abilities: Abilities,
    pub manners: Manners,
    /// What sessions made through this language wish for, unless someone stronger wishes otherwise.
    pub wishes: fn() -> Wishes,
    /// `None` for languages that are spoken by typed handlers instead of a machine.
    pub greet: Option<fn(&Hello<'_>) -> Greeting>,
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
}

/// What belongs to a connection, not to the ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    pub sharing: Sharing,
    /// Does a connection begin with a login of its own, or does it bring its token along?
    pub login: Login,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Any number of connections, side by side.
    Share,
    /// The newest connection to a session displaces the others.
    TakeOver,
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
}

pub enum Greeting {
    Open(Box<dyn Peer>),
    Refuse(u16, String),
}

/// Every language that is spoken here.
pub const LISTING: &[Listing] = &[claude::LISTING, http::LISTING, native::LISTING];
