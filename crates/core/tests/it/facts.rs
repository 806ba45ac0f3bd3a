//! Short constructors of events. Times are seconds.

use std::sync::Arc;

use askbridge_core::answer::{Answer, Outcome, Who};
use askbridge_core::ask::Ask;
use askbridge_core::event::{Audience, Event, Parcel, Said, Settings, Settled, Started};
use askbridge_core::ids::{AskId, MessageId};
use askbridge_core::verdict::verdict;

use crate::given::{HERE, second};

pub(crate) fn id(number: u32) -> AskId {
    AskId { session: HERE, number }
}

pub(crate) fn message(number: u32) -> MessageId {
    MessageId { session: HERE, number }
}

pub(crate) fn started() -> Event {
    Event::Started(Box::new(Started {
        at: second(0),
        door: "http".into(),
        agent: "ci".into(),
        owner: "p".into(),
        audience: Audience::Everyone,
        settings: Settings::default(),
        continues: None,
        host: None,
    }))
}

pub(crate) fn closed(at: i64) -> Event {
    Event::Closed { why: "done".into(), at: second(at) }
}

pub(crate) fn asked(ask: &Ask) -> Event {
    Event::Asked(Arc::new(ask.clone()))
}

pub(crate) fn proposed(ask: u32, answer: Answer, by: Who, until: i64) -> Event {
    Event::Proposed { ask: id(ask), answer, by, until: second(until) }
}

pub(crate) fn undone(ask: u32, by: Who) -> Event {
    Event::Undone { ask: id(ask), by }
}

pub(crate) fn extended(ask: u32, deadline: Option<i64>, by: Who) -> Event {
    Event::Extended { ask: id(ask), deadline: deadline.map(second), by }
}

pub(crate) fn voted(ask: u32, answer: Answer, by: Who) -> Event {
    Event::Voted { ask: id(ask), answer, by }
}

/// Settled, with the matching verdict.
pub(crate) fn settled(ask: &Ask, outcome: Outcome, at: i64) -> Event {
    let at = second(at);
    let waited = ask.terms.deadline.unwrap_or(at).since(ask.at);
    let verdict = verdict(ask, &outcome, waited);
    Event::Settled(Box::new(Settled { ask: ask.id, at, outcome, verdict }))
}

pub(crate) fn answered(ask: &Ask, answer: Answer, by: Who, at: i64) -> Event {
    settled(ask, Outcome::Answered { answer, by }, at)
}

pub(crate) fn dismissed(ask: &Ask, words: Option<&str>, by: Who, at: i64) -> Event {
    settled(ask, Outcome::Dismissed { words: words.map(Into::into), by }, at)
}

pub(crate) fn expired(ask: &Ask, at: i64) -> Event {
    settled(ask, Outcome::Expired, at)
}

pub(crate) fn ruled(ask: &Ask, rule: &str, answer: Answer, at: i64) -> Event {
    settled(ask, Outcome::Ruled { rule: rule.into(), place: None, answer }, at)
}

pub(crate) fn withdrawn(ask: u32, why: &str, at: i64) -> Event {
    Event::Withdrawn { ask: id(ask), why: why.into(), at: second(at) }
}

pub(crate) fn overtaken(ask: u32, at: i64) -> Event {
    Event::Overtaken { ask: id(ask), mouth: "terminal".into(), ran: None, at: second(at) }
}

pub(crate) fn parked(ask: u32) -> Event {
    Event::Parked { ask: id(ask) }
}

pub(crate) fn stranded(ask: u32) -> Event {
    Event::Stranded { ask: id(ask) }
}

pub(crate) fn answered_late(ask: u32, answer: Answer, by: Who, at: i64) -> Event {
    Event::LateAnswered { ask: id(ask), answer, by, at: second(at) }
}

pub(crate) fn used(ask: u32, call: &str, at: i64) -> Event {
    Event::OverruleUsed { ask: id(ask), call: call.into(), at: second(at) }
}

pub(crate) fn handed(ask: u32, attempt: u32) -> Event {
    Event::Handed { parcel: Parcel::Verdict(id(ask)), attempt }
}

pub(crate) fn delivered(ask: u32, at: i64) -> Event {
    Event::Delivered { parcel: Parcel::Verdict(id(ask)), proof: "seen".into(), at: second(at) }
}

/// Delivered, with this as the proof.
pub(crate) fn proven(ask: u32, proof: &str, at: i64) -> Event {
    Event::Delivered { parcel: Parcel::Verdict(id(ask)), proof: proof.into(), at: second(at) }
}

pub(crate) fn said(number: u32, text: &str, by: Option<Who>, about: Option<u32>, at: i64) -> Event {
    let said =
        Said { message: message(number), at: second(at), text: text.into(), by, about: about.map(id), client_id: None };
    Event::Said(Box::new(said))
}

pub(crate) fn message_handed(number: u32, attempt: u32) -> Event {
    Event::Handed { parcel: Parcel::Message(message(number)), attempt }
}

pub(crate) fn message_delivered(number: u32, at: i64) -> Event {
    Event::Delivered { parcel: Parcel::Message(message(number)), proof: "seen".into(), at: second(at) }
}
