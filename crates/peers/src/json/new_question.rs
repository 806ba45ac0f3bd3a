//! Questions in the documented shape: the types that make the schema parse the body.
//!
//! Most questions are written so. The others go to [`askbridge_core::wild`], which understands more spellings and says
//! what is wrong.

use std::fmt;

use askbridge_core::ask::{Choice, Question};
use askbridge_core::limits::{self, ASK_TEXT_BYTES_MAX, LABEL_BYTES_MAX, OPTIONS_MAX, QUESTIONS_MAX};
use askbridge_core::wild;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// At least one visible character. (More characters are visible than this says; it is enough to write a good ask.)
pub(crate) const VISIBLE: &str = "[A-Za-z0-9]";

/// A question: its text alone, or with options. Without options the answer is free text.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum NewQuestion {
    Text(#[schemars(regex(pattern = VISIBLE))] String),
    Whole(WholeQuestion),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline, transform = takes_more)]
pub(crate) struct WholeQuestion {
    #[schemars(regex(pattern = VISIBLE))]
    question: String,
    /// A word or two above the question.
    header: Option<String>,
    #[schemars(length(max = limits::OPTIONS_MAX))]
    options: Option<Vec<NewOption>>,
    /// May several be chosen?
    #[serde(rename = "multiSelect")]
    multi_select: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum NewOption {
    Label(#[schemars(regex(pattern = VISIBLE))] String),
    Whole(WholeOption),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline, transform = takes_more)]
pub(crate) struct WholeOption {
    #[schemars(regex(pattern = VISIBLE))]
    label: String,
    description: Option<String>,
    /// What choosing it would look like: text, or a drawing in characters.
    preview: Option<String>,
}

/// Unknown fields are not an error: the body is then read by [`askbridge_core::wild`], and kept as it came.
pub(crate) fn takes_more(schema: &mut Schema) {
    schema.remove("additionalProperties");
}

/// Reads a string or an object. Serde's untagged enums do that too, but buffer the whole value first.
macro_rules! text_or_whole {
    ($name:ident { $text:ident, $whole:ident($body:ty) }, $expects:literal) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Reading;
                impl<'de> Visitor<'de> for Reading {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expects)
                    }
                    fn visit_str<E: Error>(self, text: &str) -> Result<$name, E> {
                        Ok($name::$text(text.to_owned()))
                    }
                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        <$body>::deserialize(MapAccessDeserializer::new(map)).map($name::$whole)
                    }
                }
                deserializer.deserialize_any(Reading)
            }
        }
    };
}
text_or_whole!(NewQuestion { Text, Whole(WholeQuestion) }, "a question");
text_or_whole!(NewOption { Label, Whole(WholeOption) }, "an option");
pub(crate) use text_or_whole;

/// Takes questions as they are. `None`: they need the lenient parser.
pub(crate) fn questions(asked: Vec<NewQuestion>) -> Option<Vec<Question>> {
    if !(1..=QUESTIONS_MAX).contains(&asked.len()) {
        return None;
    }
    asked.into_iter().map(question).collect()
}

/// Whether every question and option is written as an object.
pub(crate) fn are_whole(asked: &[NewQuestion]) -> bool {
    asked.iter().all(|asked| match asked {
        NewQuestion::Text(_) => false,
        NewQuestion::Whole(asked) => {
            asked.options.iter().flatten().all(|offered| matches!(offered, NewOption::Whole(_)))
        }
    })
}

fn question(asked: NewQuestion) -> Option<Question> {
    let (text, header, options, multi) = match asked {
        NewQuestion::Text(text) => (text, None, Vec::new(), false),
        NewQuestion::Whole(WholeQuestion { question, header, options, multi_select }) => {
            (question, header, options.unwrap_or_default(), multi_select.unwrap_or_default())
        }
    };
    let sound = is_plain(&text, ASK_TEXT_BYTES_MAX)
        && header.as_deref().is_none_or(|header| is_plain(header, LABEL_BYTES_MAX))
        && options.len() <= OPTIONS_MAX;
    let options = options.into_iter().map(choice).collect::<Option<_>>()?;
    sound.then_some(Question { text, header, options, multi, secret: false })
}

fn choice(offered: NewOption) -> Option<Choice> {
    let (label, description, preview) = match offered {
        NewOption::Label(label) => (label, None, None),
        NewOption::Whole(WholeOption { label, description, preview }) => (label, description, preview),
    };
    let sound = is_plain(&label, LABEL_BYTES_MAX)
        && description.as_deref().is_none_or(|text| is_plain(text, ASK_TEXT_BYTES_MAX))
        && preview.as_deref().is_none_or(|text| !wild::is_blank(text) && text.len() <= ASK_TEXT_BYTES_MAX);
    sound.then_some(Choice { label, description, preview })
}

/// Whether it begins and ends with a visible character and is within the limit.
pub(crate) fn is_plain(text: &str, bytes_max: usize) -> bool {
    wild::is_plain(text) && text.len() <= bytes_max
}
