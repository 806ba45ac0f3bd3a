//! Every parser and machine as a function of bytes: whatever they are, nothing panics, and what was read reads back.
//!
//! [`targets::TARGETS`] lists them. [`driver`] replays each target's corpus (`corpus/<target>/`) and inputs made from it
//! by chance with a seed; the tests do so briefly, `cargo xtask fuzz --minutes N` for as long as one likes. A target is
//! a plain function, so that libFuzzer or any other driver can call it too.

pub mod driver;
pub mod targets;
