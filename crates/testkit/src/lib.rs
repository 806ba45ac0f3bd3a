//! Samples and runners that the tests of several crates share.
//!
//! [`asks`] and [`events`] are samples by name; [`transcript`] runs a peer against a text file. [`model`] and
//! [`claude`] run real agents without a real model. [`crew`] runs seeds on all cores. The crate does not depend on the
//! bridge.

pub mod asks;
pub mod crew;
pub mod events;
pub mod transcript;

pub use askbridge_scripted::{claude, model};
