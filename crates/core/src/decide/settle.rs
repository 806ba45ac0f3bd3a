//! The one place where an ask is settled: outcome, verdict, and a message if the way back is gone.

use crate::answer::{Answer, Decision, Outcome, Who};
use crate::ask::Ask;
use crate::event::{Event, Said, Settled};
use crate::ids::{AskId, MessageId, Timestamp};
use crate::session::{AskStage, Live, Session};
use crate::verdict::{self, Verdict};

pub(super) fn settle(session: &Session, live: &Live, outcome: Outcome, at: Timestamp) -> Vec<Event> {
    let ask = &live.ask;
    let waited = live.deadline.unwrap_or(at).since(ask.at);
    let verdict = verdict::verdict(ask, &outcome, waited);
    // An agent whose call was denied is told that it may call again, and nothing else: words are a message.
    let has_no_way = live.stranded || (ask.body.denied().is_some() && !overrules(&outcome));
    let message = if has_no_way { stranded(session, ask, &outcome, &verdict, at) } else { None };
    let settled = Event::Settled(Box::new(Settled { ask: ask.id, at, outcome, verdict }));
    [Some(settled), message].into_iter().flatten().collect()
}

fn overrules(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered { answer: Answer::Approval(Decision::Allow { .. }), .. })
}

/// Returns the message that carries a verdict whose way back is gone.
pub(super) fn stranded(
    session: &Session,
    ask: &Ask,
    outcome: &Outcome,
    verdict: &Verdict,
    at: Timestamp,
) -> Option<Event> {
    let text = verdict::stranded(ask, outcome, verdict)?;
    let by = match outcome {
        Outcome::Answered { by, .. } | Outcome::Dismissed { by, .. } => Some(by.clone()),
        Outcome::Expired | Outcome::Ruled { .. } | Outcome::RuledOut { .. } => None,
    };
    Some(said(session, text, by, Some(ask.id), None, at))
}

/// Takes back the message with the answer to a stranded ask: the agent has learned of it another way, and must not be
/// told twice, or two different things. A message that was handed over may have been read, so it stays.
pub(super) fn unsaid(session: &Session, live: &Live) -> Option<Event> {
    let AskStage::Settled { outcome, verdict, .. } = &live.stage else { return None };
    if !live.stranded {
        return None;
    }
    let text = verdict::stranded(&live.ask, outcome, verdict)?;
    let carries = |said: &Said| said.about == Some(live.ask.id) && said.text == text;
    let queued = session.queue.iter().find(|queued| queued.attempts == 0 && carries(&queued.said))?;
    Some(Event::Unsaid { message: queued.said.message })
}

/// Makes the session's next message.
pub(super) fn said(
    session: &Session,
    text: String,
    by: Option<Who>,
    about: Option<AskId>,
    client_id: Option<Box<str>>,
    at: Timestamp,
) -> Event {
    let message = MessageId { session: session.id, number: session.messages_made + 1 };
    Event::Said(Box::new(Said { message, at, text, by, about, client_id }))
}
