//! Scripted people, each of whom always does the same.

use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Filled, Pick, Review, Scope, Who};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::intent::Intent;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    /// Takes the first option, allows, approves.
    Agrees,
    /// Closes questions, denies, sends back.
    Refuses,
    Interrupts,
    /// Answers only after the process has ended, and then agrees.
    Waits,
}

/// What they say when they refuse.
const WORDS: &str = "not like this";

pub(crate) fn ada() -> Who {
    Who { person: "ada".into(), device: "phone".to_owned(), via: "native".to_owned() }
}

impl Person {
    /// What they do about an ask, if anything.
    pub(crate) fn decides(self, ask: &Ask) -> Option<Intent> {
        let answer = |answer| Some(Intent::Answer { ask: ask.id, answer, by: ada(), undo: Duration::ZERO });
        let words = Some(WORDS.to_owned());
        match (self, &ask.body) {
            (Self::Interrupts, _) => Some(Intent::Interrupt { by: Some(ada()) }),
            (Self::Waits, _) => None,
            (Self::Agrees, Body::Questions(questions)) => {
                answer(Answer::Questions(questions.iter().map(|_| Pick::option(0)).collect()))
            }
            (Self::Agrees, Body::Approval(_)) => {
                answer(Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None }))
            }
            (Self::Agrees, Body::Plan(_)) => answer(Answer::Plan(Review::Approve { edited: None })),
            (Self::Agrees, Body::Form(_)) => answer(Answer::Form(Filled::Decline { words: None })),
            (Self::Refuses, Body::Approval(_)) => answer(Answer::Approval(Decision::Deny { words, stop: false })),
            (Self::Refuses, Body::Plan(_)) => answer(Answer::Plan(Review::SendBack { words: WORDS.to_owned() })),
            (Self::Refuses, _) => Some(Intent::Dismiss { ask: ask.id, words, by: ada() }),
        }
    }
}
