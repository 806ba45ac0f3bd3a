//! A person takes an answer back before it counts. What was promised was the undo time, not the timer's punctuality.

use super::found::find;
use crate::answer::Who;
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{Found, Session, Stage};

pub(super) fn undo(session: &Session, ask: AskId, by: Who, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    match find(session, ask)? {
        Found::Live(live) => match &live.stage {
            Stage::Proposed { by: who, until, .. } if who.person == by.person && at < *until => {
                Ok(vec![Event::Undone { ask: live.ask.id, by }])
            }
            _ => Err(Refusal::NothingToUndo(ask)),
        },
        Found::Over(_) => Err(Refusal::NothingToUndo(ask)),
    }
}
