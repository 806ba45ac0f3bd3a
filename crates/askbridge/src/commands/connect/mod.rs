//! `askbridge connect`: from then on this machine asks at an askbridge on another one, and no longer at its own.
//!
//! `begin.rs` asks for the tap, `status.rs` says how it stands, `off.rs` ends it. What is stored is in
//! `client/connection.rs`.

mod args;
mod begin;
mod off;
mod status;

pub(crate) use args::{Args, run};
pub(crate) use off::off;
pub(crate) use status::{CLOCK_OFF_MAX, Standing, stand};
