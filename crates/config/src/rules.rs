//! `[[rules]]`: terms for the asks that a rule names.

use askbridge_core::terms::{OnDismissal, OnExpiry, Rule, Wait, WhileOpen, Wishes};
use std::time::Duration;
use toml::de::{DeTable, DeValue};

use super::keys::{CONDITIONS, KEYS, term};
use super::nearest::nearest;
use super::spans;

/// A rule, and the line on which it begins.
#[derive(Debug, Clone)]
pub struct Ruled {
    pub rule: Rule,
    pub line: usize,
}

/// Where something is wrong, what, and what to do.
type Complaint = (usize, String, Option<String>);

pub(super) fn read(table: &DeTable<'_>, line: usize, at: usize) -> (Ruled, Vec<Complaint>) {
    let mut problems = Vec::new();
    let mut said: Vec<(String, String)> = Vec::new();
    for (written, value) in table {
        let (name, at): (&str, usize) = (written.get_ref(), written.span().start);
        let is_condition = CONDITIONS.iter().any(|condition| condition.name == name);
        match (value.get_ref(), term(name)) {
            (DeValue::String(text), None) if is_condition && !text.trim().is_empty() => {
                said.push((name.to_owned(), text.trim().to_owned()));
            }
            (_, None) if is_condition => problems.push((at, format!("`{name}` has to be text, in quotes"), None)),
            (value, Some(key)) => match key.kind.read_toml(value) {
                Ok(text) => said.push((name.to_owned(), text)),
                Err(why) => problems.push((at, format!("`{name}`: {why}"), None)),
            },
            (_, None) => {
                let terms = KEYS.iter().filter_map(|key| key.name.strip_prefix("terms."));
                let names = CONDITIONS.iter().map(|condition| condition.name).chain(terms);
                let hint = nearest(name, names).map(|meant| format!("did you mean `{meant}`?"));
                problems.push((at, format!("a rule has no `{name}`"), hint));
            }
        }
    }
    let get = |name: &str| said.iter().find(|(said, _)| said == name).map(|(_, text)| text.as_str());
    let text = |name: &str| get(name).map(str::to_owned);
    let wishes = wishes(get);
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
        answer: None,
    };
    (Ruled { rule, line }, problems)
}

/// Makes wishes of texts that were checked.
pub(super) fn wishes<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Wishes {
    let span = |text: &str| spans::parse(text).unwrap_or(Duration::ZERO);
    Wishes {
        wait: get("timeout").map(|text| if text == "never" { Wait::Forever } else { Wait::For(span(text)) }),
        on_expiry: get("on_expiry").map(|text| if text == "stop" { OnExpiry::TellAndStop } else { OnExpiry::Tell }),
        on_dismissal: get("on_dismissal")
            .map(|text| if text == "stop" { OnDismissal::TellAndStop } else { OnDismissal::Tell }),
        undo: get("undo").map(|text| if text == "none" { Duration::ZERO } else { span(text) }),
        messages: get("messages").map(|text| match text {
            "cancel_turn" => WhileOpen::CancelTurn,
            "refuse" => WhileOpen::Refuse,
            "pass_on" => WhileOpen::PassOn,
            _ => WhileOpen::Hold,
        }),
        parallel: get("parallel").map(|text| text == "true"),
        quorum: get("quorum").and_then(|text| text.parse().ok()),
        ..Wishes::default()
    }
}
