//! Taps: approvals by which a person vouches for one process. Only the person's paired devices can give one.
//!
//! A process of this machine proves little about who sits there (`auth/ancestry.rs`). So when a process wants to do
//! what only a person may, the person's paired devices are asked: an ask like any other, in a session of the server's
//! own. `desk.rs` keeps the open taps and their results, `open.rs` asks, `watch.rs` waits for the end, `words.rs` says
//! what is wanted and by which process. Why so: `docs/design/0004-taps.md`.

mod desk;
mod open;
#[cfg(test)]
mod tests;
mod wanted;
mod watch;
mod words;

pub(crate) use desk::{TapDesk, tapped};
pub(crate) use wanted::{Purpose, Wanted};
pub(crate) use watch::recall;
