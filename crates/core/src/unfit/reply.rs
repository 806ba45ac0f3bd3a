//! What comes back from a screen, and why it may not be an answer.

use std::fmt;

use crate::answer::{Decision, Review};
use crate::wild::Wild;

/// What came back from a screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// To questions, or to the questions that stand in for another body ([`crate::fit::Card::StandIn`]). Questions that
    /// are left out are skipped.
    Questions(Vec<Given>),
    Approval(Decision),
    Plan(Review),
    Form(FormReply),
}

/// What was said to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    pub key: QuestionKey,
    /// `None`: skipped, perhaps with a note.
    pub value: Option<Value>,
    pub note: Option<String>,
}

/// Which question is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKey {
    /// Its place in the ask, counted from 0.
    Index(usize),
    /// The question's text, as [`crate::fit()`] shows it or as the agent wrote it.
    Text(String),
}

/// What was said, typed by the peer that heard it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An option, counted from 0.
    Index(usize),
    /// A label, several labels joined by commas, or free text: whichever it turns out to be.
    Label(String),
    /// Free text, whatever it looks like.
    Text(String),
    /// What a person typed into a line: a label, or else an option's number counted from 1, or else text.
    Typed(String),
    /// Several of these. To a question with one answer, at most one.
    List(Vec<Value>),
}

/// What was said to a form.
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
    /// Says that the reply as a whole is wrong.
    pub fn whole(why: impl Into<String>) -> Self {
        Self { about: None, why: why.into() }
    }

    pub fn about(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { about: Some(what.into()), why: why.into() }
    }
}

impl Mismatch {
    /// Says that the reply as a whole is wrong.
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
