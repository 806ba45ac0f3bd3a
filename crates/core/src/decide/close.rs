//! A session is closed, or continues as another one.

use super::dispatch::still_open;
use crate::event::Event;
use crate::ids::{SessionId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{End, Session};

/// Withdraws every open ask first, so that none stays open in a closed session.
pub(super) fn close(session: &Session, why: String, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    if session.end.is_some() {
        return Ok(Vec::new());
    }
    let withdrawn =
        session.open().map(|live| Event::Withdrawn { ask: live.ask.id, why: "the session was closed".to_owned(), at });
    Ok(withdrawn.chain([Event::Closed { why, at }]).collect())
}

pub(super) fn carry_on(session: &Session, to: SessionId, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    if let Some(End::Continued { to: known, .. }) = &session.end
        && *known == to
    {
        return Ok(Vec::new());
    }
    still_open(session)?;
    // Unfinished asks are known by this session's id, so they have to end here.
    let unfinished = session.asks.values().find(|live| live.is_unfinished());
    match unfinished {
        Some(live) => Err(Refusal::AskOpen(live.ask.id)),
        // The queue of a continued session is no longer read.
        None if !session.queue.is_empty() => {
            Err(Refusal::BadRequest("messages still wait for the agent of this session".to_owned()))
        }
        None => Ok(vec![Event::Continued { to, at }]),
    }
}
