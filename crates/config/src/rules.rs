//! `[[rules]]`: terms for the asks that a rule matches.

use std::time::Duration;

use askbridge_core::terms::{Rule, Wait, Wishes};
use toml::de::{DeTable, DeValue};

use super::settings::{Settings, Terms};
use super::table::{KEYS, Machine, Source, term};
use askbridge_peers::nearest::nearest;

/// The keys of a `[[rules]]` entry besides the terms, which are named as in `[terms]`: each with a sentence.
pub(crate) const CONDITIONS: &[(&str, &str)] = &[
    ("name", "What to call the rule. Every rule needs one"),
    ("door", "The ask came through this door: `http`"),
    ("agent", "The agent that asks is called this"),
    ("folder", "The session works in this folder, or below it"),
    ("header", "The first question has this header"),
    ("asks_about", "The headline contains these words, in any case"),
];

/// A rule, and the line on which it begins.
#[derive(Debug, Clone)]
pub struct Ruled {
    pub rule: Rule,
    pub line: usize,
}

/// The line of a problem, what it is, and a hint.
type Complaint = (usize, String, Option<String>);

pub(super) fn read(table: &DeTable<'_>, line: usize, at: usize) -> (Ruled, Vec<Complaint>) {
    let mut problems = Vec::new();
    let mut said: Vec<(&str, &str)> = Vec::new();
    let mut terms = Settings::of(&Machine::default());
    for (written, value) in table {
        let (name, at): (&str, usize) = (written.get_ref(), written.span().start);
        let is_condition = CONDITIONS.iter().any(|(condition, _)| *condition == name);
        match (value.get_ref(), term(name)) {
            (DeValue::String(text), None) if is_condition && !text.trim().is_empty() => said.push((name, text.trim())),
            (_, None) if is_condition => problems.push((at, format!("`{name}` has to be text, in quotes"), None)),
            (value, Some(key)) => {
                let source = Source::File { path: "".into(), line };
                let set = |text: String| (key.set)(&mut terms, &text, source);
                if let Err(why) = key.form.text_of(value).and_then(set) {
                    problems.push((at, format!("`{name}`: {why}"), None));
                }
            }
            (_, None) => {
                let terms = KEYS.iter().filter(|key| key.section() == "terms").map(|key| key.short());
                let names = CONDITIONS.iter().map(|(name, _)| *name).chain(terms);
                let hint = nearest(name, names).map(|meant| format!("did you mean `{meant}`?"));
                problems.push((at, format!("a rule has no `{name}`"), hint));
            }
        }
    }
    let get = |name: &str| said.iter().find(|(said, _)| *said == name).map(|(_, text)| *text);
    let text = |name: &str| get(name).map(str::to_owned);
    let wishes = wishes(&terms.terms);
    match get("name") {
        None => problems.push((
            at,
            "the rule has no name".to_owned(),
            Some("add a line like name = \"deploys\"".to_owned()),
        )),
        Some(name) if wishes == Wishes::default() && problems.is_empty() => {
            let hint = "give it a term, like timeout = \"10m\"".to_owned();
            problems.push((at, format!("the rule `{name}` changes nothing"), Some(hint)));
        }
        Some(_) => {}
    }
    let rule = Rule {
        name: text("name").unwrap_or_default(),
        door: text("door"),
        agent: text("agent"),
        folder: text("folder"),
        header: text("header"),
        asks_about: text("asks_about"),
        wishes,
    };
    (Ruled { rule, line }, problems)
}

/// Returns the terms that the operator set. Our defaults are not among them: they would override those of a later
/// release.
pub(super) fn wishes(terms: &Terms) -> Wishes {
    Wishes {
        wait: terms.timeout.chosen().map(|wait| wait.map_or(Wait::Forever, Wait::For)),
        on_expiry: terms.on_expiry.chosen().cloned(),
        on_dismissal: terms.on_dismissal.chosen().copied(),
        undo: terms.undo.chosen().map(|undo| undo.unwrap_or(Duration::ZERO)),
        messages: terms.messages.chosen().copied(),
        parallel: terms.parallel.chosen().copied(),
        quorum: terms.quorum.chosen().and_then(|quorum| u8::try_from(*quorum).ok()),
        ..Wishes::default()
    }
}
