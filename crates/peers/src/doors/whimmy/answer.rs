//! Turns verdicts into the plugin's answers: texts keyed by the questions' texts, or yes or no.

use std::collections::BTreeMap;

use askbridge_core::answer::{Answer, Decision, Pick};
use askbridge_core::ask::{Ask, Body, Question};
use askbridge_core::verdict::{Ruling, Verdict};

use serde_json::Value;

use super::quirks;
use super::wire::WhimmyFrame;

/// The frame for a verdict, under the plugin's own id of the ask.
pub(super) fn said<'a>(ask: &'a Ask, verdict: &Verdict) -> Option<WhimmyFrame<'a>> {
    let name = ask.call.as_ref()?.as_str();
    Some(match &ask.body {
        Body::Questions(questions) => {
            WhimmyFrame::Answer { question_id: name, answers: answers(&texts(ask, questions), questions, verdict) }
        }
        _ => {
            let (approved, reason) = approved(verdict);
            WhimmyFrame::Approval { execution_id: name, approved, reason }
        }
    })
}

/// What the plugin's own guide suggests for a dismissed question. `None`: the ask is not a question.
pub(super) fn nothing(ask: &Ask) -> Option<WhimmyFrame<'_>> {
    let name = ask.call.as_ref()?.as_str();
    matches!(ask.body, Body::Questions(_)).then(|| WhimmyFrame::Answer { question_id: name, answers: BTreeMap::new() })
}

/// The same words for every question.
pub(super) fn under_every<'a>(texts: impl IntoIterator<Item = &'a str>, words: &str) -> BTreeMap<String, String> {
    texts.into_iter().map(|text| (text.to_owned(), words.to_owned())).collect()
}

/// The texts of the questions, exactly as they came.
fn texts(ask: &Ask, questions: &[Question]) -> Vec<String> {
    let original = ask.original.as_ref().and_then(|it| serde_json::from_str::<Value>(it.as_str()).ok());
    let text = |(place, question): (usize, &Question)| {
        let exact = original.as_ref().and_then(|it| it["questions"][place]["question"].as_str());
        exact.unwrap_or(&question.text).to_owned()
    };
    questions.iter().enumerate().map(text).collect()
}

fn answers(texts: &[String], questions: &[Question], verdict: &Verdict) -> BTreeMap<String, String> {
    let Ruling::Answer(Answer::Questions(picks)) = &verdict.ruling else {
        return under_every(texts.iter().map(String::as_str), &verdict.words);
    };
    // Each answer says that a rule decided. Skipped questions say so themselves.
    let beside = if picks.iter().any(Pick::is_skipped) { "" } else { verdict.words.as_str() };
    let mut answers = BTreeMap::<String, String>::new();
    for ((text, question), pick) in texts.iter().zip(questions).zip(picks) {
        let said = spoken(question, pick, beside);
        // Two questions with one text have one key.
        answers.entry(text.clone()).and_modify(|known| *known = format!("{known}; {said}")).or_insert(said);
    }
    answers
}

fn spoken(question: &Question, pick: &Pick, beside: &str) -> String {
    let labels = pick.chosen.iter().filter_map(|&index| question.options.get(usize::from(index)));
    let said: Vec<_> = labels.map(|option| option.label.as_str()).chain(pick.text.as_deref()).collect();
    let said = if pick.is_skipped() { quirks::SKIPPED.to_owned() } else { said.join(", ") };
    let more = pick.note.iter().map(|note| format!(" (note: {note})"));
    let more = more.chain((!beside.is_empty()).then(|| format!(" ({beside})")));
    more.fold(said, |said, more| said + &more)
}

fn approved(verdict: &Verdict) -> (bool, Option<String>) {
    let words = || Some(verdict.words.clone()).filter(|words| !words.is_empty());
    match &verdict.ruling {
        Ruling::Answer(Answer::Approval(Decision::Allow { edited: None, .. })) => (true, words()),
        Ruling::Answer(Answer::Approval(Decision::Allow { edited: Some(input), .. })) => {
            (false, Some(format!("{}: {input}", quirks::EDITED)))
        }
        _ => (false, words()),
    }
}
