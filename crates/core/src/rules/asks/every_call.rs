//! Decides about a call before it runs, by the rules that look at every call.
//!
//! All other rules look at asks alone: at the calls that the agent's own mode leaves to a person. A rule that denies a
//! call or sends it to a person here does so whatever that mode would allow.

use super::facts::AskFacts;
use super::outcome::{Ruled, matching_of, rank};
use super::project::{ProjectRules, rule_ask_in};
use super::rule::{Action, AskRule, RuleSet};
use crate::event::ToolRuling;

/// What the rules decide about a call.
#[derive(Debug, Clone, Copy)]
pub struct EveryCall<'r> {
    pub rule: &'r AskRule,
    pub ruling: ToolRuling,
    /// What the agent reads about a denial. Empty otherwise.
    pub words: &'r str,
}

/// Decides about a call. `None`: no opinion, and the agent's own mode and rules decide whether a person is asked.
///
/// The order is that of asks: a denial, of the operator or the project; then what goes to a person; then what may run.
/// A call that some rule would deny or ask about as an ask is not allowed here: it has to become that ask.
pub fn rule_every_call<'r>(
    rules: &'r RuleSet,
    project: Option<&'r ProjectRules>,
    facts: &AskFacts<'_>,
) -> Option<EveryCall<'r>> {
    let ours = decides(rules, facts);
    let theirs = project.and_then(|project| decides(project.set(), facts));
    let ranked = |rule: Option<&'r AskRule>| rule.and_then(|rule| Some((rank(&rule.action)?, rule)));
    let rule = match (ranked(ours), ranked(theirs)) {
        (Some((ours, rule)), Some((theirs, _))) if ours <= theirs => rule,
        (_, Some((_, rule))) | (Some((_, rule)), None) => rule,
        (None, None) => return None,
    };
    match &rule.action {
        Action::Deny { words } => Some(EveryCall { rule, ruling: ToolRuling::Deny, words }),
        Action::Ask | Action::Park => Some(EveryCall { rule, ruling: ToolRuling::Ask, words: "" }),
        Action::Allow => {
            let whole = rule_ask_in(rules, project, facts);
            let allowed = whole.rule.filter(|_| matches!(whole.ruled, Ruled::Says(_)));
            let allowed = allowed.filter(|rule| rule.action == Action::Allow);
            allowed.map(|_| EveryCall { rule, ruling: ToolRuling::Allow, words: "" })
        }
        Action::Terms | Action::Answer(_) => None,
    }
}

fn decides<'r>(rules: &'r RuleSet, facts: &AskFacts<'_>) -> Option<&'r AskRule> {
    matching_of(rules, rules.every_call.as_ref()?, facts).decides(rules)
}
