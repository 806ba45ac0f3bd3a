//! The agent no longer waits for an ask, or got an answer from another mouth first.

use super::found::{conflict, exactly, over};
use super::settle::unsaid;
use crate::event::Event;
use crate::ids::{AskId, Raw, Timestamp};
use crate::refusal::{Refusal, Winner, WonBy};
use crate::session::{AskStage, Ending, FoundAsk, Session};

pub(super) fn withdraw(session: &Session, ask: AskId, why: String, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    match exactly(session, ask)? {
        FoundAsk::Live(live) if live.is_open() => Ok(vec![Event::Withdrawn { ask: live.ask.id, why, at }]),
        FoundAsk::Live(live) => Err(conflict(live)),
        FoundAsk::Over(stub) if stub.ending == Ending::Withdrawn => Ok(Vec::new()),
        FoundAsk::Over(stub) => Err(over(session, stub)),
    }
}

/// The asker disconnected: the ask is withdrawn, unless a person has answered or voted.
pub(super) fn abandon(session: &Session, ask: AskId, why: String, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    if let FoundAsk::Live(live) = exactly(session, ask)? {
        if matches!(live.stage, AskStage::Proposed { .. }) {
            return Err(conflict(live));
        }
        if let Some((voter, _)) = live.votes.first().filter(|_| live.is_open()) {
            let winner = Winner { by: WonBy::Person(voter.clone()), at };
            return Err(Refusal::Conflict { ask: live.ask.id, winner });
        }
    }
    withdraw(session, ask, why, at)
}

/// Beats even an answer, if that has not reached the agent: what the agent was told is what happened.
pub(super) fn overtake(
    session: &Session,
    ask: AskId,
    mouth: String,
    ran: Option<Raw>,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    match exactly(session, ask)? {
        FoundAsk::Live(live) if live.delivered_at.is_none() => {
            let overtaken = Event::Overtaken { ask: live.ask.id, mouth, ran, at };
            Ok(unsaid(session, live).into_iter().chain([overtaken]).collect())
        }
        FoundAsk::Live(live) => Err(conflict(live)),
        FoundAsk::Over(stub) if stub.ending == Ending::Overtaken => Ok(Vec::new()),
        FoundAsk::Over(stub) => Err(over(session, stub)),
    }
}
