//! Dispatches each intent to its file, and refuses what a closed or full session does not allow.

use super::{answer, ask, close, configure, deliver, dismiss, extend, host, late, overrule, park, rule, say, start};
use super::{strand, tick, undo, vote, withdraw};
use crate::event::Event;
use crate::ids::Timestamp;
use crate::intent::Intent;
use crate::limits;
use crate::refusal::Refusal;
use crate::session::{End, Session};

/// Decides `intent` at the time `at`.
pub fn decide(session: &Session, intent: Intent, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let intent = match intent {
        Intent::Start(wish) => return start::start(session, *wish, at),
        Intent::OfHost { epoch, intent } => {
            host::in_time(session, epoch)?;
            return decide(session, *intent, at);
        }
        other => other,
    };
    if session.started.is_none() {
        return Err(Refusal::UnknownSession(session.id));
    }
    if begins_something(&intent) {
        still_open(session)?;
    }
    if fills(&intent) && session.decisions >= limits::DECISIONS_HARD_MAX {
        return Err(Refusal::SessionFull(session.id));
    }
    match intent {
        Intent::Start(_) | Intent::OfHost { .. } => unreachable!("these were decided above"),
        Intent::Close { why } => close::close(session, why, at),
        Intent::Continue { to } => close::carry_on(session, to, at),
        Intent::Claim { node, process, takeover } => host::claim(session, node, process, takeover),
        Intent::Release { epoch } => host::release(session, epoch),
        Intent::Say { text, by, about, client_id } => say::say(session, text, by, about, client_id, at),
        Intent::Unsay { message } => say::unsay(session, message),
        Intent::Interrupt { by } => Ok(vec![Event::Interrupted { by, at }]),
        Intent::Configure(settings) => configure::configure(session, *settings),
        Intent::Ask(wish) => ask::ask(session, *wish, at),
        Intent::Withdraw { ask, why } => withdraw::withdraw(session, ask, why, at),
        Intent::Abandon { ask, why } => withdraw::abandon(session, ask, why, at),
        Intent::Overtake { ask, mouth, ran } => withdraw::overtake(session, ask, mouth, ran, at),
        Intent::Answer { ask, answer, by, undo } => answer::answer(session, ask, answer, by, undo, at),
        Intent::Undo { ask, by } => undo::undo(session, ask, by, at),
        Intent::Dismiss { ask, words, by } => dismiss::dismiss(session, ask, words, by, at),
        Intent::Extend { ask, wait, by } => extend::extend(session, ask, wait, by, at),
        Intent::Vote { ask, answer, by } => vote::vote(session, ask, answer, by, at),
        Intent::Rule { ask, rule, answer } => rule::rule(session, ask, rule, answer, at),
        Intent::Correct { ask, answer, by } => late::correct(session, ask, answer, by, at),
        Intent::UseOverrule { ask, call } => overrule::use_it(session, ask, call, at),
        Intent::Park { ask } => park::park(session, ask),
        Intent::Hand { parcel } => deliver::hand(session, parcel),
        Intent::Deliver { parcel, proof } => deliver::deliver(session, parcel, proof, at),
        Intent::Return { ask, result } => deliver::returned(session, ask, *result, at),
        Intent::Strand { ask } => strand::strand(session, ask, at),
        Intent::Tick { ask, due } => tick::tick(session, ask, due, at),
    }
}

/// After the end, asks can still be settled, handed and delivered; nothing new may begin.
fn begins_something(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Ask(_)
            | Intent::Say { .. }
            | Intent::Interrupt { .. }
            | Intent::Configure(_)
            | Intent::Claim { .. }
            | Intent::UseOverrule { .. }
    )
}

/// A full session can still be hosted, to hand over settled verdicts, and be continued in a new one.
fn fills(intent: &Intent) -> bool {
    begins_something(intent) && !matches!(intent, Intent::Claim { .. } | Intent::UseOverrule { .. })
}

pub(super) fn still_open(session: &Session) -> Result<(), Refusal> {
    match &session.end {
        Some(End::Closed { .. }) => Err(Refusal::SessionClosed(session.id)),
        Some(End::Continued { to, .. }) => Err(Refusal::MovedOn { from: session.id, to: *to }),
        None => Ok(()),
    }
}
