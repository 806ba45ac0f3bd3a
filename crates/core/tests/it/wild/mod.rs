//! Asks as agents really send them, and worse.

mod always;
mod json;
mod others;
mod questions;
