//! What the tests share.
//!
//! [`asks`] and [`events`] are samples by name; [`transcript`] runs a peer against a text file; [`doubles`] are three
//! languages that nobody speaks, as unlike each other as the real ones, so that the trait and the pump are tried from
//! every side. [`model`] and [`claude`] are real agents without a real model. [`crew`] runs seeds on all cores. Knows nothing
//! of the bridge.

pub mod asks;
pub mod crew;
pub mod doubles;
pub mod events;
pub mod transcript;

pub use askbridge_scripted::{claude, model};
