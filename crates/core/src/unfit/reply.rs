//! Replies from a screen, and why one may not be an answer.

use std::fmt;

use crate::answer::{Decision, Review};
use crate::wild::Wild;

/// A reply from a screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// To questions, or to the questions that stand in for another body ([`crate::fit::Card::StandIn`]). Questions that
    /// are left out are skipped.
    Questions(Vec<QuestionReply>),
    Approval(Decision),
    Plan(Review),
    Form(FormReply),
}

/// The reply to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionReply {
    pub key: QuestionKey,
    /// `None`: skipped, perhaps with a note.
    pub value: Option<Value>,
    pub note: Option<String>,
}

/// The key of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKey {
    /// Its index in the ask, from 0.
    Index(usize),
    /// The question's text, as [`crate::fit()`] shows it or as the agent wrote it.
    Text(String),
}

/// A value, typed by the peer that parsed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An option's index, from 0.
    Index(usize),
    /// A label, several labels joined by commas, or free text: `unfit` finds out which.
    Label(String),
    /// Free text, even if it looks like a label.
    Text(String),
    /// A line that a person typed: a label, or else an option's number counted from 1, or else free text.
    Typed(String),
    /// Several of these. For a question that accepts one, at most one.
    List(Vec<Value>),
}

/// The reply to a form.
#[derive(Debug, Clone, PartialEq)]
pub enum FormReply {
    /// Names of fields and values, in any order.
    Accept(Vec<(String, Wild)>),
    Decline {
        words: Option<String>,
    },
}

/// Why a reply is not an answer: every problem, each with its question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mismatch {
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The question or field as the reply named it; `None` if the reply as a whole is wrong.
    pub about: Option<String>,
    pub why: String,
}

impl Problem {
    /// The reply as a whole is wrong.
    pub fn whole(why: impl Into<String>) -> Self {
        Self { about: None, why: why.into() }
    }

    pub fn about(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { about: Some(what.into()), why: why.into() }
    }
}

impl Mismatch {
    /// The reply as a whole is wrong.
    pub(super) fn whole(why: impl Into<String>) -> Self {
        Self { problems: vec![Problem::whole(why)] }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.about {
            Some(about) => write!(f, "“{about}”: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}
