//! What rules make of an ask: its terms, and whether one of them answers it.

use askbridge_core::answer::{Answer, Decision, RuleSays};
use askbridge_core::intent::AskRuling;
use askbridge_core::rules::asks::{AskFacts, ProjectRules, RuleSet, Ruled, UNATTENDED, Unattended, rule_ask_in};
use askbridge_core::terms::Terms;

use super::history::Decided;

/// The terms of an ask, and the rule that answers it.
pub(super) fn ruled(
    rules: &RuleSet,
    project: Option<&ProjectRules>,
    unattended: Option<Unattended>,
    facts: &AskFacts<'_>,
    before: Option<&Decided>,
    permission: Option<&AskRuling>,
) -> (Terms, Option<AskRuling>) {
    let mut ruling = rule_ask_in(rules, project, facts);
    // A rule about what people decided before says the same as they did, or nothing.
    let looks_back = ruling.rule.is_some_and(|rule| rule.when.decided_before.is_some());
    if let Ruled::Says(says) = &ruling.ruled
        && looks_back
        && !before.is_some_and(|before| before.is(says))
    {
        ruling = rule_ask_in(rules, project, &AskFacts { decided_before: 0, ..*facts });
    }
    // Our own rules deny first. After that gobby's deny; they allow only what no rule of ours, and no quorum, keeps for people.
    let is_denied = matches!(&ruling.ruled, Ruled::Says(says) if denies(says));
    let is_free = ruling.rule.is_none() && ruling.ruled == Ruled::Ask && ruling.terms.quorum <= 1;
    if let Some(by) = permission.filter(|by| !is_denied && (denies(&by.says) || is_free)) {
        return (ruling.terms, Some(by.clone()));
    }
    if let Some(says) = unattended.zip(facts.body).and_then(|(how, body)| how.says(body, &ruling)) {
        let by = AskRuling { rule: UNATTENDED.to_owned(), place: None, says };
        return (ruling.terms, Some(by));
    }
    let by = match (ruling.rule, ruling.ruled) {
        (Some(rule), Ruled::Says(says)) => Some(AskRuling { rule: rule.name.clone(), place: rule.place.clone(), says }),
        _ => None,
    };
    (ruling.terms, by)
}

pub(super) fn denies(says: &RuleSays) -> bool {
    matches!(says, RuleSays::No { .. } | RuleSays::Answer(Answer::Approval(Decision::Deny { .. })))
}
