//! A client's answer to a question: texts, or lists of texts, keyed by the questions' texts.

use askbridge_core::ask::Ask;
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value as PrimeEvent, takes_several};
use serde_json::Value;

use super::quirks;

/// An answer, as the original reads it: everything but the id is optional.
#[derive(Debug, PartialEq)]
pub(super) struct Answering {
    pub(super) id: String,
    answers: Vec<(String, Vec<String>)>,
    pub(super) cancelled: bool,
}

impl Answering {
    pub(super) fn read(data: &Value) -> Result<Self, String> {
        let id = quirks::question_id(data).ok_or("`question_id` is missing")?.to_owned();
        let cancelled = match &data["cancelled"] {
            Value::Null => false,
            Value::Bool(cancelled) => *cancelled,
            _ => return Err("`cancelled` has to be true or false".to_owned()),
        };
        let answers = match &data["answers"] {
            Value::Null => Vec::new(),
            Value::Object(answers) => answers.iter().map(one).collect::<Result<_, _>>()?,
            _ => {
                return Err(
                    "`answers` has to be an object, with the text of each question and what was said".to_owned()
                );
            }
        };
        Ok(Self { id, answers, cancelled })
    }

    /// Makes the reply to an ask. `Ok(None)`: nothing was answered.
    ///
    /// Answers to unknown questions are ignored, as in the original. It is an error if no known question is answered.
    pub(super) fn reply(self, ask: &Ask) -> Result<Option<Reply>, String> {
        let said: Vec<_> = self.answers.into_iter().filter(|(_, texts)| !texts.is_empty()).collect();
        let is_empty = said.is_empty();
        let given = said.into_iter().filter_map(|(question, texts)| {
            let several = takes_several(ask, &question)?;
            Some(QuestionReply { key: QuestionKey::Text(question), value: Some(value(texts, several)), note: None })
        });
        let given: Vec<_> = given.collect();
        match (is_empty, given.is_empty()) {
            (true, _) => Ok(None),
            (false, true) => Err("none of these is a question that was asked".to_owned()),
            (false, false) => Ok(Some(Reply::Questions(given))),
        }
    }
}

/// The answer to one question, without blank texts.
fn one((question, said): (&String, &Value)) -> Result<(String, Vec<String>), String> {
    let text = |said: &Value| said.as_str().map(str::to_owned);
    let texts: Option<Vec<_>> = match said {
        Value::Array(all) => all.iter().map(text).collect(),
        one => text(one).map(|one| vec![one]),
    };
    let mut texts = texts.ok_or_else(|| format!("what was said to “{question}” has to be text, or a list of texts"))?;
    texts.retain(|text| !text.trim().is_empty());
    Ok((question.clone(), texts))
}

/// Several texts for a single-choice question are joined, as in the original: they are then the person's own words.
fn value(mut texts: Vec<String>, several: bool) -> PrimeEvent {
    match (texts.len(), several) {
        (1, _) => PrimeEvent::Label(texts.remove(0)),
        (_, true) => PrimeEvent::List(texts.into_iter().map(PrimeEvent::Label).collect()),
        (_, false) => PrimeEvent::Text(texts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(data: Value) -> Result<Answering, String> {
        Answering::read(&data)
    }

    #[test]
    fn everything_but_the_id_may_be_left_out() {
        let cancelled = read(json!({"questionId": "q_1", "cancelled": true})).expect("a cancel needs no answers");
        assert_eq!((cancelled.id.as_str(), cancelled.cancelled, cancelled.answers.len()), ("q_1", true, 0));
        assert!(read(json!({"answers": {}})).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_in_words_that_a_person_can_read() {
        for data in [
            json!({"question_id": "q", "answers": []}),
            json!({"question_id": "q", "answers": {"Which?": 7}}),
            json!({"question_id": "q", "answers": {"Which?": ["A", 7]}}),
            json!({"question_id": "q", "cancelled": "maybe"}),
        ] {
            let why = read(data).expect_err("it cannot be read");
            assert!(why.contains("has to be") && !why.contains("enum"), "{why}");
        }
    }

    #[test]
    fn a_list_for_one_answer_is_joined() {
        let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(value(texts(&["A"]), false), PrimeEvent::Label("A".to_owned()));
        assert_eq!(value(texts(&["A", "B"]), false), PrimeEvent::Text("A, B".to_owned()));
        assert_eq!(
            value(texts(&["A", "B"]), true),
            PrimeEvent::List(texts(&["A", "B"]).into_iter().map(PrimeEvent::Label).collect())
        );
    }
}
