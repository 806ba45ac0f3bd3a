//! The agent makes a denied call again: it runs if a person overruled the denial, once.

use super::found::{exactly, over};
use crate::event::{CallRuled, Event, ToolRuling};
use crate::ids::{AskId, CallId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{FoundAsk, Session};

pub(super) fn use_it(session: &Session, ask: AskId, call: CallId, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let live = match exactly(session, ask)? {
        FoundAsk::Live(live) => live,
        FoundAsk::Over(stub) => return Err(over(session, stub)),
    };
    let Some(denied) = live.ask.body.denied().filter(|_| live.lets_through(&call, at)) else {
        let why = match (live.overruled_at(), &live.used_by) {
            (None, _) => "no person overruled it",
            (Some(_), Some(_)) => "another call ran by it",
            (Some(_), None) => "the call came too late",
        };
        return Err(Refusal::Gone { ask, why: why.to_owned(), at });
    };
    if live.used_by.is_some() {
        return Ok(Vec::new());
    }
    let ruled = CallRuled { rule: format!("overruled by a person: {ask}"), ruling: ToolRuling::Allow };
    let shown = ruled.event(call.clone(), denied.tool.clone());
    Ok(vec![Event::OverruleUsed { ask, call, at }, shown])
}
