//! The way back to the agent is gone. The ask stays answerable; the answer becomes a message.

use super::found::exactly;
use super::settle::stranded;
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Session};

pub(super) fn strand(session: &Session, ask: AskId, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match exactly(session, ask)? {
        FoundAsk::Live(live) if !live.stranded && live.delivered_at.is_none() => live,
        FoundAsk::Live(_) | FoundAsk::Over(_) => return Ok(Vec::new()),
    };
    let mut events = vec![Event::Stranded { ask: live.ask.id }];
    if let AskStage::Settled { outcome, verdict, .. } = &live.stage {
        events.extend(stranded(session, &live.ask, outcome, verdict, at));
    }
    Ok(events)
}
