//! A session begins.

use crate::event::{Event, Started};
use crate::ids::Timestamp;
use crate::intent::Start;
use crate::refusal::Refusal;
use crate::session::Session;

/// Starting again in the same way changes nothing: two nodes may derive the same session from the same key.
pub(super) fn start(session: &Session, wish: Start, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    if let Some(started) = &session.started {
        let same = started.owner == wish.owner && started.door == wish.door;
        return if same { Ok(Vec::new()) } else { Err(Refusal::AlreadyStarted(session.id)) };
    }
    let Start { door, agent, owner, audience, settings, continues, host } = wish;
    Ok(vec![Event::Started(Box::new(Started { at, door, agent, owner, audience, settings, continues, host }))])
}
