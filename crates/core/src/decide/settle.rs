//! The one place where an ask ends: outcome, verdict, and a message where the way back is gone.

use crate::answer::Outcome;
use crate::answer::Who;
use crate::event::{Event, Said, Settled};
use crate::ids::{AskId, MessageId, Timestamp};
use crate::session::{Live, Session};
use crate::verdict;

pub(super) fn settle(session: &Session, live: &Live, outcome: Outcome, at: Timestamp) -> Vec<Event> {
    let ask = &live.ask;
    let waited = live.deadline.unwrap_or(at).since(ask.at);
    let verdict = verdict::verdict(ask, &outcome, waited);
    let follow_up = match &outcome {
        Outcome::Answered { answer, by } if live.stranded => {
            Some(said(session, verdict::stranded_answer(ask, answer, by), Some(by.clone()), Some(ask.id), at))
        }
        _ => None,
    };
    let settled = Event::Settled(Box::new(Settled { ask: ask.id, at, outcome, verdict }));
    [Some(settled), follow_up].into_iter().flatten().collect()
}

/// Makes the session's next message.
pub(super) fn said(session: &Session, text: String, by: Option<Who>, about: Option<AskId>, at: Timestamp) -> Event {
    let message = MessageId { session: session.id, number: session.messages_made + 1 };
    Event::Said(Box::new(Said { message, at, text, by, about }))
}
