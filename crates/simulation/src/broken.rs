//! Deliberately broken bridges, to test that the judge notices.

use askbridge_core::answer::{Answer, Decision, Outcome, Pick, Scope};
use askbridge_core::ask::Body;
use askbridge_core::event::{Event, Settled};
use askbridge_core::ids::Timestamp;
use askbridge_core::intent::{Due, Intent};
use askbridge_core::refusal::Refusal;
use askbridge_core::session::{AskStage, Session};
use askbridge_core::verdict::{Ruling, Verdict};
use askbridge_peers::dialects::{ccc, gobby, prime, seline};
use askbridge_peers::listing::{Greeting, Hello, Listing};
use askbridge_peers::peer::{Cx, Frame, Garbled, Peer, Tag};
use askbridge_peers::told::Told;
use askbridge_peers::wish::{Receipt, Rejection};

/// What is wrong with a bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    Journal(BrokenJournal),
    Rules(BrokenRules),
    Disk(BrokenDisk),
    Tongue(BrokenTongue),
    /// Says that a token is revoked, and still accepts it.
    KeepsRevokedTokens,
    /// Says that new rules are in force, and rules by those with which it started.
    KeepsOldRules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenJournal {
    LosesOnConflict,
    TellsBeforeAppend,
    LosesTheLarge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenDisk {
    LosesAnEntry,
}

/// A dialect whose machine is never told that it is caught up, so it does not show what was open before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenTongue {
    Prime,
    Ccc,
    Gobby,
    Seline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRules {
    SecondAnswer,
    DeadlineTwice,
    EmptyAllow,
    UndoesNothing,
    OneIsEnough,
    RulesWhatIsOpen,
    AnswersWhatWasNotOffered,
}

type Decided = Result<Vec<Event>, Refusal>;

impl BrokenRules {
    pub(crate) fn decide(self) -> askbridge_bridge::runtime::Decide {
        match self {
            Self::SecondAnswer => accept_a_second_answer,
            Self::DeadlineTwice => fire_twice,
            Self::EmptyAllow => allow_when_nobody_came,
            Self::UndoesNothing => undo_nothing,
            Self::OneIsEnough => settle_with_one_vote,
            Self::RulesWhatIsOpen => rule_what_is_open,
            Self::AnswersWhatWasNotOffered => answer_what_was_not_offered,
        }
    }
}

/// Settles an ask again when a second answer differs.
fn accept_a_second_answer(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let Intent::Answer { ask, answer, by, .. } = &intent else {
        return askbridge_core::decide(session, intent, at);
    };
    match session.asks.get(&ask.number).map(|live| &live.stage) {
        Some(AskStage::Settled { outcome: Outcome::Answered { answer: first, .. }, .. }) if first != answer => {
            let verdict = Verdict { ruling: Ruling::Answer(answer.clone()), words: String::new() };
            let outcome = Outcome::Answered { answer: answer.clone(), by: by.clone() };
            Ok(vec![Event::Settled(Box::new(Settled { ask: *ask, at, outcome, verdict }))])
        }
        _ => askbridge_core::decide(session, intent, at),
    }
}

/// Settles an expired ask twice.
fn fire_twice(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let due = match &intent {
        Intent::Tick { ask, due: Due::Expire } => session.asks.get(&ask.number),
        _ => None,
    };
    let decided = askbridge_core::decide(session, intent, at)?;
    match (due.map(|live| &live.stage), decided.first()) {
        (Some(AskStage::Open), Some(Event::Settled(settled))) => {
            Ok([Event::Settled(settled.clone())].into_iter().chain(decided).collect())
        }
        _ => Ok(decided),
    }
}

/// Allows an approval that expired without an answer.
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

/// Confirms an undo without recording it.
fn undo_nothing(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let is_undo = matches!(intent, Intent::Undo { .. });
    let decided = askbridge_core::decide(session, intent, at)?;
    Ok(if is_undo { Vec::new() } else { decided })
}

/// Settles an ask with a quorum on its first vote.
fn settle_with_one_vote(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let Intent::Answer { ask, answer, by, .. } = &intent else {
        return askbridge_core::decide(session, intent, at);
    };
    match session.asks.get(&ask.number) {
        Some(live) if live.stage == AskStage::Open && live.ask.terms.quorum > 1 => {
            let verdict = Verdict { ruling: Ruling::Answer(answer.clone()), words: String::new() };
            let outcome = Outcome::Answered { answer: answer.clone(), by: by.clone() };
            Ok(vec![Event::Settled(Box::new(Settled { ask: *ask, at, outcome, verdict }))])
        }
        _ => askbridge_core::decide(session, intent, at),
    }
}

/// Has a rule deny an ask that was open until its deadline.
fn rule_what_is_open(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let decided = askbridge_core::decide(session, intent, at)?;
    let rule = |event| match event {
        Event::Settled(mut settled) if settled.outcome == Outcome::Expired => {
            let (rule, words) = ("v1-0".to_owned(), "a later rule".to_owned());
            settled.verdict = Verdict { ruling: Ruling::Deny, words: format!("{rule}; no person was asked. {words}") };
            settled.outcome = Outcome::RuledOut { rule, place: None, words };
            Event::Settled(settled)
        }
        other => other,
    };
    Ok(decided.into_iter().map(rule).collect())
}

/// Has rules choose an option that is not there.
fn answer_what_was_not_offered(session: &Session, intent: Intent, at: Timestamp) -> Decided {
    let decided = askbridge_core::decide(session, intent, at)?;
    let choose = |event| match event {
        Event::Settled(mut settled) => {
            if let Outcome::Ruled { answer: answer @ Answer::Questions(_), .. } = &mut settled.outcome {
                *answer = Answer::Questions(vec![Pick::option(7)]);
                settled.verdict.ruling = Ruling::Answer(answer.clone());
            }
            Event::Settled(settled)
        }
        other => other,
    };
    Ok(decided.into_iter().map(choose).collect())
}

impl BrokenTongue {
    pub(crate) fn listing(self) -> &'static Listing {
        const PRIME: Listing = Listing { greet: Some(|hello| deaf(prime::LISTING, hello)), ..prime::LISTING };
        const CCC: Listing = Listing { greet: Some(|hello| deaf(ccc::LISTING, hello)), ..ccc::LISTING };
        const GOBBY: Listing = Listing { greet: Some(|hello| deaf(gobby::LISTING, hello)), ..gobby::LISTING };
        const SELINE: Listing = Listing { greet: Some(|hello| deaf(seline::LISTING, hello)), ..seline::LISTING };
        match self {
            Self::Prime => &PRIME,
            Self::Ccc => &CCC,
            Self::Gobby => &GOBBY,
            Self::Seline => &SELINE,
        }
    }
}

fn deaf(listing: Listing, hello: &Hello<'_>) -> Greeting {
    match listing.greet.map(|greet| greet(hello)) {
        Some(Greeting::Open(peer)) => Greeting::Open(Box::new(Deaf(peer))),
        Some(refused) => refused,
        None => Greeting::Refuse(404, String::new()),
    }
}

/// The real machine, without the snapshot and the news that it is caught up.
struct Deaf(Box<dyn Peer>);

impl Peer for Deaf {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        self.0.hear(frame, cx)
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        if !matches!(told, Told::CaughtUp { .. } | Told::Snapshot(_)) {
            self.0.tell(told, cx);
        }
    }

    fn reply(&mut self, tag: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        self.0.reply(tag, ruling, cx);
    }

    fn wake(&mut self, cx: &mut Cx<'_>) -> Option<Timestamp> {
        self.0.wake(cx)
    }
}
