//! The numbered choices of an ask, and the answers that they stand for.

use serde_json::{Value, json};

use crate::client::{Body, Shown};
use crate::commands::answer::Deed;
use crate::output::one_line;

/// Returns the choices of an ask that can be answered with numbers alone; `None` if it needs text.
pub(super) fn choices(ask: &Shown) -> Option<Vec<String>> {
    match &ask.body {
        Body::Questions(questions) => match questions.as_slice() {
            [one] if !one.options.is_empty() => {
                let label = |option: &crate::client::Choice| match &option.description {
                    Some(description) => format!("{} — {}", one_line(&option.label), one_line(description)),
                    None => one_line(&option.label),
                };
                Some(one.options.iter().map(label).collect())
            }
            _ => None,
        },
        Body::Approval(approval) => {
            let always = approval
                .rules
                .iter()
                .map(|rule| format!("Always allow: {} {}", one_line(&rule.label), one_line(&rule.rule.to_string())));
            Some(["Allow once".to_owned()].into_iter().chain(always).chain(["Deny".to_owned()]).collect())
        }
        Body::Plan(_) => Some(vec!["Approve".to_owned(), "Send back (asks you why)".to_owned()]),
        Body::Form(_) => None,
    }
}

pub(super) fn takes_several(ask: &Shown) -> bool {
    matches!(&ask.body, Body::Questions(questions) if questions.len() == 1 && questions[0].multi)
}

/// Returns the answer for the marked choices; `None` if it needs text.
pub(super) fn deed(ask: &Shown, marked: &[usize]) -> Option<Deed> {
    let first = *marked.first()?;
    let answer: Value = match &ask.body {
        Body::Questions(questions) => {
            let question = &questions.first()?.question;
            json!({"answers": {question.as_str(): {"options": marked}}})
        }
        Body::Approval(_) if first == 0 => json!({"decision": "allow"}),
        Body::Approval(approval) if first <= approval.rules.len() => json!({"decision": "allow", "always": first - 1}),
        Body::Approval(_) => json!({"decision": "deny"}),
        Body::Plan(_) if first == 0 => json!({"decision": "approve"}),
        Body::Plan(_) | Body::Form(_) => return None,
    };
    Some(Deed::answer(answer))
}
