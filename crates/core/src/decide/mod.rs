//! One file per intent: a wish in, events or a refusal out.

use crate::event::Event;
use crate::ids::Timestamp;
use crate::intent::Intent;
use crate::refusal::Refusal;
use crate::session::Session;

/// Decides what happens when someone wishes for `intent` at the time `at`.
pub fn decide(_session: &Session, _intent: Intent, _at: Timestamp) -> Result<Vec<Event>, Refusal> {
    Ok(Vec::new())
}
