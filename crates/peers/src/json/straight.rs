//! Questions that are written just as we document them, read without a detour.
//!
//! Most are. Whatever is not goes the long way through [`askbridge_core::wild`], which understands more and says what is wrong.

use askbridge_core::ask::{Choice, Question};
use askbridge_core::limits::{ASK_TEXT_BYTES_MAX, LABEL_BYTES_MAX, OPTIONS_MAX, QUESTIONS_MAX};
use askbridge_core::wild;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    question: String,
    header: Option<String>,
    #[serde(default)]
    options: Vec<Offered>,
    #[serde(default, rename = "multiSelect")]
    multi: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Offered {
    label: String,
    description: Option<String>,
    preview: Option<String>,
}

/// Takes questions as they are, if nothing about them needs thought.
pub(crate) fn questions(asked: Vec<Asked>) -> Option<Vec<Question>> {
    if !(1..=QUESTIONS_MAX).contains(&asked.len()) {
        return None;
    }
    asked.into_iter().map(question).collect()
}

fn question(asked: Asked) -> Option<Question> {
    let sound = is_plain(&asked.question, ASK_TEXT_BYTES_MAX)
        && asked.header.as_deref().is_none_or(|header| is_plain(header, LABEL_BYTES_MAX))
        && asked.options.len() <= OPTIONS_MAX;
    let Asked { question: text, header, options, multi } = asked;
    let options = options.into_iter().map(choice).collect::<Option<_>>()?;
    sound.then_some(Question { text, header, options, multi, secret: false })
}

fn choice(offered: Offered) -> Option<Choice> {
    let Offered { label, description, preview } = offered;
    let sound = is_plain(&label, LABEL_BYTES_MAX)
        && description.as_deref().is_none_or(|text| is_plain(text, ASK_TEXT_BYTES_MAX))
        && preview.as_deref().is_none_or(|text| !wild::is_blank(text) && text.len() <= ASK_TEXT_BYTES_MAX);
    sound.then_some(Choice { label, description, preview })
}

fn is_plain(text: &str, max: usize) -> bool {
    wild::is_plain(text) && text.len() <= max
}
