//! A person answers. The first answer wins; the same answer again is no news; a late one becomes a message.

use super::found::{conflict, find, fits, is_same_person, over};
use super::settle::settle;
use super::{late, vote};
use crate::answer::{Answer, Outcome, Who};
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{Found, Live, Session, Stage};

pub(super) fn answer(
    session: &Session,
    ask: AskId,
    answer: Answer,
    by: Who,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let live = match find(session, ask)? {
        Found::Live(live) => live,
        Found::Over(stub) if stub.was_answered_with(&answer) && is_same_person(session.decided_by(stub), &by) => {
            return Ok(Vec::new());
        }
        Found::Over(stub) => return Err(over(session, stub)),
    };
    match &live.stage {
        Stage::Open => {
            fits(&live.ask, &answer)?;
            if live.deadline.is_some_and(|deadline| deadline <= at) {
                // The timer has not come round yet. What was promised was the deadline, not the timer's punctuality.
                return late::expire_and_follow_up(session, live, answer, by, at);
            }
            if live.ask.terms.quorum > 1 {
                return vote::count(session, live, answer, by, at);
            }
            Ok(take(session, live, answer, by, at))
        }
        Stage::Proposed { answer: first, by: who, .. } if *first == answer && who.person == by.person => Ok(Vec::new()),
        Stage::Proposed { by: who, until, .. } if who.person == by.person && at < *until => {
            fits(&live.ask, &answer)?;
            if live.ask.terms.quorum > 1 {
                // Those who agreed to the first answer have not agreed to this one.
                let mut events = vec![Event::Undone { ask: live.ask.id, by: by.clone() }];
                events.extend(vote::count(session, live, answer, by, at)?);
                return Ok(events);
            }
            Ok(take(session, live, answer, by, at))
        }
        Stage::Settled { outcome: Outcome::Answered { answer: first, by: who }, .. }
            if *first == answer && who.person == by.person =>
        {
            Ok(Vec::new())
        }
        Stage::Settled { outcome: Outcome::Expired | Outcome::Ruled { .. }, .. } => {
            late::follow_up(session, live, answer, by, at)
        }
        Stage::Proposed { .. } | Stage::Settled { .. } => Err(conflict(live)),
    }
}

/// Takes an answer: at once, or with time to undo that never crosses the deadline.
pub(super) fn take(session: &Session, live: &Live, answer: Answer, by: Who, at: Timestamp) -> Vec<Event> {
    let undo = live.ask.terms.undo;
    if undo.is_zero() {
        return settle(session, live, Outcome::Answered { answer, by }, at);
    }
    let until = at.plus(undo);
    let until = live.deadline.map_or(until, |deadline| deadline.min(until));
    vec![Event::Proposed { ask: live.ask.id, answer, by, until }]
}
