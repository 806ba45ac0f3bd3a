//! Deterministic simulation of the real bridge: one seed, many people and agents, everything that can go wrong.
//!
//! The runtime, the server, the dialects and the doors are the real ones. Sockets are in-memory pipes; the clock,
//! chance and the journal's disk are simulated. A seed is a [`plan::Plan`]: who takes part, how often the bridge is
//! killed, how the disk and the connections fail. There is one thread, and time passes only when every task waits, so
//! the same seed gives the same transcript, byte for byte. The judge checks the eight laws; [`broken`] has the broken
//! bridges that it must catch.

mod agents;
pub mod broken;
mod dice;
mod fates;
mod house;
mod judge;
mod log;
mod panics;
mod people;
mod phone;
pub mod plan;
mod rules;
mod run;
mod shrink;
mod wire;
mod world;

pub use log::Violation;
pub use run::{Story, run, run_with};
pub use shrink::shrink;
