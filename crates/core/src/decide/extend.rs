//! A person extends a deadline.

use super::found::{conflict, find, over};
use crate::answer::Who;
use crate::event::Event;
use crate::ids::{AskId, Timestamp};
use crate::limits;
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Session};
use crate::terms::Wait;

pub(super) fn extend(session: &Session, ask: AskId, wait: Wait, by: Who, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match find(session, ask)? {
        FoundAsk::Live(live) => live,
        FoundAsk::Over(stub) => return Err(over(session, stub)),
    };
    let AskStage::Open = live.stage else {
        return Err(conflict(live));
    };
    // An ask that waits for ever cannot wait longer.
    let Some(deadline) = live.deadline else {
        return Ok(Vec::new());
    };
    if deadline <= at {
        return Err(Refusal::NotOpen(live.ask.id));
    }
    let deadline = match wait {
        Wait::Forever => None,
        Wait::For(more) if more.is_zero() || more > limits::WAIT_MAX => {
            return Err(Refusal::BadRequest("extend by more than nothing and at most a year".to_owned()));
        }
        Wait::For(more) => Some(deadline.plus(more)),
    };
    Ok(vec![Event::Extended { ask: live.ask.id, deadline, by }])
}
