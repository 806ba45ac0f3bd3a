//! A person answers. The first answer wins; a repeat of it changes nothing; a late one becomes a message.

use std::time::Duration;

use super::found::{conflict, find, fits, is_same_person, over};
use super::settle::settle;
use super::{late, vote};
use crate::answer::{Answer, Outcome, Who};
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::limits;
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Live, Session};

pub(super) fn answer(
    session: &Session,
    ask: AskId,
    answer: Answer,
    by: Who,
    undo: Duration,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let live = match find(session, ask)? {
        FoundAsk::Live(live) => live,
        FoundAsk::Over(stub) if stub.was_answered_with(&answer) && is_same_person(session.decided_by(stub), &by) => {
            return Ok(Vec::new());
        }
        FoundAsk::Over(stub) => return Err(over(session, stub)),
    };
    match &live.stage {
        AskStage::Open => {
            fits(&live.ask, &answer)?;
            if live.deadline.is_some_and(|deadline| deadline <= at) {
                // The timer has not fired yet. We promised the deadline, not the timer's punctuality.
                return late::expire_and_follow_up(session, live, answer, by, at);
            }
            if live.ask.terms.quorum > 1 {
                return vote::count(session, live, answer, by, undo, at);
            }
            Ok(take(session, live, answer, by, undo, at))
        }
        AskStage::Proposed { answer: first, by: who, .. } if *first == answer && who.person == by.person => {
            Ok(Vec::new())
        }
        AskStage::Proposed { by: who, until, .. } if who.person == by.person && at < *until => {
            fits(&live.ask, &answer)?;
            if live.ask.terms.quorum > 1 {
                // The people who agreed to the first answer have not agreed to this one.
                let mut events = vec![Event::Undone { ask: live.ask.id, by: by.clone() }];
                events.extend(vote::count(session, live, answer, by, undo, at)?);
                return Ok(events);
            }
            Ok(take(session, live, answer, by, undo, at))
        }
        AskStage::Settled { outcome: Outcome::Answered { answer: first, by: who }, .. }
            if *first == answer && who.person == by.person =>
        {
            Ok(Vec::new())
        }
        AskStage::Settled { .. } if live.takes_late_answers() => late::follow_up(session, live, answer, by, at),
        AskStage::Proposed { .. } | AskStage::Settled { .. } => Err(conflict(live)),
    }
}

/// Accepts an answer: at once, or after the undo time.
///
/// The undo time is the longer of what the ask promises and what the person wants. It ends at the deadline at the
/// latest. If a person has extended the deadline, it also ends at the original one, if that is still ahead: an agent
/// with a clock of its own goes by the deadline that the ask was made with.
pub(super) fn take(
    session: &Session,
    live: &Live,
    answer: Answer,
    by: Who,
    undo: Duration,
    at: Timestamp,
) -> Vec<Event> {
    let terms = &live.ask.terms;
    let undo = terms.undo.max(undo).min(limits::UNDO_MAX);
    if undo.is_zero() {
        return settle(session, live, Outcome::Answered { answer, by }, at);
    }
    let ends = [live.deadline, terms.deadline].into_iter().flatten().filter(|end| *end > at);
    let until = ends.fold(at.plus(undo), Timestamp::min);
    vec![Event::Proposed { ask: live.ask.id, answer, by, until }]
}
