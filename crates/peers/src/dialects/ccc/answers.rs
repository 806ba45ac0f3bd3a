//! Answers by index: `{"0":"1","1":"0,2","2":"other:Bob"}`.

use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value as CccEvent};
use serde_json::Value;

use super::quirks;

/// Reads answers. `Ok(None)`: nothing was answered.
pub(super) fn read(answers: Option<&Value>) -> Result<Option<Reply>, String> {
    let Some(Value::Object(answers)) = answers else {
        return Err("`answers` is an object with an index for each question".to_owned());
    };
    let mut given = Vec::new();
    for (question, answer) in answers {
        let index = question.parse().map_err(|_| format!("`{question}` is not the index of a question"))?;
        let text = answer.as_str().ok_or_else(|| format!("the answer to question {question} is not text"))?;
        if let Some(value) = value(text)? {
            given.push(QuestionReply { key: QuestionKey::Index(index), value: Some(value), note: None });
        }
    }
    Ok((!given.is_empty()).then_some(Reply::Questions(given)))
}

/// Free text, or indices separated by commas. `None`: it was left blank.
fn value(text: &str) -> Result<Option<CccEvent>, String> {
    if let Some(words) = text.strip_prefix(quirks::OTHER) {
        let words = words.trim();
        return Ok((!words.is_empty()).then(|| CccEvent::Text(words.to_owned())));
    }
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let indices = parts
        .map(|part| part.parse().map(CccEvent::Index).map_err(|_| format!("`{part}` is not the index of an option")));
    let mut indices: Vec<_> = indices.collect::<Result<_, _>>()?;
    Ok(match indices.len() {
        0 => None,
        1 => indices.pop(),
        _ => Some(CccEvent::List(indices)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reply(answers: Value) -> Result<Option<Reply>, String> {
        read(Some(&answers))
    }

    #[test]
    fn indices_and_own_words_are_told_apart() {
        let given = |index, value| QuestionReply { key: QuestionKey::Index(index), value: Some(value), note: None };
        let expected = Reply::Questions(vec![
            given(0, CccEvent::Index(1)),
            given(1, CccEvent::List(vec![CccEvent::Index(0), CccEvent::Index(2)])),
            given(2, CccEvent::Text("Bob".to_owned())),
        ]);
        assert_eq!(reply(json!({"0": "1", "1": "0,2", "2": "other:Bob"})), Ok(Some(expected)));
        assert_eq!(reply(json!({})), Ok(None));
        assert_eq!(reply(json!({"0": "", "1": "other: "})), Ok(None));
        assert!(reply(json!({"0": "first"})).is_err());
        assert!(reply(json!({"x": "1"})).is_err());
        assert!(reply(json!({"0": 1})).is_err());
        assert!(read(None).is_err());
    }
}
