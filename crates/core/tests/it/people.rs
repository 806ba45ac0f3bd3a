//! The people of the tests, and their answers.

use askbridge_core::answer::{Answer, Decision, Pick, Scope, Who};
use askbridge_core::refusal::{Refusal, Winner, WonBy};

use crate::facts::id;
use crate::given::second;

fn who(person: &str, device: &str) -> Who {
    Who { person: person.into(), device: device.into(), via: "native".into() }
}

pub(crate) fn ann() -> Who {
    who("ann", "phone")
}

/// The same person, on another device.
pub(crate) fn ann_at_her_desk() -> Who {
    who("ann", "desk")
}

pub(crate) fn bob() -> Who {
    who("bob", "phone")
}

pub(crate) fn cyd() -> Who {
    who("cyd", "phone")
}

pub(crate) fn yes() -> Answer {
    Answer::Questions(vec![Pick::option(0)])
}

pub(crate) fn no() -> Answer {
    Answer::Questions(vec![Pick::option(1)])
}

pub(crate) fn allow() -> Answer {
    Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None })
}

/// The refusal that names who was first, and when.
pub(crate) fn won(ask: u32, by: Who, at: i64) -> Refusal {
    Refusal::Conflict { ask: id(ask), winner: Winner { by: WonBy::Person(by), at: second(at) } }
}

pub(crate) fn won_by_nobody(ask: u32, at: i64) -> Refusal {
    Refusal::Conflict { ask: id(ask), winner: Winner { by: WonBy::Nobody, at: second(at) } }
}

pub(crate) fn won_by_rule(ask: u32, rule: &str, at: i64) -> Refusal {
    Refusal::Conflict { ask: id(ask), winner: Winner { by: WonBy::Rule(rule.into()), at: second(at) } }
}
