//! The only place where replies become answers.
//!
//! A peer has typed the reply already: an index is an index, a label is a label, text is text. Nothing is guessed
//! between them here.

use crate::answer::{Answer, Decision, Review};
use crate::ask::Ask;
use crate::wild::Wild;

/// What came back from a screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKey {
    Index(usize),
    /// The question's text, as [`crate::fit()`] shows it.
    Text(String),
}

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
    List(Vec<Value>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum FormReply {
    Accept(Vec<(String, Wild)>),
    Decline { words: Option<String> },
}

/// Why a reply is not an answer: every problem, each with its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The question or field as the reply named it; `None` if the reply as a whole is wrong.
    pub about: Option<String>,
    pub why: String,
}

/// Turns a reply into an answer to `ask`.
pub fn unfit(_ask: &Ask, _reply: Reply) -> Result<Answer, Mismatch> {
    Err(Mismatch { problems: Vec::new() })
}
