//! The way back to the agent is gone. The ask stays answerable; its answer becomes a message.

use super::found::find;
use super::settle::said;
use crate::answer::Outcome;
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{Found, Session, Stage};
use crate::verdict;

pub(super) fn strand(session: &Session, ask: AskId, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match find(session, ask)? {
        Found::Live(live) if !live.stranded && live.delivered_at.is_none() => live,
        Found::Live(_) | Found::Over(_) => return Ok(Vec::new()),
    };
    let mut events = vec![Event::Stranded { ask: live.ask.id }];
    if let Stage::Settled { outcome: Outcome::Answered { answer, by }, .. } = &live.stage {
        let text = verdict::stranded_answer(&live.ask, answer, by);
        events.push(said(session, text, Some(by.clone()), Some(live.ask.id), at));
    }
    Ok(events)
}
