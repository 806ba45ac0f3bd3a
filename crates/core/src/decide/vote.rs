//! An ask that several people have to answer alike.

use std::time::Duration;

use super::answer::{self, take};
use super::found::{find, fits};
use super::late;
use crate::answer::{Answer, Who};
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Live, Session};

pub(super) fn vote(
    session: &Session,
    ask: AskId,
    answer: Answer,
    by: Who,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    match find(session, ask)? {
        FoundAsk::Live(live) if live.stage == AskStage::Open => {
            fits(&live.ask, &answer)?;
            if live.deadline.is_some_and(|deadline| deadline <= at) {
                return late::expire_and_follow_up(session, live, answer, by, at);
            }
            count(session, live, answer, by, Duration::ZERO, at)
        }
        // Voting is over: the vote is treated as an answer.
        FoundAsk::Live(_) | FoundAsk::Over(_) => answer::answer(session, ask, answer, by, Duration::ZERO, at),
    }
}

/// Records a vote. If enough people now agree, settles the ask, or proposes the answer for the undo time. A person has
/// one vote and may change it.
pub(super) fn count(
    session: &Session,
    live: &Live,
    answer: Answer,
    by: Who,
    undo: Duration,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let others = live.votes.iter().filter(|(who, said)| who.person != by.person && *said == answer).count();
    let unchanged = live.votes.iter().any(|(who, said)| who.person == by.person && *said == answer);
    let mut events = Vec::new();
    if !unchanged {
        events.push(Event::Voted { ask: live.ask.id, answer: answer.clone(), by: by.clone() });
    }
    if others + 1 >= usize::from(live.ask.terms.quorum) {
        events.extend(take(session, live, answer, by, undo, at));
    }
    Ok(events)
}
