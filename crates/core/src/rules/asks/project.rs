//! Rules of the project that an agent works in, below the operator's.
//!
//! The agent can write its project's files, so these rules only tighten: with them, no ask is answered that would have
//! gone to a person without them, and no term gives a person less. In a folder that the operator trusts they may also
//! say yes, after every rule of the operator.

use super::facts::AskFacts;
use super::outcome::{RulesOutcome, matching, rank, rule_ask, says};
use super::rule::{Action, AskRule, RuleFile, RuleSet, TermsOf};
use crate::terms::{OnDismissal, OnExpiry, Terms, Wait, Warm, Wishes};
use crate::{ids::Timestamp, limits};

/// The rules of one project's file.
#[derive(Debug, Clone)]
pub struct ProjectRules {
    set: RuleSet,
}

impl ProjectRules {
    /// The rules that can only tighten. Others are left out.
    pub fn tightening(rules: Vec<AskRule>) -> Self {
        let tightens = |rule: &AskRule| match rule.action {
            Action::Deny { .. } | Action::Ask | Action::Terms => true,
            Action::Park | Action::Allow | Action::Answer(_) => false,
        };
        Self::trusted(rules.into_iter().filter(tightens).collect())
    }

    /// All rules, for a folder that the operator trusts.
    pub fn trusted(rules: Vec<AskRule>) -> Self {
        Self { set: RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules }], Wishes::default()) }
    }

    pub fn set(&self) -> &RuleSet {
        &self.set
    }
}

/// Decides about an ask by the operator's rules and those of its project: a denial of either first, then what either
/// sends to a person, then what the operator's rules answer, then what a trusted project's do.
pub fn rule_ask_in<'r>(
    rules: &'r RuleSet,
    project: Option<&'r ProjectRules>,
    facts: &AskFacts<'_>,
) -> RulesOutcome<'r> {
    let ours = rule_ask(rules, facts);
    let Some(project) = project.map(|project| &project.set) else { return ours };
    let found = matching(project, facts);
    let RulesOutcome { mut terms, rule: ours_decides, compared, .. } = ours;
    for &at in &found.matching {
        tighten(&mut terms, &project.rule(at).wishes, facts.at);
    }
    let theirs_decides = found.decides(project);
    let ranked = |rule: Option<&'r AskRule>| rule.and_then(|rule| Some((rank(&rule.action)?, rule)));
    let rule = match (ranked(ours_decides), ranked(theirs_decides)) {
        (Some((ours, rule)), Some((theirs, _))) if ours <= theirs => Some(rule),
        (_, Some((_, rule))) => Some(rule),
        (ours, None) => ours.map(|(_, rule)| rule),
    };
    if let Some(rule) = rule.filter(|rule| rule.action == Action::Park && !is_same(ours_decides, rule)) {
        terms.warm = rule.wishes.warm.unwrap_or(Warm::For(std::time::Duration::ZERO));
    }
    let ruled = says(rule, facts, &terms);
    RulesOutcome { terms, rule, ruled, compared: compared + found.compared }
}

fn is_same(one: Option<&AskRule>, other: &AskRule) -> bool {
    one.is_some_and(|one| std::ptr::eq(one, other))
}

/// Takes over what gives people more: more of them, more time, and an agent that stops rather than assumes.
fn tighten(terms: &mut Terms, wishes: &Wishes, at: Timestamp) {
    if let Some(quorum) = wishes.quorum {
        terms.quorum = terms.quorum.max(quorum.min(limits::QUORUM_MAX));
    }
    terms.deadline = match (terms.deadline, wishes.wait) {
        (Some(_), Some(Wait::Forever)) => None,
        (Some(deadline), Some(Wait::For(span))) => Some(deadline.max(at.plus(span.min(limits::WAIT_MAX)))),
        (deadline, _) => deadline,
    };
    if let Some(undo) = wishes.undo {
        terms.undo = terms.undo.max(undo.min(limits::UNDO_MAX));
    }
    if wishes.on_expiry == Some(OnExpiry::TellAndStop) {
        terms.on_expiry = OnExpiry::TellAndStop;
    }
    if wishes.on_dismissal == Some(OnDismissal::TellAndStop) {
        terms.on_dismissal = OnDismissal::TellAndStop;
    }
}
