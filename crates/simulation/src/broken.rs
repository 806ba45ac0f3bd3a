//! Bridges that are broken on purpose: if the judge does not notice, the judge is broken.

use askbridge_core::answer::{Answer, Decision, Outcome, Scope};
use askbridge_core::ask::Body;
use askbridge_core::event::{Event, Settled};
use askbridge_core::ids::Timestamp;
use askbridge_core::intent::{Due, Intent};
use askbridge_core::refusal::Refusal;
use askbridge_core::session::{Session, Stage};
use askbridge_core::verdict::{Ruling, Verdict};

/// What is wrong with a bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Journal(BrokenJournal),
    Rules(BrokenRules),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenJournal {
    LosesOnConflict,
    TellsBeforeAppend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRules {
    SecondAnswer,
    DeadlineTwice,
    EmptyAllow,
}

type Decided = Result<Vec<Event>, Refusal>;

impl BrokenRules {
    pub(crate) fn decide(self) -> askbridge_bridge::runtime::Decide {
        match self {
            Self::SecondAnswer => accept_a_second_answer,
            Self::DeadlineTwice => fire_twice,
            Self::EmptyAllow => allow_when_nobody_came,
        }
    }
}

/// Settles again whenever somebody answers differently.
fn accept_a_second_answer(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let Intent::Answer { ask, answer, by } = &intent else {
        return askbridge_core::decide(session, intent, at);
    };
    match session.asks.get(&ask.number).map(|live| &live.stage) {
        Some(Stage::Settled { outcome: Outcome::Answered { answer: first, .. }, .. }) if first != answer => {
            let verdict = Verdict { ruling: Ruling::Answer(answer.clone()), words: String::new() };
            let outcome = Outcome::Answered { answer: answer.clone(), by: by.clone() };
            Ok(vec![Event::Settled(Box::new(Settled { ask: *ask, at, outcome, verdict }))])
        }
        _ => askbridge_core::decide(session, intent, at),
    }
}

/// Settles what is due, and settles it again.
fn fire_twice(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let due = match &intent {
        Intent::Tick { ask, due: Due::Expire } => session.asks.get(&ask.number),
        _ => None,
    };
    let decided = askbridge_core::decide(session, intent, at)?;
    match (due.map(|live| &live.stage), decided.first()) {
        (Some(Stage::Open), Some(Event::Settled(settled))) => {
            Ok([Event::Settled(settled.clone())].into_iter().chain(decided).collect())
        }
        _ => Ok(decided),
    }
}

/// Nobody came, so it may run.
fn allow_when_nobody_came(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let decided = askbridge_core::decide(session, intent, at)?;
    let allow = |event| match event {
        Event::Settled(mut settled) if settled.outcome == Outcome::Expired => {
            let live = session.asks.get(&settled.ask.number);
            if live.is_some_and(|live| matches!(live.ask.body, Body::Approval(_))) {
                let allow = Decision::Allow { scope: Scope::Once, edited: None };
                settled.verdict.ruling = Ruling::Answer(Answer::Approval(allow));
            }
            Event::Settled(settled)
        }
        other => other,
    };
    Ok(decided.into_iter().map(allow).collect())
}
