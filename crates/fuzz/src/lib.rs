//! Fuzz targets: every parser and machine as a function of bytes. None may panic, and parsed values must round-trip.
//!
//! [`targets::TARGETS`] lists them. [`driver`] replays each target's corpus (`corpus/<target>/`) and random mutations
//! of it, from a seed; the tests do so briefly, `cargo xtask fuzz --minutes N` for as long as you like. A target is a
//! plain function, so that libFuzzer or any other driver can call it too.

pub mod driver;
pub mod targets;
