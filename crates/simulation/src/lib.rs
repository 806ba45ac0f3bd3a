//! The real bridge on a simulated afternoon: one seed, many people and agents, everything that can go wrong.
//!
//! The runtime, the server, the dialects, the doors and the three doubles are the real ones; sockets are pipes in memory, the
//! clock and chance are the simulation's, and so is the journal's disk. A seed is a [`plan::Plan`]: who takes part, how
//! often the bridge is killed, what the disk and the lines do. One thread, time that only passes when everybody waits:
//! the same seed gives the same transcript to the last letter. The judge knows the eight laws, and [`broken`] are the
//! bridges on which it has to prove that.

mod agents;
pub mod broken;
mod dice;
mod fates;
mod house;
mod judge;
mod log;
mod panics;
mod people;
pub mod plan;
mod run;
mod shrink;
mod wire;
mod world;

pub use log::Violation;
pub use run::{Story, run, run_with};
pub use shrink::shrink;
