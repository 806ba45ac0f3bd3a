//! A verdict or a message is handed to the agent, and the agent proves that it received it.

use super::found::exactly;
use super::settle::unsaid;
use crate::event::{CallResult, Event, Parcel};
use crate::ids::{AskId, Timestamp};
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Queued, Session};

pub(super) fn hand(session: &Session, parcel: Parcel) -> Result<Vec<Event>, Refusal> {
    let attempts = match parcel {
        Parcel::Verdict(ask) => match exactly(session, ask)? {
            FoundAsk::Live(live) if live.delivered_at.is_some() => return Ok(Vec::new()),
            FoundAsk::Live(live) => match live.stage {
                AskStage::Settled { .. } => live.attempts,
                _ => return Err(Refusal::NotSettled(ask)),
            },
            FoundAsk::Over(_) => return Ok(Vec::new()),
        },
        Parcel::Message(message) => match waiting(session, parcel) {
            Some(queued) => queued.attempts,
            None => return Err(Refusal::UnknownMessage(message)),
        },
    };
    Ok(vec![Event::Handed { parcel, attempt: attempts + 1 }])
}

/// Delivering twice changes nothing: the proof may be seen again after a restart.
pub(super) fn deliver(session: &Session, parcel: Parcel, proof: String, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    let news = match parcel {
        Parcel::Verdict(ask) => match exactly(session, ask)? {
            FoundAsk::Live(live) if matches!(live.stage, AskStage::Settled { .. }) => live.delivered_at.is_none(),
            FoundAsk::Live(_) => return Err(Refusal::NotSettled(ask)),
            FoundAsk::Over(_) => false,
        },
        Parcel::Message(_) => waiting(session, parcel).is_some(),
    };
    if !news {
        return Ok(Vec::new());
    }
    let mut events = vec![Event::Delivered { parcel, proof: proof.clone(), at }];
    if let Some(ask) = carried(session, parcel) {
        events.push(Event::Delivered { parcel: Parcel::Verdict(ask), proof, at });
    }
    if let Parcel::Verdict(ask) = parcel
        && let FoundAsk::Live(live) = exactly(session, ask)?
    {
        events.extend(unsaid(session, live));
    }
    Ok(events)
}

/// The result of a call proves that the verdict on it was received. Both are stored together, so that a repeat of the
/// proof stores neither again.
pub(super) fn returned(
    session: &Session,
    ask: AskId,
    result: CallResult,
    at: Timestamp,
) -> Result<Vec<Event>, Refusal> {
    let mut events = deliver(session, Parcel::Verdict(ask), format!("tool_result {}", result.call), at)?;
    if !events.is_empty() {
        events.insert(0, result.event());
    }
    Ok(events)
}

/// Returns the stranded ask whose answer is in this message: delivering the message delivers the ask too.
fn carried(session: &Session, parcel: Parcel) -> Option<AskId> {
    let ask = waiting(session, parcel)?.said.about?;
    match session.find(ask)? {
        FoundAsk::Live(live) if live.stranded && !live.is_open() && live.delivered_at.is_none() => Some(ask),
        _ => None,
    }
}

fn waiting(session: &Session, parcel: Parcel) -> Option<&Queued> {
    session.queue.iter().find(|queued| Parcel::Message(queued.said.message) == parcel)
}
