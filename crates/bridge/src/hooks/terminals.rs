//! How long ago a person last typed at a terminal of this machine.

use std::time::{Duration, UNIX_EPOCH};

use askbridge_core::ids::Timestamp;
use askbridge_platform::terminal::last_typed_at;

/// Time since the last key press at any terminal of this user. `None`: there is no terminal.
pub(super) fn quiet_for(now: Timestamp) -> Option<Duration> {
    let typed = last_typed_at()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(now.since(Timestamp(i64::try_from(typed.as_millis()).unwrap_or(i64::MAX))))
}
