//! Rules that look at every call: which of them decides before a call, and what they leave to the agent's own mode.

use askbridge_core::event::ToolRuling;
use askbridge_core::rules::asks::{
    Action, AskFacts, AskRule, Call, Conditions, ProjectRules, RuleSet, rule_ask_in, rule_every_call,
};
use askbridge_core::terms::Wishes;
use proptest::collection::vec;
use proptest::prelude::*;

use super::given::{Named, approval, deny, facts, rule, set, tool, when};
use super::laws::rule as any_rule;

fn every(rule: AskRule) -> AskRule {
    AskRule { every_call: true, ..rule }
}

/// What becomes of a call of Bash, and by which rule.
fn ruled(rules: &RuleSet, project: Option<&ProjectRules>) -> Option<(ToolRuling, String)> {
    let body = approval("Bash");
    let call = Named("Bash");
    let facts = AskFacts { call: Some(&call as &dyn Call), ..facts(&body) };
    rule_every_call(rules, project, &facts).map(|ruled| (ruled.ruling, ruled.rule.name.clone()))
}

fn of(rules: Vec<AskRule>) -> Option<(ToolRuling, String)> {
    ruled(&set(rules), None)
}

fn is(ruling: ToolRuling, rule: &str) -> Option<(ToolRuling, String)> {
    Some((ruling, rule.to_owned()))
}

#[test]
fn a_rule_that_looks_at_asks_alone_decides_nothing_before_a_call() {
    assert_eq!(of(vec![deny("a"), rule("b", Action::Ask), rule("c", Action::Allow)]), None);
    assert!(!set(vec![deny("a")]).looks_at_every_call() && set(vec![every(deny("a"))]).looks_at_every_call());
}

#[test]
fn a_denial_comes_first_then_a_person_then_what_may_run_and_of_equals_the_first() {
    let (allows, asks, denies) =
        (|name| every(rule(name, Action::Allow)), |name| every(rule(name, Action::Ask)), |name| every(deny(name)));
    assert_eq!(of(vec![allows("a"), asks("b"), denies("c"), denies("d")]), is(ToolRuling::Deny, "c"));
    assert_eq!(of(vec![allows("a"), asks("b")]), is(ToolRuling::Ask, "b"));
    assert_eq!(of(vec![allows("a"), allows("b")]), is(ToolRuling::Allow, "a"));
    assert_eq!(of(vec![every(rule("p", Action::Park))]), is(ToolRuling::Ask, "p"));
    assert_eq!(of(vec![every(when(tool("Edit"), deny("e")))]), None);
    assert_eq!(of(vec![every(when(tool("Bash"), deny("b")))]), is(ToolRuling::Deny, "b"));
}

#[test]
fn what_some_rule_would_send_to_people_as_an_ask_is_not_allowed_before_it_is_one() {
    let allows = || every(rule("allows", Action::Allow));
    assert_eq!(of(vec![allows(), rule("asks", Action::Ask)]), None);
    assert_eq!(of(vec![allows(), deny("denies")]), None);
    let quorum = AskRule { wishes: Wishes { quorum: Some(2), ..Wishes::default() }, ..rule("two", Action::Terms) };
    assert_eq!(of(vec![allows(), quorum]), None, "several people have to agree");
    assert_eq!(of(vec![allows(), rule("other", Action::Allow)]), is(ToolRuling::Allow, "allows"));
}

#[test]
fn a_project_denies_and_asks_and_never_allows_unless_it_is_trusted() {
    let none = set(Vec::new());
    let theirs = || vec![every(rule("allows", Action::Allow)), every(when(tool("Bash"), rule("asks", Action::Ask)))];
    assert_eq!(ruled(&none, Some(&ProjectRules::tightening(theirs()))), is(ToolRuling::Ask, "asks"));
    let only_allow = vec![every(rule("allows", Action::Allow))];
    assert_eq!(ruled(&none, Some(&ProjectRules::tightening(only_allow.clone()))), None);
    assert_eq!(ruled(&none, Some(&ProjectRules::trusted(only_allow))), is(ToolRuling::Allow, "allows"));
    let ours = set(vec![every(rule("ours", Action::Allow))]);
    assert_eq!(ruled(&ours, Some(&ProjectRules::tightening(theirs()))), is(ToolRuling::Ask, "asks"));
    let plain = ProjectRules::tightening(vec![rule("plain", Action::Ask)]);
    assert_eq!(ruled(&ours, Some(&plain)), None, "as an ask it would go to a person");
}

#[test]
fn an_approval_of_a_question_is_never_given() {
    let body = approval("AskUserQuestion");
    let call = Named("AskUserQuestion");
    let facts = AskFacts { call: Some(&call as &dyn Call), ..facts(&body) };
    let rules = set(vec![every(rule("all", Action::Allow))]);
    assert!(rule_every_call(&rules, None, &facts).is_none());
}

proptest! {
    /// Before a call nothing is allowed that would not be allowed as an ask, and a rule never decides that does not match.
    #[test]
    fn nothing_is_allowed_before_a_call_that_would_not_be_as_an_ask(
        rules in vec((any_rule(), any::<bool>()), 0..8),
        theirs in vec((any_rule(), any::<bool>()), 0..4),
        trusted in any::<bool>(),
    ) {
        let made = |rules: Vec<(AskRule, bool)>| -> Vec<AskRule> {
            rules.into_iter().map(|(rule, every_call)| AskRule { every_call, ..rule }).collect()
        };
        let (rules, theirs) = (set(made(rules)), made(theirs));
        let project = if trusted { ProjectRules::trusted(theirs) } else { ProjectRules::tightening(theirs) };
        let body = approval("Bash");
        let call = Named("Bash");
        let facts = AskFacts { call: Some(&call as &dyn Call), ..facts(&body) };
        let Some(before) = rule_every_call(&rules, Some(&project), &facts) else { return Ok(()) };
        let whole = rule_ask_in(&rules, Some(&project), &facts);
        prop_assert!(before.rule.every_call);
        let action = |rule: Option<&AskRule>| rule.map(|rule| rule.action.name());
        match before.ruling {
            ToolRuling::Allow => prop_assert_eq!(action(whole.rule), Some("allow")),
            ToolRuling::Deny => prop_assert_eq!(action(whole.rule), Some("deny")),
            ToolRuling::Ask => prop_assert_ne!(action(whole.rule), Some("allow")),
        }
    }
}

#[test]
fn a_condition_on_something_else_than_a_call_matches_none() {
    let about = Conditions { asks_about: vec!["deploy".to_owned()], ..Conditions::default() };
    assert_eq!(of(vec![every(when(about, deny("a")))]), None);
}
