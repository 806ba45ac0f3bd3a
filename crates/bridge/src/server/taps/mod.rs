//! Taps: approvals that a person's paired devices give, and nothing else, by which they vouch for one process.
//!
//! A process of this machine proves little about who sits there (`auth/ancestry.rs`). What only a person may do, and a process
//! wants to do, is therefore asked on the devices that the person has already: an ask like any other, in a session of the
//! server's own. `desk.rs` keeps what is open and what became of it, `open.rs` asks, `watch.rs` waits for the end, `words.rs`
//! says what is wanted and by whom. Why so: `docs/design/0004-taps.md`.

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
