//! The agent's process is ended while the ask stays open.

use super::found::{conflict, exactly, over};
use crate::ask::Reach;
use crate::event::Event;
use crate::ids::AskId;
use crate::refusal::Refusal;
use crate::session::{FoundAsk, Session};

pub(super) fn park(session: &Session, ask: AskId) -> Result<Vec<Event>, Refusal> {
    match exactly(session, ask)? {
        FoundAsk::Live(live) if live.parked => Ok(Vec::new()),
        FoundAsk::Live(live) if !live.is_open() => Err(conflict(live)),
        FoundAsk::Live(live) if live.ask.reach != Reach::Resumable => Err(Refusal::NotParkable(live.ask.id)),
        FoundAsk::Live(live) => Ok(vec![Event::Parked { ask: live.ask.id }]),
        FoundAsk::Over(stub) => Err(over(session, stub)),
    }
}
