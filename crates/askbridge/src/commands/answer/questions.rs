//! Answers to questions: by number or in the person's own words, one question after the other.

use serde_json::{Map, Value, json};

use super::prompt::Prompt;
use crate::client::Question;
use crate::failure::Failure;
use crate::output::visible;

/// The answer to one question.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct TypedAnswer {
    /// Indices of options, so that no label has to be matched.
    pub(super) options: Vec<usize>,
    pub(super) text: Option<String>,
    pub(super) note: Option<String>,
}

impl TypedAnswer {
    pub(super) fn is_nothing(&self) -> bool {
        self.options.is_empty() && self.text.is_none()
    }

    /// Words the answer, for the person to check.
    pub(super) fn shown(&self, question: &Question) -> String {
        let labels = self.options.iter().filter_map(|&place| question.options.get(place));
        let mut parts: Vec<_> = labels.map(|option| visible(&option.label)).collect();
        parts
            .extend(self.text.as_ref().map(|text| if question.secret { "(secret)".to_owned() } else { visible(text) }));
        if parts.is_empty() { "(skipped)".to_owned() } else { parts.join(", ") }
    }
}

/// Encodes answers for the server: by the questions' texts, options by index.
pub(super) fn body(questions: &[Question], said: &[TypedAnswer]) -> Value {
    let (mut answers, mut notes) = (Map::new(), Map::new());
    for (question, said) in questions.iter().zip(said) {
        let mut value = json!({"options": said.options});
        if let Some(text) = &said.text {
            value["text"] = json!(text);
        }
        let value = if said.is_nothing() { Value::Null } else { value };
        answers.insert(question.question.clone(), value);
        if let Some(note) = &said.note {
            notes.insert(question.question.clone(), json!(note));
        }
    }
    json!({"answers": answers, "notes": notes})
}

/// Asks one question. `None`: the person closed the input.
pub(super) fn ask(question: &Question, prompt: &mut Prompt) -> Result<Option<TypedAnswer>, Failure> {
    if let Some(header) = &question.header {
        prompt.say(&prompt.paint.dim(&visible(header)));
    }
    prompt.say(&prompt.paint.bold(&visible(&question.question)));
    for (place, option) in question.options.iter().enumerate() {
        let description = option.description.as_ref().map(|text| format!(" — {}", visible(text))).unwrap_or_default();
        prompt.say(&format!("  {}. {}{description}", place + 1, visible(&option.label)));
        for line in option.preview.iter().flat_map(|preview| preview.lines()) {
            prompt.say(&format!("     | {}", visible(line)));
        }
    }
    let what = match (question.options.is_empty(), question.multi) {
        (true, _) => "Your answer (Enter skips):",
        (false, false) => "A number, or your own words (Enter skips):",
        (false, true) => "Numbers like 1,3, or your own words (Enter skips):",
    };
    loop {
        let line = if question.secret { prompt.hidden_line(what)? } else { prompt.line(what)? };
        let Some(line) = line else { return Ok(None) };
        match understand(question, &line) {
            Ok(said) => return Ok(Some(said)),
            Err(why) => prompt.say(&why),
        }
    }
}

/// Parses a line: numbers mean options; anything else is the person's own words.
fn understand(question: &Question, line: &str) -> Result<TypedAnswer, String> {
    if line.is_empty() {
        return Ok(TypedAnswer::default());
    }
    let words = TypedAnswer { text: Some(line.to_owned()), ..TypedAnswer::default() };
    if question.options.is_empty() {
        return Ok(words);
    }
    let parts = line.split([',', ' ']).filter(|part| !part.is_empty());
    let Ok(numbers) = parts.map(str::parse::<usize>).collect::<Result<Vec<_>, _>>() else {
        return Ok(words);
    };
    let max = question.options.len();
    if let Some(wrong) = numbers.iter().find(|number| !(1..=max).contains(*number)) {
        return Err(format!("There is no option {wrong}; the last one is {max}."));
    }
    if numbers.len() > 1 && !question.multi {
        return Err("Choose one: this question takes a single option.".to_owned());
    }
    let mut options: Vec<_> = numbers.iter().map(|number| number - 1).collect();
    options.dedup();
    Ok(TypedAnswer { options, ..TypedAnswer::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(options: &[&str], multi: bool) -> Question {
        let options: Vec<_> = options.iter().map(|label| json!({"label": label})).collect();
        serde_json::from_value(json!({"question": "Q?", "options": options, "multiSelect": multi})).unwrap()
    }

    fn options(places: &[usize]) -> Result<TypedAnswer, String> {
        Ok(TypedAnswer { options: places.to_vec(), ..TypedAnswer::default() })
    }

    fn text(text: &str) -> Result<TypedAnswer, String> {
        Ok(TypedAnswer { text: Some(text.to_owned()), ..TypedAnswer::default() })
    }

    #[test]
    fn numbers_choose_and_words_are_words() {
        let (single, multi, free) =
            (question(&["a", "b", "c"], false), question(&["a", "b", "c"], true), question(&[], false));
        assert_eq!(understand(&single, "2"), options(&[1]));
        assert_eq!(understand(&multi, "1, 3"), options(&[0, 2]));
        assert_eq!(understand(&multi, "1 3"), options(&[0, 2]));
        assert_eq!(understand(&single, "2 of them"), text("2 of them"));
        assert_eq!(understand(&free, "42"), text("42"));
        assert_eq!(understand(&single, ""), Ok(TypedAnswer::default()));
    }

    #[test]
    fn a_number_that_cannot_be_meant_is_asked_again() {
        let single = question(&["a", "b", "c"], false);
        for line in ["0", "4", "1,2", "99999999999"] {
            assert!(understand(&single, line).is_err(), "{line}");
        }
    }
}
