//! Three languages that nobody speaks, each unlike the others.
//!
//! [`chorus`] carries many sessions on one socket and only ever appends; [`asker`] asks over the connection that it
//! opened and has to be told whether it heard; [`letterbox`] is an event stream whose answers come by other requests.
//! What they need of the trait and the pump, the real languages will need too.

pub mod asker;
pub mod chorus;
pub mod letterbox;

use askbridge_peers::listing::Listing;

/// All three, for a router or for a test over every language.
pub const LISTING: &[Listing] = &[chorus::LISTING, asker::LISTING, letterbox::LISTING];
