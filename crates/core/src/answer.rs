//! Answers, who gave them, and how an ask ended.

use crate::ids::{PersonId, Raw};

/// An answer, paired with the body it answers. Options are named by index; labels exist only at the edge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// One pick for each question, in order.
    Questions(Vec<Pick>),
    Approval(Decision),
    Plan(Review),
    Form(Filled),
}

/// The answer to one question. Without options or text, the question was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Pick {
    /// Indices of options, ascending, each once.
    pub chosen: Vec<u16>,
    pub text: Option<String>,
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Decision {
    Allow {
        scope: Scope,
        /// The input to run instead of the one that the agent sent.
        edited: Option<Raw>,
    },
    Deny {
        words: Option<String>,
        /// The agent must also stop its turn.
        stop: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    Once,
    /// Remember the offered rule with this index.
    Always(u16),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Review {
    Approve { edited: Option<String> },
    SendBack { words: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Filled {
    /// Field names and values, in the order of the form.
    Accept(Vec<(String, FieldValue)>),
    Decline {
        words: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FieldValue {
    Text(String),
    /// The number as it was written, so that nothing is rounded.
    Number(String),
    Flag(bool),
    Many(Vec<String>),
}

/// The person who decided, the device, and the dialect it came through. For what agents and scripts may do as well (a
/// message, an interruption), `person` is the name of their token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Who {
    pub person: PersonId,
    pub device: String,
    pub via: String,
}

/// How an ask was settled. (`Withdrawn` and `Overtaken` are events of their own, because they record no decision made
/// here.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    Answered {
        answer: Answer,
        by: Who,
    },
    Dismissed {
        words: Option<String>,
        by: Who,
    },
    Expired,
    /// A rule answered, or a bot did, in the name of one.
    Ruled {
        rule: String,
        /// The rule's file and line, if it has them. A bot's ruling has none.
        place: Option<RulePlace>,
        answer: Answer,
    },
    /// A rule refused a question: nobody was asked, and there is no answer.
    RuledOut {
        rule: String,
        place: Option<RulePlace>,
        words: String,
    },
}

/// What a rule says to an ask.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RuleSays {
    Answer(Answer),
    /// A question has no answer that means no, so it is refused in words.
    No {
        words: String,
    },
}

/// Where a rule is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RulePlace {
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl RuleSays {
    pub fn outcome(self, rule: String, place: Option<RulePlace>) -> Outcome {
        match self {
            Self::Answer(answer) => Outcome::Ruled { rule, place, answer },
            Self::No { words } => Outcome::RuledOut { rule, place, words },
        }
    }
}

impl Pick {
    pub fn option(index: u16) -> Self {
        Self { chosen: vec![index], ..Self::default() }
    }

    /// True for a note alone, although `unfit` accepts such a reply.
    pub fn is_skipped(&self) -> bool {
        self.chosen.is_empty() && self.text.is_none()
    }
}
