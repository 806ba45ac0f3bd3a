//! Taps: approvals by which a person vouches for one process. Only the person's paired devices can give one.
//!
//! A process of this machine proves little about who sits there (`auth/ancestry.rs`). So when a process wants to do
//! what only a person may, the person's paired devices are asked: an ask like any other, in a session of the server's
//! own. `table.rs` keeps the open taps and their results, `open.rs` asks, `watch.rs` waits for the end, `words.rs` says
//! what is wanted and by which process. Why so: `docs/design/0004-taps.md`.

mod machines;
mod open;
mod request;
mod table;
#[cfg(test)]
mod tests;
mod watch;
mod words;

pub(crate) use request::{Purpose, TapRequest};
pub(crate) use table::{GivenTap, TapTable, given, tapped, withdraw_tap};
pub(crate) use watch::{forget, recall};
