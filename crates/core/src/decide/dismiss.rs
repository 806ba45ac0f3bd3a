//! A person closes an ask without answering it, with or without words.

use super::found::{conflict, find, is_same_person, over};
use super::settle::settle;
use crate::answer::{Outcome, Who};
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Session};

pub(super) fn dismiss(
    session: &Session,
    ask: AskId,
    words: Option<String>,
    by: Who,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let words = words.filter(|words| !words.trim().is_empty());
    let live = match find(session, ask)? {
        FoundAsk::Live(live) => live,
        FoundAsk::Over(stub) if stub.was_dismissed_with(&words) && is_same_person(session.decided_by(stub), &by) => {
            return Ok(Vec::new());
        }
        FoundAsk::Over(stub) => return Err(over(session, stub)),
    };
    match &live.stage {
        // The expiry may not be stored yet: the timer has not fired, or the journal was full when it did. Storing it is
        // left to the timer. If this dismissal stored it, its caller would be told that the dismissal counts, which is
        // false. If the caller were told of the expiry, they would learn of an outcome before it is durable, and the
        // agent may still withdraw the ask.
        AskStage::Open if live.deadline.is_some_and(|deadline| deadline <= at) => Err(Refusal::NotOpen(live.ask.id)),
        AskStage::Open => Ok(settle(session, live, Outcome::Dismissed { words, by }, at)),
        AskStage::Proposed { by: who, until, .. } if who.person == by.person && at < *until => {
            Ok(settle(session, live, Outcome::Dismissed { words, by }, at))
        }
        AskStage::Settled { outcome: Outcome::Dismissed { words: first, by: who }, .. }
            if *first == words && who.person == by.person =>
        {
            Ok(Vec::new())
        }
        AskStage::Proposed { .. } | AskStage::Settled { .. } => Err(conflict(live)),
    }
}
