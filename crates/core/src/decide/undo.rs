//! A person takes an answer back before it counts: within the undo time, or as a vote while the quorum is not reached.
//! We promised the undo time, not the timer's punctuality.

use super::found::find;
use crate::answer::Who;
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Live, Session};

pub(super) fn undo(session: &Session, ask: AskId, by: Who, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    match find(session, ask)? {
        FoundAsk::Live(live) => match &live.stage {
            AskStage::Proposed { by: who, until, .. } if who.person == by.person && at < *until => {
                Ok(vec![Event::Undone { ask: live.ask.id, by }])
            }
            AskStage::Open if live.deadline.is_none_or(|deadline| at < deadline) && has_voted(live, &by) => {
                Ok(vec![Event::Undone { ask: live.ask.id, by }])
            }
            _ => Err(Refusal::NothingToUndo(ask)),
        },
        FoundAsk::Over(_) => Err(Refusal::NothingToUndo(ask)),
    }
}

fn has_voted(live: &Live, by: &Who) -> bool {
    live.votes.iter().any(|(who, _)| who.person == by.person)
}
