//! An ask as a screen can show it.

use crate::ask::{Approval, Form, Kind, Plan};

/// An ask as a screen can show it.
#[derive(Debug, Clone, PartialEq)]
pub enum Card {
    Questions(Vec<CardQuestion>),
    Approval(Approval),
    Plan(Plan),
    Form(Form),
    /// Questions in place of a body that the screen does not support. The reply is to questions too
    /// ([`crate::unfit::Reply::Questions`]), and [`crate::unfit()`] maps it back.
    StandIn {
        kind: Kind,
        questions: Vec<CardQuestion>,
    },
    /// The screen cannot show this ask; the text tells the person why.
    Unshowable(String),
}

/// One question on a card.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardQuestion {
    /// The question's index in the ask, from 0.
    pub index: usize,
    /// What to show. Differs from every other question on the card, and can be used as a key in the reply.
    pub text: String,
    pub header: Option<String>,
    pub options: Vec<CardOption>,
    /// More than one option may be chosen.
    pub multi: bool,
    /// Free text is accepted.
    pub free_text: bool,
    /// A note is accepted beside the answer.
    pub note: bool,
    /// The answer is a secret; the input must be masked.
    pub secret: bool,
}

/// One option of a question on a card.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardOption {
    /// The option's index in the question, from 0.
    pub index: usize,
    /// What to show. Differs from every other label of the question, and can be used in the reply.
    pub label: String,
    pub description: Option<String>,
    pub preview: Option<String>,
}

impl Card {
    /// Returns the questions to show, whether they are the ask's own or stand in for something else.
    pub fn questions(&self) -> Option<&[CardQuestion]> {
        match self {
            Self::Questions(questions) | Self::StandIn { questions, .. } => Some(questions),
            Self::Approval(_) | Self::Plan(_) | Self::Form(_) | Self::Unshowable(_) => None,
        }
    }
}
