//! The facts about one ask that rules depend on.

use std::fmt;

use super::call::Call;
use super::time::LocalTime;
use crate::ask::{Body, Question};
use crate::ids::Timestamp;
use crate::terms::Wishes;

/// What is known when an ask is made.
#[derive(Clone, Copy)]
pub struct AskFacts<'a> {
    pub at: Timestamp,
    pub door: &'a str,
    pub agent: &'a str,
    /// The session's id. `None` for a session that is made with the ask.
    pub session: Option<&'a str>,
    pub title: Option<&'a str>,
    pub folder: Option<&'a str>,
    pub branch: Option<&'a str>,
    /// `None` where the terms of some ask of the session are wanted: only rules without conditions on the ask match.
    pub body: Option<&'a Body>,
    /// The call, if the body is an approval.
    pub call: Option<&'a dyn Call>,
    /// Digests questions, as a rule that is bound to them wants it. `None`: no rule is bound to questions.
    pub digest_questions: Option<fn(&[Question]) -> String>,
    /// `None` if the machine's time zone is not known: then no rule with hours or days matches.
    pub local: Option<LocalTime>,
    /// Is a person at the machine? `None` if that is not known: then no rule that asks for it matches.
    pub present: Option<bool>,
    /// How often in a row the same was decided the same way. 0 if that is not known.
    pub decided_before: u32,
    /// What the ask, the session, the agent's settings and the door request, strongest first.
    pub wishes: [&'a Wishes; 4],
}

impl<'a> AskFacts<'a> {
    /// The digest of the call, or of the questions. `None`: there is neither, or the call cannot be read.
    pub(super) fn digest(&self) -> Option<String> {
        match self.call {
            Some(call) => call.digest(),
            None => {
                let questions = Some(self.questions()).filter(|questions| !questions.is_empty())?;
                Some(self.digest_questions?(questions))
            }
        }
    }

    pub(super) fn headline(&self) -> &'a str {
        self.body.map_or("", Body::headline)
    }

    pub(super) fn questions(&self) -> &'a [Question] {
        match self.body {
            Some(Body::Questions(questions)) => questions,
            _ => &[],
        }
    }
}

impl fmt::Debug for AskFacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskFacts").field("door", &self.door).field("agent", &self.agent).finish_non_exhaustive()
    }
}
