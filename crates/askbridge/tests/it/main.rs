//! The real binary, in real shells and terminals.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod agents;
mod answering;
mod asking;
mod bridge;
mod copies;
mod guide;
mod handover;
mod inbox;
mod journal;
mod operations;
mod pairing;
mod patience;
mod screens;
mod terminal;
mod wire;
