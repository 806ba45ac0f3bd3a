//! Reads replies to questions that stood in for another body.

use crate::answer::{Answer, Decision, Filled, Pick, Review, Scope};
use crate::ask::{Body, FieldKind, Form};
use crate::wild::Wild;

use super::{FormReply, Mismatch, Problem, form};

/// What an agent reads when a plan was sent back from a screen without free text.
const NO_WORDS: &str = "the person gave no reason; ask what should change";

/// Which of two options was chosen, or words instead.
enum StandInChoice {
    First,
    /// The second option, perhaps with a note.
    Second(Option<String>),
    Words(String),
}

/// Reads the picks for the questions that stand in for `body`.
pub(super) fn answer(body: &Body, picks: Vec<Pick>) -> Result<Answer, Mismatch> {
    match body {
        Body::Questions(_) => Ok(Answer::Questions(picks)),
        Body::Approval(_) => Ok(Answer::Approval(match one_of_two(picks)? {
            StandInChoice::First => Decision::Allow { scope: Scope::Once, edited: None },
            StandInChoice::Second(words) => Decision::Deny { words, stop: false },
            StandInChoice::Words(words) => Decision::Deny { words: Some(words), stop: false },
        })),
        Body::Plan(_) => Ok(Answer::Plan(match one_of_two(picks)? {
            StandInChoice::First => Review::Approve { edited: None },
            StandInChoice::Second(words) => Review::SendBack { words: words.unwrap_or_else(|| NO_WORDS.to_owned()) },
            StandInChoice::Words(words) => Review::SendBack { words },
        })),
        Body::Form(form) if form.fields.is_empty() => Ok(Answer::Form(match one_of_two(picks)? {
            StandInChoice::First => Filled::Accept(Vec::new()),
            StandInChoice::Second(words) => Filled::Decline { words },
            StandInChoice::Words(words) => Filled::Decline { words: Some(words) },
        })),
        Body::Form(form) => fields(form, picks).map(Answer::Form),
    }
}

fn one_of_two(picks: Vec<Pick>) -> Result<StandInChoice, Mismatch> {
    let Pick { chosen, text, note } = picks.into_iter().next().unwrap_or_default();
    match (&chosen[..], text, note) {
        ([0], None, None) => Ok(StandInChoice::First),
        // A yes with a reservation is not a yes, and the answer has no field for the reservation.
        ([0], _, _) => Err(Mismatch::whole("a yes cannot carry words here; leave them out, or say no with them")),
        ([_], None, note) => Ok(StandInChoice::Second(note)),
        (_, Some(text), None) => Ok(StandInChoice::Words(text)),
        (_, Some(text), Some(note)) => Ok(StandInChoice::Words(format!("{text} ({note})"))),
        (_, None, Some(note)) => Ok(StandInChoice::Words(note)),
        (_, None, None) => Err(Mismatch::whole("nothing was answered; dismiss it instead")),
    }
}

fn fields(form: &Form, picks: Vec<Pick>) -> Result<Filled, Mismatch> {
    let mut values = Vec::new();
    let mut problems = Vec::new();
    for (field, pick) in form.fields.iter().zip(picks) {
        if pick.note.is_some() {
            problems.push(Problem::about(&field.name, "a field takes no note; leave it out"));
        } else if !pick.is_skipped() {
            values.push((field.name.clone(), field_value(&field.kind, pick)));
        }
    }
    if !problems.is_empty() {
        return Err(Mismatch { problems });
    }
    form::filled(form, FormReply::Accept(values))
}

/// Writes a pick as the value that a form would have sent. The form checks whether it fits.
fn field_value(kind: &FieldKind, pick: Pick) -> Wild {
    let chosen = pick.chosen.iter().map(|index| usize::from(*index));
    match kind {
        FieldKind::Flag if pick.text.is_none() => Wild::Flag(pick.chosen == [0]),
        FieldKind::OneOf(values) | FieldKind::ManyOf(values) => {
            let values = chosen.filter_map(|index| values.get(index).cloned()).chain(pick.text);
            let mut values: Vec<_> = values.map(Wild::Text).collect();
            match kind {
                FieldKind::OneOf(_) if values.len() == 1 => values.remove(0),
                _ => Wild::List(values),
            }
        }
        _ => Wild::Text(pick.text.unwrap_or_default()),
    }
}
