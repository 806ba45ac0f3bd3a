//! Turns a verdict into what goes back with a call: its input (answered, changed or not), or the words of a denial.

use askbridge_core::answer::{Answer, Decision, Pick};
use askbridge_core::ask::Question;
use askbridge_core::ids::Raw;
use askbridge_core::verdict::{Ruling, Verdict};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::splice;

/// The answer to a skipped question. Without it Claude Code would not mention the question at all, and its own
/// `annotations.unanswered` never reaches the model.
const SKIPPED: &str = "(skipped: the person did not answer this one; do not assume an answer)";

/// The input that runs.
pub(crate) fn allowed(input: &str, edited: Option<&Raw>) -> Box<RawValue> {
    match edited {
        Some(edited) => splice::edited(input, edited.as_str()),
        None => splice::untouched(input),
    }
}

/// The input of an approved plan, as a person rewrote it or unchanged.
pub(crate) fn planned(input: &str, edited: Option<&str>) -> Box<RawValue> {
    let set: Vec<_> = edited.map(|plan| splice::set("plan", &plan)).into_iter().collect();
    splice::with(input, &set)
}

/// The whole input of the question tool, with the answers keyed by question text.
pub(crate) fn answered(input: &str, questions: &[Question], picks: &[Pick], verdict: &Verdict) -> Box<RawValue> {
    let (mut answers, mut annotations) = (ByText::default(), ByText::default());
    for (question, pick) in questions.iter().zip(picks) {
        let labels = pick.chosen.iter().filter_map(|&index| question.options.get(usize::from(index)));
        let mut notes: Vec<&str> = pick.note.iter().map(String::as_str).collect();
        // That a rule answered is noted among the answers, because the model is sure to read only these.
        if !verdict.words.is_empty() && annotations.0.is_empty() && picks.iter().all(|pick| !pick.is_skipped()) {
            notes.push(&verdict.words);
        }
        let annotation = Annotation {
            notes: (!notes.is_empty()).then(|| notes.join(" ")),
            preview: labels.clone().find_map(|option| option.preview.as_deref()),
            unanswered: pick.is_skipped().then_some("skipped"),
        };
        if annotation != Annotation::default() {
            annotations.set(&question.text, annotation);
        }
        let said: Vec<_> = labels.map(|option| option.label.as_str()).chain(pick.text.as_deref()).collect();
        let said = if pick.is_skipped() { SKIPPED.to_owned() } else { said.join(", ") };
        answers.set(&question.text, said);
    }
    let mut set = vec![splice::set("answers", &answers)];
    if !annotations.0.is_empty() {
        set.push(splice::set("annotations", &annotations));
    }
    splice::with(input, &set)
}

/// One value per question, keyed by its text. Of two questions with the same text, the last counts.
struct ByText<'a, T>(Vec<(&'a str, T)>);

impl<T> Default for ByText<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, T> ByText<'a, T> {
    fn set(&mut self, text: &'a str, said: T) {
        match self.0.iter_mut().find(|(known, _)| *known == text) {
            Some((_, known)) => *known = said,
            None => self.0.push((text, said)),
        }
    }
}

impl<T: Serialize> Serialize for ByText<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(text, said)| (text, said)))
    }
}

#[derive(Default, PartialEq, Serialize)]
struct Annotation<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unanswered: Option<&'static str>,
}

/// Returns the words of a denial, never empty: Claude Code refuses a deny without words.
pub(crate) fn spoken(verdict: &Verdict) -> &str {
    if verdict.words.is_empty() { "Denied." } else { &verdict.words }
}

/// Whether the agent should end its turn as well.
pub(crate) fn stops(verdict: &Verdict) -> bool {
    let denied = matches!(verdict.ruling, Ruling::Answer(Answer::Approval(Decision::Deny { stop: true, .. })));
    denied || verdict.stops_the_turn()
}
