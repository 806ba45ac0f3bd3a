//! The frames. A frame that is sung has one word for what it is; a frame that is heard has one key for what it wants.

use std::collections::BTreeMap;

use askbridge_core::fit::CardQuestion;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Heard {
    Answer(Answer),
    Close(Closing),
    Say(Saying),
}

#[derive(Deserialize)]
pub(super) struct Answer {
    #[serde(rename = "in")]
    pub(super) session: String,
    /// Missing: the only open ask.
    pub(super) call: Option<String>,
    pub(super) to: BTreeMap<String, Given>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Given {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
pub(super) struct Closing {
    #[serde(rename = "in")]
    pub(super) session: String,
    pub(super) call: Option<String>,
    pub(super) words: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Saying {
    #[serde(rename = "in")]
    pub(super) session: String,
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(tag = "sing", rename_all = "lowercase")]
pub(super) enum Sung<'a> {
    Hello,
    Ask {
        r#in: String,
        call: Option<&'a str>,
        questions: Vec<Question<'a>>,
    },
    /// An ask that this screen cannot show: somebody has to look elsewhere.
    Elsewhere {
        r#in: String,
        call: Option<&'a str>,
        why: &'a str,
    },
    Over {
        r#in: String,
        call: Option<&'a str>,
        how: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    More {
        r#in: String,
        block: u32,
        text: &'a str,
    },
    End {
        r#in: String,
        block: u32,
    },
    /// What was sung of this block was wrong: here is all of it, as a new one.
    Anew {
        r#in: String,
        block: u32,
        text: &'a str,
    },
    Message {
        r#in: String,
        text: &'a str,
    },
    No {
        why: &'a str,
    },
    /// Too slow: come back and see everything anew.
    Lost,
}

#[derive(Serialize)]
pub(super) struct Question<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a str>,
    options: Vec<&'a str>,
    many: bool,
}

impl<'a> From<&'a CardQuestion> for Question<'a> {
    fn from(question: &'a CardQuestion) -> Self {
        Self {
            text: &question.text,
            header: question.header.as_deref(),
            options: question.options.iter().map(|option| option.label.as_str()).collect(),
            many: question.multi,
        }
    }
}
