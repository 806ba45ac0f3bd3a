//! Texts and files of other programs, changed and restored.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod by_chance;
mod files;
mod json;
mod ours;
mod refusing;
mod toml;
