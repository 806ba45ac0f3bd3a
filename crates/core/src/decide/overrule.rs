//! The agent makes a denied call again: it runs if a person overruled the denial, once.

use super::found::{exactly, over};
use super::settle::unsaid;
use crate::event::{Event, Parcel, Said};
use crate::ids::{AskId, CallId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Live, Session};
use crate::verdict;

pub(super) fn use_it(session: &Session, ask: AskId, call: CallId, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match exactly(session, ask)? {
        FoundAsk::Live(live) => live,
        FoundAsk::Over(stub) => return Err(over(session, stub)),
    };
    if !live.lets_through(&call, at) {
        let why = match (live.overruled_at(), &live.used_by) {
            (None, _) => "no person overruled it",
            (Some(_), Some(_)) => "another call ran by it",
            (Some(_), None) => "the call came too late",
        };
        return Err(Refusal::Gone { ask, why: why.to_owned(), at });
    }
    if live.used_by.is_some() {
        return Ok(Vec::new());
    }
    let proof = call.to_string();
    let mut events = vec![Event::OverruleUsed { ask, call, at }];
    // An agent that calls again need not be told that it may.
    if live.delivered_at.is_none() {
        events.push(Event::Delivered { parcel: Parcel::Verdict(ask), proof, at });
    }
    events.extend(unsaid(session, live).or_else(|| unsaid_late(session, live)));
    Ok(events)
}

/// Takes back the message with a late overrule, unless the agent may have read it.
fn unsaid_late(session: &Session, live: &Live) -> Option<Event> {
    let (AskStage::Settled { verdict, .. }, Some(late)) = (&live.stage, &live.late) else { return None };
    let text = verdict::follow_up(&live.ask, verdict, &late.answer, &late.by);
    let carries = |said: &Said| said.about == Some(live.ask.id) && said.text == text;
    let queued = session.queue.iter().find(|queued| queued.attempts == 0 && carries(&queued.said))?;
    Some(Event::Unsaid { message: queued.said.message })
}
