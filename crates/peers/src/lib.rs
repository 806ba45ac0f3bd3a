//! Protocol machines without I/O. Depends on the rules (`core`) and nothing else.
//!
//! A [`peer::Peer`] is one conversation partner on one connection: a *door* for an agent, a *dialect* for a person's
//! app. It hears frames, is told what happened, and writes into an [`peer::Outbox`]; the bridge moves the bytes.
//! A language is one folder and one row in [`listing::LISTING`].

pub mod apps;
pub mod ask_tool;
mod awaiting;
pub mod consult;
pub mod dialects;
pub mod doors;
pub mod json;
pub mod listing;
pub mod nearest;
mod one_request;
pub mod peer;
pub mod rest;
mod rule_wish;
pub mod slot;
pub mod story;
pub mod stream;
pub mod tally;
pub mod told;
pub mod tools;
pub mod turn;
pub mod uuid;
pub mod wish;
