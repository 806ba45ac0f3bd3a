//! An ask as a screen can show it.

use crate::ask::{Approval, Form, Kind, Plan};

/// An ask as a screen can show it.
#[derive(Debug, Clone, PartialEq)]
pub enum Card {
    Questions(Vec<CardQuestion>),
    Approval(Approval),
    Plan(Plan),
    Form(Form),
    /// Questions in place of a body that the screen does not know. The reply comes back as questions too
    /// ([`crate::unfit::Reply::Questions`]), and [`crate::unfit()`] knows what it means.
    StandIn {
        kind: Kind,
        questions: Vec<CardQuestion>,
    },
    /// The screen cannot show this ask; why, in words for the person who looks at it.
    Unshowable(String),
}

/// One question on a card.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardQuestion {
    /// The question's place in the ask, counted from 0.
    pub index: usize,
    /// What to show. Differs from every other question on the card, and can be used as a key in the reply.
    pub text: String,
    pub header: Option<String>,
    pub options: Vec<CardOption>,
    /// More than one option may be chosen.
    pub multi: bool,
    /// Words of the person's own are taken.
    pub free_text: bool,
    /// A note is taken beside the answer.
    pub note: bool,
    /// What is written is a secret, and is to be masked.
    pub secret: bool,
}

/// One option of a question on a card.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CardOption {
    /// The option's place in the question, counted from 0.
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
