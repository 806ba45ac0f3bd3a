//! Reads questions as agents really send them.

use std::borrow::Cow;

use crate::ask::{Body, Choice, Question};
use crate::limits::{ASK_TEXT_BYTES_MAX, LABEL_BYTES_MAX, OPTIONS_MAX, QUESTIONS_MAX};

use super::blank::seen;
use super::native::bounded;
use super::{Wild, WildError, is_blank};

const TEXT: &[&str] = &["question", "text", "prompt", "title"];
const HEADER: &[&str] = &["header", "title", "label"];
const MULTI: &[&str] = &["multiSelect", "multi_select", "multiple", "allowMultiple", "allow_multiple"];
const SECRET: &[&str] = &["secret", "isSecret", "is_secret"];
const LABEL: &[&str] = &["label", "value", "title", "text"];
const PREVIEW: &[&str] = &["preview", "markdown"];

type Parse<'p> = &'p dyn Fn(&str) -> Option<Wild>;

/// Reads questions: `{questions: […]}`, a list of them, a single one, or its text alone. Each of these, and the
/// options, may also be JSON in a string, which `parse` reads.
///
/// Duplicate texts and labels are kept: their index tells them apart.
pub fn body(value: &Wild, parse: Parse<'_>) -> Result<Body, WildError> {
    let value = opened(value, parse, &|inner| matches!(inner, Wild::Map(_) | Wild::List(_)));
    let asked = match value.as_ref() {
        Wild::Map(_) => value.field(&["questions"]),
        Wild::List(_) | Wild::Text(_) => Some(value.as_ref()),
        Wild::Null | Wild::Flag(_) | Wild::Number(_) => return Err(WildError::NotAnAsk),
    };
    let asked = asked.map(|asked| opened(asked, parse, &|inner| matches!(inner, Wild::Map(_) | Wild::List(_))));
    let questions = match asked.as_deref() {
        Some(Wild::List(questions)) if !questions.is_empty() => questions.as_slice(),
        Some(Wild::Text(text)) if is_blank(text) => &[],
        Some(one @ (Wild::Map(_) | Wild::Text(_))) => std::slice::from_ref(one),
        Some(Wild::Flag(_) | Wild::Number(_)) => return Err(WildError::NotAQuestion { question: 1 }),
        // No usable `questions`: the object may be the question itself.
        _ if value.text_field(TEXT).is_some() => std::slice::from_ref(value.as_ref()),
        _ => &[],
    };
    match questions.len() {
        0 => return Err(WildError::NoQuestions),
        found if found > QUESTIONS_MAX => {
            return Err(WildError::TooManyQuestions { found, limit: QUESTIONS_MAX });
        }
        _ => {}
    }
    let read = |(i, value)| question(i + 1, value, parse);
    questions.iter().enumerate().map(read).collect::<Result<_, _>>().map(Body::Questions)
}

/// Parses a string that holds JSON, if the result is `wanted`.
fn opened<'v>(value: &'v Wild, parse: Parse<'_>, wanted: &dyn Fn(&Wild) -> bool) -> Cow<'v, Wild> {
    value.unwrapped(parse, wanted).map_or(Cow::Borrowed(value), Cow::Owned)
}

fn question(number: usize, value: &Wild, parse: Parse<'_>) -> Result<Question, WildError> {
    let value = opened(value, parse, &|inner| inner.text_field(TEXT).is_some());
    let what = || format!("the text of question {number}");
    let (name, text) = match value.as_ref() {
        Wild::Map(_) => value.text_field(TEXT).ok_or(WildError::NoText { question: number })?,
        Wild::Text(text) if is_blank(text) => return Err(WildError::NoText { question: number }),
        Wild::Text(text) => ("", text.as_str()),
        Wild::Null | Wild::Flag(_) | Wild::Number(_) | Wild::List(_) => {
            return Err(WildError::NotAQuestion { question: number });
        }
    };
    // A title that serves as the question is not its header as well.
    let header: Vec<_> = HEADER.iter().copied().filter(|header| *header != name).collect();
    let header = value
        .text_field(&header)
        .map(|(_, header)| bounded(seen(header), LABEL_BYTES_MAX, || format!("the header of question {number}")));
    Ok(Question {
        text: bounded(seen(text), ASK_TEXT_BYTES_MAX, what)?,
        header: header.transpose()?,
        options: options(number, &value, parse)?,
        multi: value.flag_field(MULTI),
        secret: value.flag_field(SECRET),
    })
}

fn options(number: usize, question: &Wild, parse: Parse<'_>) -> Result<Vec<Choice>, WildError> {
    let Some(options) = question.field(&["options"]) else {
        return Ok(Vec::new());
    };
    let options = opened(options, parse, &|inner| matches!(inner, Wild::Map(_) | Wild::List(_)));
    let options = match options.as_ref() {
        Wild::List(options) => options.as_slice(),
        one @ Wild::Map(_) if one.field(LABEL).is_some() => std::slice::from_ref(one),
        Wild::Text(text) if is_blank(text) => &[],
        _ => return Err(WildError::NotOptions { question: number }),
    };
    if options.len() > OPTIONS_MAX {
        return Err(WildError::TooManyOptions { question: number, found: options.len(), limit: OPTIONS_MAX });
    }
    options.iter().enumerate().map(|(i, value)| option(number, i + 1, value, parse)).collect()
}

fn option(question: usize, option: usize, value: &Wild, parse: Parse<'_>) -> Result<Choice, WildError> {
    let value = opened(value, parse, &|inner| inner.text_field(LABEL).is_some());
    let label = match value.as_ref() {
        Wild::Map(_) => LABEL.iter().find_map(|name| label(value.field(&[name])?)),
        Wild::List(_) => return Err(WildError::NotAnOption { question, option }),
        plain => label(plain),
    };
    let part = |what: &str| format!("the {what} of option {option} of question {question}");
    let label = label.ok_or(WildError::BlankLabel { question, option })?;
    let description = value.text_field(&["description"]).map(|(_, text)| seen(text));
    // A preview may be ASCII art, in which spaces matter.
    let preview = value.text_field(PREVIEW).map(|(_, text)| text);
    let long =
        |text: Option<&str>, what: &str| text.map(|text| bounded(text, ASK_TEXT_BYTES_MAX, || part(what))).transpose();
    Ok(Choice {
        label: bounded(seen(label), LABEL_BYTES_MAX, || part("label"))?,
        description: long(description, "description")?,
        preview: long(preview, "preview")?,
    })
}

/// Reads a label. Models write numbers and flags where they mean strings.
fn label(value: &Wild) -> Option<&str> {
    match value {
        Wild::Text(text) => Some(text.as_str()).filter(|text| !is_blank(text)),
        Wild::Number(number) => Some(number.as_str()).filter(|text| !is_blank(text)),
        Wild::Flag(flag) => Some(if *flag { "true" } else { "false" }),
        Wild::Null | Wild::List(_) | Wild::Map(_) => None,
    }
}
