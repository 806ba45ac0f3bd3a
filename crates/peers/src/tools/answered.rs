//! Verdicts → what goes back with a call: its input, answered, changed or as it was, or the words of a no.

use askbridge_core::answer::{Answer, Decision, Pick};
use askbridge_core::ask::Question;
use askbridge_core::ids::Raw;
use askbridge_core::verdict::{Ruling, Verdict};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::splice;

/// What a skipped question is answered with. Left out, Claude Code would not mention the question at all, and its own
/// `annotations.unanswered` never reaches the model.
const SKIPPED: &str = "(skipped: the person did not answer this one; do not assume an answer)";

/// The input that runs.
pub(crate) fn allowed(input: &str, edited: Option<&Raw>) -> Box<RawValue> {
    match edited {
        Some(edited) => splice::edited(input, edited.as_str()),
        None => splice::untouched(input),
    }
}

/// The input of the question, whole, with the answers by the questions' texts.
pub(crate) fn answered(input: &str, questions: &[Question], picks: &[Pick], verdict: &Verdict) -> Box<RawValue> {
    let mut answers = Map::new();
    let mut annotations = Map::new();
    for (question, pick) in questions.iter().zip(picks) {
        let labels = pick.chosen.iter().filter_map(|&index| question.options.get(usize::from(index)));
        let said: Vec<_> = labels.clone().map(|option| option.label.as_str()).chain(pick.text.as_deref()).collect();
        let mut notes: Vec<&str> = pick.note.iter().map(String::as_str).collect();
        // A rule says so: with the answers, because only these are sure to be read.
        if !verdict.words.is_empty() && annotations.is_empty() && picks.iter().all(|pick| !pick.is_skipped()) {
            notes.push(&verdict.words);
        }
        let mut annotation = Map::new();
        if !notes.is_empty() {
            annotation.insert("notes".to_owned(), json!(notes.join(" ")));
        }
        if let Some(preview) = labels.clone().find_map(|option| option.preview.as_ref()) {
            annotation.insert("preview".to_owned(), json!(preview));
        }
        if pick.is_skipped() {
            annotation.insert("unanswered".to_owned(), json!("skipped"));
        }
        if !annotation.is_empty() {
            annotations.insert(question.text.clone(), Value::Object(annotation));
        }
        let said = if pick.is_skipped() { SKIPPED.to_owned() } else { said.join(", ") };
        answers.insert(question.text.clone(), Value::String(said));
    }
    let mut set = Map::from_iter([("answers".to_owned(), Value::Object(answers))]);
    if !annotations.is_empty() {
        set.insert("annotations".to_owned(), Value::Object(annotations));
    }
    splice::with(input, set)
}

/// Claude Code refuses a deny without words.
pub(crate) fn spoken(verdict: &Verdict) -> &str {
    if verdict.words.is_empty() { "Denied." } else { &verdict.words }
}

/// Is the agent to stop its turn as well?
pub(crate) fn stops(verdict: &Verdict) -> bool {
    let denied = matches!(verdict.ruling, Ruling::Answer(Answer::Approval(Decision::Deny { stop: true, .. })));
    denied || verdict.stops_the_turn()
}
