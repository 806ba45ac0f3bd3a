//! Reads labels, including several in one string.
//!
//! Screens join labels with commas, labels contain commas, and people write commas into free text. A string is read as
//! several labels only if there is exactly one way to do so. Otherwise the unambiguous labels are split off its
//! beginning (screens put free text last) and the rest stays as it was written, so that "No, not Rust, Go" never turns
//! into a choice of Go.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::ask::Question;
use crate::fit::option_names;
use crate::limits;
use crate::wild::seen;

/// The labels of one question, as shown and as the agent wrote them.
#[derive(Debug, Default)]
pub(super) struct Labels<'q> {
    shown: Vec<Cow<'q, str>>,
    raw: Vec<Cow<'q, str>>,
}

/// The options and the free text found in a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) chosen: BTreeSet<usize>,
    /// The part that is not a label.
    pub(super) rest: Option<String>,
}

/// A label cut at its commas, with its option.
type Form = (usize, Vec<String>);

impl<'q> Labels<'q> {
    pub(super) fn of(question: &'q Question) -> Self {
        let raw = || question.options.iter().map(|option| option.label.as_str());
        Self { shown: option_names(raw()), raw: raw().map(Cow::from).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.shown.len()
    }

    /// Finds the option with exactly this label.
    pub(super) fn exact(&self, text: &str) -> Option<usize> {
        let position = |labels: &[Cow<'_, str>]| labels.iter().position(|label| label == text);
        position(&self.shown).or_else(|| position(&self.raw))
    }

    /// Finds the only option with this label, ignoring case and surrounding space.
    fn alike(&self, text: &str) -> Option<usize> {
        let plain = seen(text).to_lowercase();
        let only = |labels: &[Cow<'_, str>]| {
            let mut found = labels.iter().enumerate().filter(|(_, label)| seen(label).to_lowercase() == plain);
            found.next().filter(|_| found.next().is_none()).map(|(index, _)| index)
        };
        only(&self.shown).or_else(|| only(&self.raw))
    }

    /// Reads the answer to a question that accepts one option.
    pub(super) fn one(&self, text: String) -> Read {
        let found = self.exact(&text).or_else(|| self.alike(&text)).or_else(|| match self.whole(&text)?[..] {
            [only] => Some(only),
            _ => None,
        });
        match found {
            Some(index) => Read { chosen: BTreeSet::from([index]), rest: None },
            None => Read { chosen: BTreeSet::new(), rest: Some(text) },
        }
    }

    /// Reads the answer to a question that accepts several.
    pub(super) fn several(&self, text: String) -> Read {
        if let Some(index) = self.exact(&text).or_else(|| self.alike(&text)) {
            return Read { chosen: BTreeSet::from([index]), rest: None };
        }
        if let Some(all) = self.whole(&text) {
            return Read { chosen: all.into_iter().collect(), rest: None };
        }
        let (chosen, end) = self.beginning(&text);
        let rest = match end {
            0 => text,
            end => seen(&text[end..]).to_owned(),
        };
        Read { chosen, rest: (!rest.is_empty()).then_some(rest) }
    }

    /// Reads the whole string as labels, if there is exactly one way.
    fn whole(&self, text: &str) -> Option<Vec<usize>> {
        let parts = parts(text);
        if parts.len() > limits::JOINED_PARTS_MAX {
            return None;
        }
        let forms = self.forms();
        match ways(&parts, &forms) {
            Ways::None => {}
            Ways::One(options) => return Some(options),
            Ways::Several => return None,
        }
        let lower = |parts: &[String]| parts.iter().map(|part| part.to_lowercase()).collect::<Vec<_>>();
        let forms: Vec<_> = forms.iter().map(|(index, form)| (*index, lower(form))).collect();
        match ways(&lower(&parts), &forms) {
            Ways::One(options) => Some(options),
            Ways::None | Ways::Several => None,
        }
    }

    /// Reads labels from the beginning for as long as they are unambiguous. Returns where the rest begins.
    fn beginning(&self, text: &str) -> (BTreeSet<usize>, usize) {
        let parts: Vec<_> = parts(text).into_iter().take(limits::JOINED_PARTS_MAX).collect();
        let forms = self.forms();
        let fits = |form: &[String], at: usize| parts[at..].starts_with(form);
        let mut chosen = BTreeSet::new();
        let mut at = 0;
        while at < parts.len() {
            let mut here = forms.iter().filter(|(_, form)| fits(form, at));
            let (Some((index, form)), None) = (here.next(), here.next()) else {
                break;
            };
            let inside = (at + 1..at + form.len()).any(|at| forms.iter().any(|(_, form)| fits(form, at)));
            if inside {
                break;
            }
            chosen.insert(*index);
            at += form.len();
        }
        let end = match at {
            0 => 0,
            at => text.match_indices(',').nth(at - 1).map_or(text.len(), |(comma, _)| comma + 1),
        };
        (chosen, end)
    }

    /// Returns every label split at its commas: as shown, and as the agent wrote it if that is unambiguous.
    fn forms(&self) -> Vec<Form> {
        let mut forms: Vec<Form> = self.shown.iter().map(|label| parts(label)).enumerate().collect();
        for (index, label) in self.raw.iter().enumerate() {
            let form = parts(label);
            if !forms.iter().any(|(_, other)| *other == form) {
                forms.push((index, form));
            }
        }
        forms
    }
}

fn parts(text: &str) -> Vec<String> {
    text.split(',').map(|part| seen(part).to_owned()).collect()
}

/// The number of ways to read the parts as labels.
enum Ways {
    None,
    /// The options, in the order in which they were written.
    One(Vec<usize>),
    Several,
}

fn ways(parts: &[String], forms: &[Form]) -> Ways {
    // For each place: the number of ways to the end, counted up to two, and the first step of one of them.
    let mut count = vec![0_u8; parts.len() + 1];
    let mut step = vec![None; parts.len()];
    count[parts.len()] = 1;
    for at in (0..parts.len()).rev() {
        for (index, form) in forms.iter().filter(|(_, form)| parts[at..].starts_with(form)) {
            let beyond = count[at + form.len()];
            if beyond > 0 {
                count[at] = (count[at] + beyond).min(2);
                step[at] = Some((*index, form.len()));
            }
        }
    }
    match count[0] {
        0 => Ways::None,
        1 => {
            let mut options = Vec::new();
            let mut at = 0;
            while let Some((index, len)) = step.get(at).copied().flatten() {
                options.push(index);
                at += len;
            }
            Ways::One(options)
        }
        _ => Ways::Several,
    }
}
