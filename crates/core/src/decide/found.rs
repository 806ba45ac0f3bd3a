//! Finds the ask that an intent is about, and says who was first.

use crate::answer::Decision;
use crate::answer::{Answer, Outcome, Pick, Scope, Who};
use crate::ask::{Ask, Body};
use crate::ids::AskId;
use crate::refusal::{Refusal, Winner, WonBy};
use crate::session::{AskStage, Ending, FoundAsk, Live, Session, Stub};
use crate::unfit::{Mismatch, Problem};

/// Finds exactly this ask. Used for what happens on the agent's side: the connection of the first attempt says nothing
/// about the second.
pub(super) fn exactly(session: &Session, ask: AskId) -> Result<FoundAsk<'_>, Refusal> {
    session.find(ask).ok_or(Refusal::UnknownAsk(ask))
}

/// Finds an ask for a person. If a later ask replaced it, returns that one: one card, one answer.
pub(super) fn find(session: &Session, ask: AskId) -> Result<FoundAsk<'_>, Refusal> {
    let mut ask = ask;
    loop {
        match session.find(ask).ok_or(Refusal::UnknownAsk(ask))? {
            FoundAsk::Over(stub) if stub.moved_to > ask.number => ask.number = stub.moved_to,
            found => return Ok(found),
        }
    }
}

/// Whether the person recorded for a finished ask is the one who decides now.
pub(super) fn is_same_person(known: Option<&Who>, by: &Who) -> bool {
    known.is_some_and(|known| known.person == by.person)
}

/// Says who was first.
pub(super) fn conflict(live: &Live) -> Refusal {
    let (by, at) = match &live.stage {
        AskStage::Open => return Refusal::NotOpen(live.ask.id),
        AskStage::Proposed { by, until, .. } => (WonBy::Person(by.clone()), *until),
        AskStage::Settled { outcome, at, .. } => {
            let by = match outcome {
                Outcome::Answered { by, .. } | Outcome::Dismissed { by, .. } => WonBy::Person(by.clone()),
                Outcome::Ruled { rule, .. } | Outcome::RuledOut { rule, .. } => WonBy::Rule(rule.clone()),
                Outcome::Expired => WonBy::Nobody,
            };
            (by, *at)
        }
    };
    Refusal::Conflict { ask: live.ask.id, winner: Winner { by, at } }
}

/// Says how a finished ask ended.
pub(super) fn over(session: &Session, stub: &Stub) -> Refusal {
    let ask = session.ask_id(stub.number);
    let gone = |why: &str| Refusal::Gone { ask, why: why.to_owned(), at: stub.at };
    match stub.ending {
        Ending::Withdrawn => gone("it was withdrawn"),
        Ending::Overtaken => gone("it was answered elsewhere first"),
        Ending::Expired if stub.moved_to > 0 => gone("it was asked again"),
        Ending::Expired | Ending::Ruled => gone("too many asks of this session came after it"),
        Ending::Answered | Ending::Dismissed => {
            let by = session.decided_by(stub).cloned().map_or(WonBy::Nobody, WonBy::Person);
            Refusal::Conflict { ask, winner: Winner { by, at: stub.at } }
        }
    }
}

/// Checks that an answer that no person gives is one that a rule may give: only a person overrules a denial.
pub(super) fn rule_may_say(ask: &Ask, answer: &Answer) -> Result<(), Refusal> {
    if ask.body.denied().is_some() && matches!(answer, Answer::Approval(Decision::Allow { .. })) {
        let why = "only a person overrules a denial".to_owned();
        return Err(Refusal::Mismatch(Mismatch { problems: vec![Problem { about: None, why }] }));
    }
    fits(ask, answer)
}

/// Checks that an answer is of the ask's kind and within its options. `unfit` has checked replies already; this guards
/// against rules and programs that make answers themselves.
pub(super) fn fits(ask: &Ask, answer: &Answer) -> Result<(), Refusal> {
    let good = match (&ask.body, answer) {
        (Body::Questions(questions), Answer::Questions(picks)) => {
            questions.len() == picks.len()
                && picks.iter().any(|pick| *pick != Pick::default())
                && questions.iter().zip(picks).all(|(question, pick)| {
                    (question.multi || pick.chosen.len() + usize::from(pick.text.is_some()) <= 1)
                        && pick.chosen.is_sorted_by(|a, b| a < b)
                        && pick.chosen.iter().all(|&i| usize::from(i) < question.options.len())
                        && pick.text.as_ref().is_none_or(|text| !text.trim().is_empty())
                })
        }
        (Body::Approval(approval), Answer::Approval(decision)) => match decision {
            Decision::Allow { edited: Some(_), .. } if approval.overrule => false,
            Decision::Allow { scope: Scope::Always(rule), .. } => usize::from(*rule) < approval.rules.len(),
            _ => true,
        },
        (Body::Plan(_), Answer::Plan(_)) | (Body::Form(_), Answer::Form(_)) => true,
        _ => false,
    };
    if good {
        return Ok(());
    }
    let why = format!("the answer is blank or not one to {}", ask.body.kind().name());
    Err(Refusal::Mismatch(Mismatch { problems: vec![Problem { about: None, why }] }))
}
