//! What the rules decide about an ask, and on which terms it is made otherwise.

use std::time::Duration;

use super::answers;
use super::facts::AskFacts;
use super::index::Index;
use super::rule::{Action, AskRule, RuleSet, TermsOf};
use crate::answer::RuleSays;
use crate::ask::Body;
use crate::ids::Timestamp;
use crate::terms::{Terms, Warm, Wishes, stated};

/// The outcome of all rules for one ask.
#[derive(Debug, Clone)]
pub struct RulesOutcome<'r> {
    pub terms: Terms,
    /// The rule that decides: by denying, by sending the ask to a person, or by answering. `None`: no rule does, and a
    /// person is asked.
    pub rule: Option<&'r AskRule>,
    pub ruled: Ruled,
    /// How many rules were compared with the ask.
    pub compared: usize,
}

/// What becomes of the ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Ruled {
    /// A person decides.
    Ask,
    /// A person decides: the rule would say yes, but several people have to agree, and a rule is none of them.
    AskSeveral,
    /// The rule decides.
    Says(RuleSays),
}

/// The rank of an action. The lowest that matches decides.
pub(super) fn rank(action: &Action) -> Option<u8> {
    match action {
        Action::Deny { .. } => Some(0),
        Action::Ask | Action::Park => Some(1),
        Action::Allow | Action::Answer(_) => Some(2),
        Action::Terms => None,
    }
}

/// The rules that match an ask, in order.
pub(super) struct Matching {
    pub(super) matching: Vec<u32>,
    pub(super) compared: usize,
}

impl Matching {
    /// The rule among them that decides.
    pub(super) fn decides<'r>(&self, rules: &'r RuleSet) -> Option<&'r AskRule> {
        let ranked = self.matching.iter().filter_map(|&at| Some((rank(&rules.rule(at).action)?, at)));
        ranked.min().map(|(_, at)| rules.rule(at))
    }
}

pub(super) fn matching(rules: &RuleSet, facts: &AskFacts<'_>) -> Matching {
    matching_of(rules, &rules.index, facts)
}

/// The rules that match, of those that an index lists.
pub(super) fn matching_of(rules: &RuleSet, index: &Index, facts: &AskFacts<'_>) -> Matching {
    let candidates = index.candidates(facts);
    let compared = candidates.len();
    let matching = candidates.into_iter().filter(|&at| rules.rule(at).miss(facts).is_none()).collect();
    Matching { matching, compared }
}

/// Decides about an ask.
pub fn rule_ask<'r>(rules: &'r RuleSet, facts: &AskFacts<'_>) -> RulesOutcome<'r> {
    let found = matching(rules, facts);
    let rule = found.decides(rules);
    let terms = terms_of(rules, &found.matching, rule, facts);
    let ruled = says(rule, facts, &terms);
    RulesOutcome { terms, rule, ruled, compared: found.compared }
}

/// What the rule that decides makes of the ask on these terms.
pub(super) fn says(rule: Option<&AskRule>, facts: &AskFacts<'_>, terms: &Terms) -> Ruled {
    let says = rule.zip(facts.body).and_then(|(rule, body): (&AskRule, &Body)| answers::says(&rule.action, body));
    match (says, rule.map(|rule| &rule.action)) {
        (Some(_), Some(Action::Allow | Action::Answer(_))) if terms.quorum > 1 => Ruled::AskSeveral,
        (Some(says), _) => Ruled::Says(says),
        (None, _) => Ruled::Ask,
    }
}

/// Returns the terms of an ask where there are no rules, from what the ask, the session, the agent's settings and the
/// door request: the same as [`rule_ask`], without the facts that rules would look at.
pub fn unruled_terms(rules: &RuleSet, [ask, session, agent, door]: [&Wishes; 4], at: Timestamp) -> Terms {
    stated(&[ask, session, agent, door, &rules.otherwise], at)
}

/// The terms: those of the rule that decides, of the rules that match, and of what the ask, its session and its door
/// request, in this order.
fn terms_of(rules: &RuleSet, matching: &[u32], decides: Option<&AskRule>, facts: &AskFacts<'_>) -> Terms {
    let parks = Wishes { warm: Some(Warm::For(Duration::ZERO)), ..Wishes::default() };
    let parks = decides.filter(|rule| rule.action == Action::Park).map(|_| &parks);
    let mut last_file = None;
    let giving = matching.iter().filter(|&&at| {
        let file = rules.file(at);
        let is_first = last_file.replace(file) != Some(file);
        is_first || rules.files[file].terms == TermsOf::Every
    });
    let giving = giving.map(|&at| &rules.rule(at).wishes);
    let in_line: Vec<&Wishes> = decides
        .map(|rule| &rule.wishes)
        .into_iter()
        .chain(parks)
        .chain(giving)
        .chain(facts.wishes)
        .chain([&rules.otherwise])
        .collect();
    stated(&in_line, facts.at)
}
