//! Reads the answer to one question: options, free text, or both.

use std::collections::BTreeSet;

use crate::answer::Pick;
use crate::ask::Question;
use crate::limits;
use crate::wild::{is_blank, seen};

use super::Value;
use super::joined::{Labels, Read};
use super::whole::too_long;

const BLANK: &str = "the answer is blank; leave it out to skip it";
const ONLY_ONE: &str = "only one answer is possible";

/// Reads the answer to `question`; `None` means that it was skipped.
pub(super) fn pick(question: &Question, value: Option<Value>) -> Result<Pick, String> {
    let Some(value) = value else {
        return Ok(Pick::default());
    };
    let mut said = ParsedValue { labels: Labels::of(question), multi: question.multi, ..ParsedValue::default() };
    match value {
        Value::List(values) if values.is_empty() => return Err(BLANK.to_owned()),
        Value::List(values) if values.len() > 1 && !question.multi => return Err(ONLY_ONE.to_owned()),
        Value::List(values) => values.into_iter().try_for_each(|value| said.take(value))?,
        value => said.take(value)?,
    }
    said.into_pick()
}

#[derive(Default)]
struct ParsedValue<'q> {
    labels: Labels<'q>,
    multi: bool,
    chosen: BTreeSet<usize>,
    texts: Vec<String>,
}

impl ParsedValue<'_> {
    fn take(&mut self, value: Value) -> Result<(), String> {
        match value {
            Value::Index(index) if index < self.labels.len() => {
                self.chosen.insert(index);
            }
            Value::Index(index) => {
                let found = self.labels.len();
                return Err(format!("there is no option {index}; there are {found}, counted from 0"));
            }
            Value::Label(text) | Value::Text(text) | Value::Typed(text) if is_blank(&text) => {
                return Err(BLANK.to_owned());
            }
            Value::Text(text) => self.texts.push(text),
            Value::Label(text) => self.take_label(text),
            Value::Typed(text) => {
                match self.labels.exact(&text).map(|index| vec![index]).or_else(|| self.numbers(&text)) {
                    Some(numbers) => self.chosen.extend(numbers),
                    None => self.take_label(text),
                }
            }
            Value::List(_) => return Err("it is a list within a list; one is enough".to_owned()),
        }
        Ok(())
    }

    fn take_label(&mut self, text: String) {
        let Read { chosen, rest } = match self.multi {
            true => self.labels.several(text),
            false => self.labels.one(text),
        };
        self.chosen.extend(chosen);
        self.texts.extend(rest);
    }

    /// Reads numbers counted from 1, `1,3` or `1 3`. A label that is such a number wins. If one number is no option's,
    /// all of it is free text: "7" may be what the person wants to say.
    fn numbers(&self, text: &str) -> Option<Vec<usize>> {
        let number = |word: &str| {
            let digits = word.bytes().all(|byte| byte.is_ascii_digit());
            let counted = || word.parse::<usize>().ok()?.checked_sub(1).filter(|index| *index < self.labels.len());
            if digits { self.labels.exact(word).or_else(counted) } else { None }
        };
        if !self.multi {
            return number(seen(text)).map(|index| vec![index]);
        }
        let words = text.split(|c: char| c == ',' || c.is_whitespace()).map(seen);
        let numbers: Vec<_> = words.filter(|word| !word.is_empty()).map(number).collect::<Option<_>>()?;
        (!numbers.is_empty()).then_some(numbers)
    }

    fn into_pick(self) -> Result<Pick, String> {
        let text = (!self.texts.is_empty()).then(|| self.texts.join(", "));
        if text.as_ref().is_some_and(|text| text.len() > limits::ANSWER_TEXT_BYTES_MAX) {
            return Err(too_long());
        }
        let place = |index| u16::try_from(index).map_err(|_| format!("option {index} is out of reach"));
        let chosen = self.chosen.into_iter().map(place).collect::<Result<_, _>>()?;
        Ok(Pick { chosen, text, note: None })
    }
}
