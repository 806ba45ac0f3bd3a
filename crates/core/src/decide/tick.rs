//! A time that an ask was waiting for has come. A tick that comes early, late or twice does no harm.

use super::settle::settle;
use crate::answer::Outcome;
use crate::ask::Reach;
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::intent::Due;
use crate::refusal::Refusal;
use crate::session::{Found, Session, Stage};

pub(super) fn tick(session: &Session, ask: AskId, due: Due, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match session.find(ask) {
        None => return Err(Refusal::UnknownAsk(ask)),
        Some(Found::Over(_)) => return Ok(Vec::new()),
        Some(Found::Live(live)) => live,
    };
    match (due, &live.stage) {
        (Due::Expire, Stage::Open) if live.deadline.is_some_and(|deadline| deadline <= at) => {
            Ok(settle(session, live, Outcome::Expired, at))
        }
        (Due::Commit, Stage::Proposed { answer, by, until }) if *until <= at => {
            Ok(settle(session, live, Outcome::Answered { answer: answer.clone(), by: by.clone() }, at))
        }
        (Due::WarmOver, Stage::Open) if live.ask.reach == Reach::Resumable && !live.parked => {
            Ok(vec![Event::Parked { ask }])
        }
        _ => Ok(Vec::new()),
    }
}
