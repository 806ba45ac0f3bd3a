//! Reads replies to questions: finds the question of each, and checks that each is answered once.

use std::borrow::Cow;

use crate::answer::Pick;
use crate::fit::stand_in::Posed;
use crate::fit::{key_of, question_names};
use crate::limits;
use crate::wild::{is_blank, seen};

use super::whole::too_long;
use super::{Mismatch, Problem, QuestionKey, QuestionReply, value};

/// The state of one question while the reply is read.
#[derive(Debug, Clone)]
enum QuestionState {
    Nothing,
    Pick(Pick),
    /// It has a problem already; one is reported.
    Problem,
}

/// Reads one pick for each question.
pub(super) fn picks(posed: &[Posed<'_>], given: Vec<QuestionReply>) -> Result<Vec<Pick>, Mismatch> {
    let names = question_names(posed.iter().map(|posed| posed.question.text.as_str()));
    let mut heard = vec![QuestionState::Nothing; posed.len()];
    let mut problems = Vec::new();
    for QuestionReply { key, value, note } in given {
        let index = match find(posed, &names, &key) {
            Ok(index) => index,
            Err(problem) => {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
                continue;
            }
        };
        let about = |why: String| Problem::about(named(&key, &names[index]), why);
        let pick = match &heard[index] {
            QuestionState::Nothing => value::pick(&posed[index].question, value).and_then(|pick| with_note(pick, note)),
            QuestionState::Pick(_) => Err("it is answered twice; say it once".to_owned()),
            QuestionState::Problem => continue,
        };
        heard[index] = match pick {
            Ok(pick) => QuestionState::Pick(pick),
            Err(why) => {
                problems.push(about(why));
                QuestionState::Problem
            }
        };
    }
    if !problems.is_empty() {
        return Err(Mismatch { problems });
    }
    let pick = |heard| match heard {
        QuestionState::Pick(pick) => pick,
        QuestionState::Nothing | QuestionState::Problem => Pick::default(),
    };
    let picks: Vec<_> = heard.into_iter().map(pick).collect();
    if picks.iter().all(|pick| pick.is_skipped() && pick.note.is_none()) {
        return Err(Mismatch::whole("nothing was answered; dismiss it instead"));
    }
    Ok(picks)
}

/// A blank note counts as none: some screens always send one.
fn with_note(pick: Pick, note: Option<String>) -> Result<Pick, String> {
    let note = note.filter(|note| !is_blank(note));
    if note.as_ref().is_some_and(|note| note.len() > limits::ANSWER_TEXT_BYTES_MAX) {
        return Err(too_long());
    }
    Ok(Pick { note, ..pick })
}

/// Does the question with this text accept several answers? `None` if no question has it, or more than one.
pub(super) fn takes_several(posed: &[Posed<'_>], text: &str) -> Option<bool> {
    let names = question_names(posed.iter().map(|posed| posed.question.text.as_str()));
    let index = find(posed, &names, &QuestionKey::Text(text.to_owned())).ok()?;
    Some(posed[index].question.multi)
}

fn named(key: &QuestionKey, name: &str) -> String {
    match key {
        QuestionKey::Index(_) => name.to_owned(),
        QuestionKey::Text(text) => key_of(text).to_owned(),
    }
}

/// Finds the question: by its text as shown, else as the agent wrote it, else ignoring case if only one matches.
fn find(posed: &[Posed<'_>], names: &[Cow<'_, str>], key: &QuestionKey) -> Result<usize, Problem> {
    let text = match key {
        QuestionKey::Index(index) if *index < posed.len() => return Ok(*index),
        QuestionKey::Index(index) => {
            let why = format!("there is no such question; there are {}, counted from 0", posed.len());
            return Err(Problem::about(format!("question {index}"), why));
        }
        QuestionKey::Text(text) => text,
    };
    let name = key_of(text);
    let raw = || posed.iter().map(|posed| posed.question.text.as_str());
    if let Some(index) = names.iter().position(|shown| shown == name).or_else(|| raw().position(|raw| raw == text)) {
        return Ok(index);
    }
    let plain = seen(name).to_lowercase();
    let mut alike = names.iter().enumerate().filter(|(_, shown)| seen(shown).to_lowercase() == plain);
    match (alike.next(), alike.next()) {
        (Some((index, _)), None) => Ok(index),
        (None, _) => Err(Problem::about(name, "there is no such question")),
        (Some(_), Some(_)) => Err(Problem::about(name, "more than one question could be meant; write it exactly")),
    }
}
