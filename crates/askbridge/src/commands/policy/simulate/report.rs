//! Prints what a simulation found.

use std::io;
use std::time::Duration;

use askbridge_core::answer::RulePlace;
use askbridge_core::rules::asks::AskRule;
use askbridge_core::verdict::spoken;
use serde_json::json;

use super::tally::{OfRule, Tally};
use crate::output::{counted, one_line, print as line, visible};

/// Differing asks on a screen. Beyond: `--json` has them.
const DIFFERING_SHOWN: usize = 20;
/// Kinds and tools on a screen, among the asks that no rule matches.
const UNMATCHED_SHOWN: usize = 8;

pub(super) fn print(tally: &Tally<'_>, since: Duration, json: bool) -> io::Result<()> {
    if json { as_json(tally, since) } else { in_words(tally, since) }
}

fn in_words(tally: &Tally<'_>, since: Duration) -> io::Result<()> {
    let total = tally.total();
    let asks = counted(tally.asks, "ask", "asks");
    line(&format!("{asks} in the last {}: the rules would have decided {}", spoken(since), total.decides))?;
    let mut idle = 0;
    for (rule, count) in tally.rules() {
        match count {
            OfRule { decides: 0, asks: 0, .. } => idle += 1,
            OfRule { decides: 0, asks, .. } => line(&visible(&format!("  {}: {asks} to a person", named(rule))))?,
            count => line(&visible(&format!("  {}: {}", named(rule), compared(count))))?,
        }
    }
    if idle > 0 {
        line(&format!("  {} would have decided nothing", counted(idle, "other rule", "other rules")))?;
    }
    if tally.unmatched > 0 {
        let mut by: Vec<_> = tally.unmatched_by.iter().collect();
        by.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
        let mut parts: Vec<_> =
            by.iter().take(UNMATCHED_SHOWN).map(|(name, count)| format!("{name} {count}")).collect();
        if by.len() > UNMATCHED_SHOWN {
            parts.push("…".to_owned());
        }
        let asks = counted(tally.unmatched, "ask matches", "asks match");
        line(&visible(&format!("{asks} no rule: {}", parts.join(", "))))?;
    }
    if total.different > 0 {
        line(&format!("{} would have come out differently from a person:", total.different))?;
        for differing in tally.differing.iter().take(DIFFERING_SHOWN) {
            line(&format!("  {}  {}", differing.ask, one_line(&differing.headline)))?;
            let rule = one_line(&format!("`{}`", differing.rule.name));
            let (rule_says, said) = (one_line(&differing.rule_says), one_line(&differing.person_said));
            line(&format!("      {rule} says {rule_says}; the person said {said}"))?;
        }
        let more = total.different.saturating_sub(DIFFERING_SHOWN as u64);
        if more > 0 {
            line(&format!("  and {more} more; `--json` lists them"))?;
        }
    }
    for note in notes(tally) {
        line(&note)?;
    }
    Ok(())
}

fn compared(count: OfRule) -> String {
    let OfRule { decides, same, different, no_person, asks } = count;
    let mut parts =
        vec![format!("decides {decides} ({same} as a person did, {different} differently, {no_person} without one)")];
    if asks > 0 {
        parts.push(format!("{asks} to a person"));
    }
    parts.join(", ")
}

/// What the counts leave out.
fn notes(tally: &Tally<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if tally.too_long > 0 {
        let asks = counted(tally.too_long, "ask is", "asks are");
        notes.push(format!("note: {asks} too long for a list, and not counted"));
    }
    let unrecorded = tally.on_unrecorded();
    if unrecorded > 0 {
        let rules = counted(unrecorded as u64, "rule looks", "rules look");
        notes.push(format!(
            "note: {rules} at `present` or `decided_before`, which asks do not record; it matches nothing here"
        ));
    }
    notes
}

fn as_json(tally: &Tally<'_>, since: Duration) -> io::Result<()> {
    let place = |rule: &AskRule| rule.place.as_ref().map(|place| (place.file.clone(), place.line)).unzip();
    let rules: Vec<_> = tally
        .rules()
        .map(|(rule, count)| {
            let (file, line) = place(rule);
            json!({
                "rule": rule.name, "file": file, "line": line, "do": rule.action.name(),
                "decides": count.decides, "same": count.same, "different": count.different,
                "no_person": count.no_person, "asks": count.asks,
            })
        })
        .collect();
    let differing: Vec<_> = tally
        .differing
        .iter()
        .map(|it| {
            json!({
                "ask": it.ask, "rule": it.rule.name, "headline": it.headline,
                "rule_says": it.rule_says, "person_said": it.person_said,
            })
        })
        .collect();
    let total = tally.total();
    let told = json!({
        "since_seconds": since.as_secs(),
        "asks": tally.asks,
        "decides": total.decides, "same": total.same, "different": total.different, "no_person": total.no_person,
        "to_a_person": total.asks,
        "unmatched": tally.unmatched, "unmatched_by": tally.unmatched_by,
        "too_long": tally.too_long,
        "rules": rules,
        "differing": differing,
        "differing_left_out": total.different.saturating_sub(tally.differing.len() as u64),
    });
    line(&told.to_string())
}

fn named(rule: &AskRule) -> String {
    let name = format!("`{}` ({})", rule.name, rule.action.name());
    match &rule.place {
        Some(RulePlace { file, line }) => format!("{file}:{line}: {name}"),
        None => format!("settings: {name}"),
    }
}
