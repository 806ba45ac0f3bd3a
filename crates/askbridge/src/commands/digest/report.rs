//! Shows what was decided without a person.

use std::time::Duration;

use askbridge_core::verdict::spoken;
use serde_json::{Value, json};

use super::groups::{Groups, RuleName};
use crate::commands::inbox::short_ids;
use crate::output::{counted, one_line};

/// Examples on a screen, of each rule.
const EXAMPLES_SHOWN: usize = 3;

pub(crate) fn in_words(groups: &Groups, since: Duration) -> String {
    let (asks, since) = (counted(groups.asks, "ask was", "asks were"), spoken(since));
    if groups.asks == 0 {
        return format!("no ask was decided without a person in the last {since}");
    }
    let mut lines = vec![format!("{asks} decided without a person in the last {since}")];
    let sorted = groups.sorted();
    let shown = || sorted.iter().flat_map(|(_, group)| group.examples.iter().take(EXAMPLES_SHOWN));
    let mut ids = short_ids(shown().map(|decided| decided.id.as_str())).into_iter();
    let mut can_correct = None;
    for (name, group) in &sorted {
        let corrected = match group.corrected {
            0 => String::new(),
            corrected => format!(", {corrected} corrected by a person"),
        };
        lines.push(format!(
            "{}: {} ({} yes, {} no{corrected})",
            one_line(&named(name)),
            group.asks,
            group.yes,
            group.no
        ));
        for decided in group.examples.iter().take(EXAMPLES_SHOWN) {
            let id = ids.next().unwrap_or_default();
            let corrected = if decided.is_corrected { " (corrected)" } else { "" };
            lines.push(format!("  {id}  {} → {}{corrected}", one_line(&decided.headline), one_line(&decided.said)));
            if decided.answerable && can_correct.is_none() {
                can_correct = Some(id);
            }
        }
    }
    if groups.of_others > 0 {
        lines.push(format!("and {} by other rules", groups.of_others));
    }
    if let Some(id) = can_correct {
        lines.push(format!("correct one with `askbridge answer {id}`; the agent is told as a message"));
    }
    lines.join("\n")
}

pub(crate) fn as_json(groups: &Groups, since: Duration) -> Value {
    let rules = groups.sorted().into_iter().map(|(name, group)| {
        let examples = group.examples.iter().map(|decided| {
            json!({
                "ask": decided.id, "headline": decided.headline, "said": decided.said, "at": decided.at,
                "corrected": decided.is_corrected, "answerable": decided.answerable,
            })
        });
        json!({
            "rule": name.rule, "file": name.file, "line": name.line,
            "asks": group.asks, "yes": group.yes, "no": group.no, "corrected": group.corrected,
            "examples": examples.collect::<Vec<_>>(),
        })
    });
    json!({
        "since_seconds": since.as_secs(), "asks": groups.asks, "rules": rules.collect::<Vec<_>>(),
        "of_others": groups.of_others,
    })
}

fn named(name: &RuleName) -> String {
    match (&name.file, name.line) {
        (Some(file), Some(line)) => format!("`{}` ({file}:{line})", name.rule),
        _ => format!("`{}`", name.rule),
    }
}
