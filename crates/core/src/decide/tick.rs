//! A timer of an ask is due. A tick that comes early, late or twice does no harm.

use super::found::exactly;
use super::settle::settle;
use crate::answer::Outcome;
use crate::ask::{Ask, Reach};
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::intent::Due;
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Session};
use crate::terms::Warm;

pub(super) fn tick(session: &Session, ask: AskId, due: Due, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match exactly(session, ask)? {
        FoundAsk::Over(_) => return Ok(Vec::new()),
        FoundAsk::Live(live) => live,
    };
    match (due, &live.stage) {
        (Due::Expire, AskStage::Open) if live.deadline.is_some_and(|deadline| deadline <= at) => {
            Ok(settle(session, live, Outcome::Expired, at))
        }
        (Due::Commit, AskStage::Proposed { answer, by, until }) if *until <= at => {
            Ok(settle(session, live, Outcome::Answered { answer: answer.clone(), by: by.clone() }, at))
        }
        (Due::WarmOver, AskStage::Open)
            if live.ask.reach == Reach::Resumable && !live.parked && is_warm_over(&live.ask, at) =>
        {
            Ok(vec![Event::Parked { ask }])
        }
        _ => Ok(Vec::new()),
    }
}

fn is_warm_over(ask: &Ask, at: Timestamp) -> bool {
    match ask.terms.warm {
        Warm::Hold => false,
        Warm::For(span) => ask.at.plus(span) <= at,
    }
}
