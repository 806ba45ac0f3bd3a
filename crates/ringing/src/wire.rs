//! A request to another service, and what became of it. The bridge sends it; a channel's module makes it and reads the
//! response.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

/// A request over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// A response over HTTP, as far as channels read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response<'a> {
    pub status: u16,
    /// The value of `Retry-After`, if it has one in seconds.
    pub retry_after: Option<Duration>,
    pub body: &'a [u8],
}

/// What became of a notice that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The service took it. `reference` names the message there, to change or remove it later.
    Sent { reference: Option<String> },
    /// It may work later: not before `after`, where the service said so.
    Later { after: Option<Duration>, why: String },
    /// It will not work with these settings: a wrong token, a topic that is not ours.
    Refused { why: String },
    /// The address does not exist any longer: a revoked subscription, a chat that blocked the bot.
    Gone { why: String },
}
