//! A late answer becomes a message that says what was asked, what the agent was told, and what the person says now.

use super::found::{conflict, find, fits, over};
use super::settle::said;
use crate::answer::{Answer, Outcome, Who};
use crate::event::{Event, Settled};
use crate::ids::{AskId, Timestamp};
use crate::refusal::{Refusal, Winner, WonBy};
use crate::session::{AskStage, FoundAsk, Live, Session};
use crate::verdict::{self, Verdict};

/// A person corrects what a rule decided or what was assumed.
pub(super) fn correct(
    session: &Session,
    ask: AskId,
    answer: Answer,
    by: Who,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    match find(session, ask)? {
        FoundAsk::Live(live) if live.is_open() => Err(Refusal::NotSettled(live.ask.id)),
        FoundAsk::Live(live) if live.takes_late_answers() => follow_up(session, live, answer, by, at),
        FoundAsk::Live(live) => Err(conflict(live)),
        FoundAsk::Over(stub) => Err(over(session, stub)),
    }
}

/// Answers an ask that expired or was ruled on.
pub(super) fn follow_up(
    session: &Session,
    live: &Live,
    answer: Answer,
    by: Who,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let AskStage::Settled { verdict, .. } = &live.stage else {
        return Err(Refusal::NotSettled(live.ask.id));
    };
    fits(&live.ask, &answer)?;
    if let Some(late) = &live.late {
        if late.answer == answer && late.by.person == by.person {
            return Ok(Vec::new());
        }
        let winner = Winner { by: WonBy::Person(late.by.clone()), at: late.at };
        return Err(Refusal::Conflict { ask: live.ask.id, winner });
    }
    Ok(late_events(session, live, verdict, answer, by, at))
}

/// The deadline has passed but the expiry is not recorded yet: records it, then the late answer.
pub(super) fn expire_and_follow_up(
    session: &Session,
    live: &Live,
    answer: Answer,
    by: Who,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let waited = live.deadline.unwrap_or(at).since(live.ask.at);
    let outcome = Outcome::Expired;
    let verdict = verdict::verdict(&live.ask, &outcome, waited);
    let mut events = late_events(session, live, &verdict, answer, by, at);
    events.insert(0, Event::Settled(Box::new(Settled { ask: live.ask.id, at, outcome, verdict })));
    Ok(events)
}

fn late_events(session: &Session, live: &Live, told: &Verdict, answer: Answer, by: Who, at: Timestamp) -> Vec<Event> {
    let ask = live.ask.id;
    let text = verdict::follow_up(&live.ask, told, &answer, &by);
    let said = said(session, text, Some(by.clone()), Some(ask), None, at);
    vec![Event::LateAnswered { ask, answer, by, at }, said]
}
