//! Unique names of questions and options, on the card and in the reply.
//!
//! They depend on the ask alone, never on the screen, so a reply can be read without knowing what the screen showed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::wild::{is_blank, seen};

/// Separates a question's name from the text shown below it. No name contains it.
pub(super) const FOLD: &str = "\n\n———\n";
const FOLD_MARK: &str = "\n\n———";

/// Returns the names of questions with these texts, in order: all different, none blank.
pub(crate) fn question_names<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<Cow<'t, str>> {
    let visible = texts.enumerate().map(|(i, text)| match is_blank(text) {
        true => Cow::from(format!("Question {}", i + 1)),
        // Most questions are one line, with nothing to replace.
        false if text.contains('\n') => Cow::from(text.replace(FOLD_MARK, "\n\n— — —")),
        false => Cow::from(text),
    });
    distinct(visible.collect())
}

/// Returns the names of options with these labels, in order: all different, none blank.
pub(crate) fn option_names<'l>(labels: impl Iterator<Item = &'l str>) -> Vec<Cow<'l, str>> {
    let visible = labels.enumerate().map(|(i, label)| match is_blank(label) {
        true => Cow::from(format!("Option {}", i + 1)),
        false => Cow::from(label),
    });
    distinct(visible.collect())
}

/// Returns the name of the question that is shown as `shown`.
pub(crate) fn key_of(shown: &str) -> &str {
    shown.split_once(FOLD_MARK).map_or(shown, |(name, _below)| name)
}

/// Appends the text shown below a name.
pub(super) fn folded(name: &str, below: &[Cow<'_, str>]) -> String {
    if below.is_empty() {
        return name.to_owned();
    }
    format!("{name}{FOLD}{}", below.join("\n\n"))
}

/// Up to this many names, comparing each pair is cheaper than sorting.
const FEW: usize = 8;

fn look_different(names: &[Cow<'_, str>]) -> bool {
    names.iter().enumerate().all(|(i, name)| names[..i].iter().all(|other| seen(other) != seen(name)))
}

/// Numbers the later ones among names that look the same: `a`, `a (2)`. A number that another name has is skipped.
fn distinct<'n>(names: Vec<Cow<'n, str>>) -> Vec<Cow<'n, str>> {
    if names.len() <= FEW && look_different(&names) {
        return names;
    }
    let looks: BTreeSet<String> = names.iter().map(|name| seen(name).to_owned()).collect();
    let mut given = BTreeSet::new();
    let tell_apart = |name: Cow<'n, str>| {
        if given.insert(seen(&name).to_owned()) {
            return name;
        }
        let mut number = 2;
        loop {
            let numbered = format!("{} ({number})", seen(&name));
            let look = seen(&numbered).to_owned();
            if !looks.contains(&look) && given.insert(look) {
                return Cow::from(numbered);
            }
            number += 1;
        }
    };
    names.into_iter().map(tell_apart).collect()
}
