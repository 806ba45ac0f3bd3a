//! What becomes of an ask of a session that no person attends, where no rule decides.

use super::answers::{self, AnswerBy, Answers};
use super::outcome::{Ruled, RulesOutcome};
use super::rule::Action;
use crate::answer::{Answer, RuleSays};
use crate::ask::Body;

/// How a session without a person goes on. (A third way is to park, which is a term; a fourth, not to offer the question.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unattended {
    /// Everything is denied in words.
    Deny,
    /// Questions are answered with the option that the agent recommends, or else the first. Everything else is denied.
    Answer,
}

/// The rule by which such an ask is settled.
pub const UNATTENDED: &str = "unattended";

const WORDS: &str = "Nobody attends this run, and no rule decides this. Go on without it, or do it in another way.";

impl Unattended {
    /// What is said to an ask that these rules leave to a person. `None`: a rule decides it, or sends it to a person.
    pub fn says(self, body: &Body, ruling: &RulesOutcome<'_>) -> Option<RuleSays> {
        if ruling.rule.is_some() || ruling.ruled != Ruled::Ask {
            return None;
        }
        // Where several people have to agree, nothing says yes in their place.
        let answer = match (self, body) {
            (Self::Answer, Body::Questions(questions)) if ruling.terms.quorum == 1 => {
                let is_open = questions.iter().any(|question| question.secret);
                let by = |by| Action::Answer(Answers::All(by));
                let each = questions.iter().map(|question| {
                    let alone = Body::Questions(vec![question.clone()]);
                    let recommended = answers::says(&by(AnswerBy::Recommended), &alone);
                    match recommended.or_else(|| answers::says(&by(AnswerBy::First), &alone))? {
                        RuleSays::Answer(Answer::Questions(mut picks)) => picks.pop(),
                        _ => None,
                    }
                });
                let picks: Option<Vec<_>> = if is_open || questions.is_empty() { None } else { each.collect() };
                picks.map(|picks| RuleSays::Answer(Answer::Questions(picks)))
            }
            _ => None,
        };
        answer.or_else(|| answers::says(&Action::Deny { words: WORDS.to_owned() }, body))
    }
}
