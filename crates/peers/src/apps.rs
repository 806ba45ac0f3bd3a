//! Apps of other systems on people's devices: what a language keeps of a device that registered with it, and what a
//! push to one looks like. When a device is rung is decided elsewhere, as for every other channel.

use askbridge_core::ask::Ask;
use askbridge_core::ids::{Raw, SessionId};

/// How the devices of one language are rung.
#[derive(Clone, Copy)]
pub struct AppDevices {
    pub dialect: &'static str,
    /// Prefix of the names under which the language keeps its devices.
    pub kept: &'static str,
    /// Prefix of what earlier releases kept of asks that they had pushed. It is no longer of use.
    pub kept_before: &'static str,
    /// Characters of a push's body.
    pub body_max: usize,
    pub read: fn(&Raw) -> Option<AppDevice>,
    /// Writes the body of a push.
    pub write: fn(&AppPush<'_>) -> Raw,
    /// Reads what the relay answered: its status, and its body.
    pub became: fn(u16, &str) -> PushFate,
}

/// A device that registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppDevice {
    /// The whole name under which the language keeps it.
    pub kept_as: String,
    /// What its person calls it.
    pub name: String,
    /// The person who registered it.
    pub owner: String,
    /// Anyone who knows it may push, so it is never shown or logged.
    pub push_url: String,
}

/// What a push says.
#[derive(Debug, Clone, Copy)]
pub struct AppPush<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub about: PushAbout<'a>,
}

/// What a push is about.
#[derive(Debug, Clone, Copy)]
pub enum PushAbout<'a> {
    /// An ask, or the oldest of several.
    Ask {
        ask: &'a Ask,
        count: usize,
        is_shown: bool,
    },
    TurnEnded {
        session: SessionId,
        usage: Option<&'a Raw>,
    },
    /// Something that the language has no kind for.
    Other,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushFate {
    Sent,
    /// The device does not exist any more.
    Gone,
    /// It may work later.
    Failed(String),
    /// It will not work with this address.
    Refused(String),
}
