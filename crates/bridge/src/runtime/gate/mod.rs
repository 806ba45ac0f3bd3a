//! The gate: grants or refuses every wish, whichever way it came in, and everything else that a caller needs a right for.
//!
//! It checks the caller's role, the session's owner and audience, the folder, the host's abilities and the rate.
//! [`needs`] is the table of what each wish and each right needs, [`roles`] the table of what each role may do. Roles are
//! asked in this module only: `Caller::may` is private to it. The functions that carry a wish out (`runtime/wishes.rs`) are
//! private to the runtime, so a handler, a socket, a hook or a host can reach them through the gate only.

mod entrance;
mod grant;
mod needs;
mod right;
mod roles;
mod seen;
mod services;

pub(crate) use entrance::{Entrance, Source};
pub(crate) use grant::Gate;
pub(crate) use right::Right;
pub(crate) use seen::{seen_asks, seen_sessions, sees};
pub(crate) use services::Services;

#[cfg(test)]
mod tests;
