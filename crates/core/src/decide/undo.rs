//! A person takes an answer back before it counts.

use super::found::find;
use crate::answer::Who;
use crate::event::Event;
use crate::ids::AskId;
use crate::refusal::Refusal;
use crate::session::{Found, Session, Stage};

pub(super) fn undo(session: &Session, ask: AskId, by: Who) -> Result<Vec<Event>, Refusal> {
    match find(session, ask)? {
        Found::Live(live) => match &live.stage {
            Stage::Proposed { by: who, .. } if who.person == by.person => {
                Ok(vec![Event::Undone { ask: live.ask.id, by }])
            }
            _ => Err(Refusal::NothingToUndo(ask)),
        },
        Found::Over(_) => Err(Refusal::NothingToUndo(ask)),
    }
}
