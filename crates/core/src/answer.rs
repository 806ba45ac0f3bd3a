//! What a person said, and how an ask ended.

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

/// What was said to one question. Nothing at all means that it was skipped.
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
        /// The input to run instead.
        edited: Option<Raw>,
    },
    Deny {
        words: Option<String>,
        /// The agent is to stop its turn as well.
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

/// Who decided, from what, in which language.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Who {
    pub person: PersonId,
    pub device: String,
    pub via: String,
}

/// How an ask was settled. (`Withdrawn` and `Overtaken` are events of their own: nobody decided.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    Answered { answer: Answer, by: Who },
    Dismissed { words: Option<String>, by: Who },
    Expired,
    Ruled { rule: String, answer: Answer },
}

impl Pick {
    pub fn option(index: u16) -> Self {
        Self { chosen: vec![index], ..Self::default() }
    }

    /// A note alone is not an answer, but it is not nothing either.
    pub fn is_skipped(&self) -> bool {
        self.chosen.is_empty() && self.text.is_none()
    }
}
