//! `askbridge expose`: lets other devices reach this server over https, in one command.
//!
//! Each way is a file that makes a [`plan::Plan`]: what to write into the settings, and what was or has to be done beside that
//! (`acme.rs`, `tailscale.rs`, `lan.rs`, `proxy.rs`). `change.rs` writes the settings, `record.rs` remembers what was
//! ours in them, so that `off.rs` can undo it, `check.rs` asks from outside whether it works, and `finish.rs` waits for
//! that and pairs a phone. `look.rs` recommends a way.

mod acme;
mod args;
mod change;
mod check;
mod finish;
mod lan;
mod look;
mod off;
mod plan;
mod proxy;
mod record;
mod tailscale;

pub(crate) use args::{Args, run};
pub(crate) use check::{Reached, ask_from_outside};
pub(crate) use finish::authorities;
pub(crate) use record::Record;
