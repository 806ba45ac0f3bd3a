//! Asks that were settled without a person, grouped by the rule that settled them.

use std::collections::HashMap;

use askbridge_core::ids::Timestamp;
use serde_json::Value;

use crate::client::{Body, Error, Moment, Shown};
use crate::commands::inbox::{headline, said};

/// Rules that are listed. Beyond: they are counted together.
const RULES_MAX: usize = 1000;
/// Examples that are kept of each.
const EXAMPLES_MAX: usize = 10;

/// What was decided, by rule.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    by_rule: HashMap<RuleName, Group>,
    /// All asks.
    pub(super) asks: u64,
    /// Asks of rules that did not fit.
    pub(super) of_others: u64,
}

/// A rule by its name and place; a bot has no place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RuleName {
    pub(super) rule: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) asks: u64,
    /// Said yes: allowed, approved or answered.
    pub(super) yes: u64,
    /// Said no.
    pub(super) no: u64,
    /// Corrected by a person afterwards.
    pub(super) corrected: u64,
    /// The newest first.
    pub(super) examples: Vec<Decided>,
}

/// One ask that was decided.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) id: String,
    pub(super) headline: String,
    pub(super) said: String,
    pub(super) at: String,
    pub(super) is_corrected: bool,
    /// Can a person still correct it?
    pub(super) answerable: bool,
}

/// When an ask was decided.
pub(super) fn decided_at(ask: &Value) -> Result<Timestamp, Error> {
    let at = if ask["settled_at"].is_null() { &ask["asked_at"] } else { &ask["settled_at"] };
    let moment: Result<Moment, _> = serde_json::from_value(at.clone());
    moment.map(Moment::timestamp).map_err(|error| Error::Strange(error.to_string()))
}

impl Groups {
    /// Adds an ask as the API shows it. The newest come first.
    pub(crate) fn add(&mut self, ask: &Value) -> Result<(), Error> {
        let shown: Shown = serde_json::from_value(ask.clone()).map_err(|error| Error::Strange(error.to_string()))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let by = &ask["by"];
        let rule = text(&by["rule"]).unwrap_or_else(|| "unknown".to_owned());
        let name = RuleName { rule, file: text(&by["file"]), line: by["line"].as_u64() };
        self.asks += 1;
        if self.by_rule.len() >= RULES_MAX && !self.by_rule.contains_key(&name) {
            self.of_others += 1;
            return Ok(());
        }
        let group = self.by_rule.entry(name).or_default();
        let is_corrected = ask["late"].is_object();
        let is_no = is_no(&shown);
        group.asks += 1;
        group.yes += u64::from(!is_no);
        group.no += u64::from(is_no);
        group.corrected += u64::from(is_corrected);
        if group.examples.len() < EXAMPLES_MAX {
            let at = text(&ask["settled_at"]).or_else(|| text(&ask["asked_at"])).unwrap_or_default();
            let headline = match &shown.body {
                Body::Approval(approval) => {
                    let input = approval.input["command"].as_str().map(str::to_owned);
                    let what = approval.summary.clone().or(input).unwrap_or_else(|| approval.input.to_string());
                    format!("{}: {what}", approval.tool)
                }
                _ => headline(&shown),
            };
            let said = if is_no { "no".to_owned() } else { said(&shown, &shown.answers) };
            let answerable = shown.answerable;
            group.examples.push(Decided { id: shown.id, headline, said, at, is_corrected, answerable });
        }
        Ok(())
    }

    /// The most frequent rule first.
    pub(super) fn sorted(&self) -> Vec<(&RuleName, &Group)> {
        let mut groups: Vec<_> = self.by_rule.iter().collect();
        groups.sort_by_key(|(name, group)| (std::cmp::Reverse(group.asks), *name));
        groups
    }
}

fn is_no(shown: &Shown) -> bool {
    match &shown.body {
        // A question that a rule refuses has no answer.
        Body::Questions(_) => shown.answers.as_object().is_none_or(serde_json::Map::is_empty),
        _ => matches!(shown.answers["decision"].as_str(), Some("deny" | "send_back" | "decline") | None),
    }
}
