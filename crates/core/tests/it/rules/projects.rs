//! Rules of projects only tighten.

use askbridge_core::answer::RuleSays;
use askbridge_core::ask::Body;
use askbridge_core::rules::asks::{Action, AskFacts, Call, ProjectRules, Ruled, RulesOutcome, rule_ask, rule_ask_in};
use askbridge_core::terms::{OnDismissal, OnExpiry, Terms, Wait, Wishes};
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;

use super::given::{Named, approval, deny, facts, rule, set};
use super::laws::{body, rule as any_rule};

/// How much is left to a person. The higher, the tighter.
fn tightness(ruling: &RulesOutcome<'_>) -> u8 {
    let denies = |action: &Action| matches!(action, Action::Deny { .. });
    match (&ruling.ruled, ruling.rule) {
        (Ruled::Says(_), Some(rule)) if denies(&rule.action) => 3,
        (Ruled::Says(RuleSays::No { .. }), _) => 3,
        // Both go to people; how many have to agree is in the terms, which are compared apart.
        (Ruled::Ask | Ruled::AskSeveral, _) => 1,
        (Ruled::Says(_), _) => 0,
    }
}

fn is_as_tight(with: &Terms, without: &Terms) -> bool {
    let stops = |on: &OnExpiry| match on {
        OnExpiry::Assume(_) => 0,
        OnExpiry::Tell => 1,
        OnExpiry::TellAndStop => 2,
    };
    let waits = |terms: &Terms| terms.deadline.map_or(i64::MAX, |deadline| deadline.0);
    with.quorum >= without.quorum
        && waits(with) >= waits(without)
        && with.undo >= without.undo
        && stops(&with.on_expiry) >= stops(&without.on_expiry)
        && (with.on_dismissal == OnDismissal::TellAndStop || without.on_dismissal == OnDismissal::Tell)
        && (with.warm, with.messages, with.parallel, with.other_tools)
            == (without.warm, without.messages, without.parallel, without.other_tools)
}

fn wishes() -> impl Strategy<Value = Wishes> {
    let wait = prop::option::of(prop_oneof![
        Just(Wait::Forever),
        (1u64..100).prop_map(|secs| Wait::For(Duration::from_secs(secs)))
    ]);
    let on_expiry = prop::option::of(prop::sample::select(vec![
        OnExpiry::Tell,
        OnExpiry::TellAndStop,
        OnExpiry::Assume(Vec::new()),
    ]));
    let on_dismissal = prop::option::of(prop::sample::select(vec![OnDismissal::Tell, OnDismissal::TellAndStop]));
    let undo = prop::option::of((0u64..90).prop_map(Duration::from_secs));
    (wait, on_expiry, on_dismissal, undo, prop::option::of(0u8..5), prop::option::of(any::<bool>())).prop_map(
        |(wait, on_expiry, on_dismissal, undo, quorum, parallel)| Wishes {
            wait,
            on_expiry,
            on_dismissal,
            undo,
            quorum,
            parallel,
            ..Wishes::default()
        },
    )
}

proptest! {
    #[test]
    fn with_a_projects_rules_nothing_is_looser_than_without_them(
        body in body(),
        ours in vec((any_rule(), wishes()), 0..4),
        theirs in vec((any_rule(), wishes()), 0..5),
    ) {
        let with_wishes = |rules: Vec<(askbridge_core::rules::asks::AskRule, Wishes)>| {
            rules.into_iter().map(|(rule, wishes)| askbridge_core::rules::asks::AskRule { wishes, ..rule }).collect::<Vec<_>>()
        };
        let name = match &body { Body::Approval(approval) => approval.tool.clone(), _ => String::new() };
        let call = Named(&name);
        let call: Option<&dyn Call> = matches!(body, Body::Approval(_)).then_some(&call as _);
        let facts = AskFacts { call, ..facts(&body) };
        let rules = set(with_wishes(ours));
        let project = ProjectRules::tightening(with_wishes(theirs));
        let (without, with) = (rule_ask(&rules, &facts), rule_ask_in(&rules, Some(&project), &facts));
        prop_assert!(tightness(&with) >= tightness(&without), "{:?} became {:?}", without.ruled, with.ruled);
        prop_assert!(is_as_tight(&with.terms, &without.terms), "{:?} became {:?}", without.terms, with.terms);
        // What the operator's rules answer is never answered otherwise.
        if let (Ruled::Says(before), Ruled::Says(after)) = (&without.ruled, &with.ruled) {
            prop_assert!(before == after || tightness(&with) == 3);
        }
    }
}

#[test]
fn a_denial_of_either_comes_first_then_what_goes_to_a_person_then_a_yes() {
    let body = approval("Bash");
    let call = Named("Bash");
    let facts = AskFacts { call: Some(&call), ..facts(&body) };
    let decides = |ours: Action, theirs: Action, is_trusted: bool| {
        let rules = set(vec![rule("ours", ours)]);
        let theirs = vec![rule("theirs", theirs)];
        let project = if is_trusted { ProjectRules::trusted(theirs) } else { ProjectRules::tightening(theirs) };
        rule_ask_in(&rules, Some(&project), &facts).rule.map(|rule| rule.name.clone())
    };
    let no = || Action::Deny { words: "no".to_owned() };
    let by = |name: &str| Some(name.to_owned());
    assert_eq!(decides(no(), no(), false), by("ours"));
    assert_eq!(decides(Action::Allow, no(), false), by("theirs"));
    assert_eq!(decides(Action::Ask, no(), false), by("theirs"));
    assert_eq!(decides(no(), Action::Ask, false), by("ours"));
    assert_eq!(decides(Action::Allow, Action::Ask, false), by("theirs"));
    assert_eq!(decides(Action::Terms, Action::Allow, false), None);
    assert_eq!(decides(Action::Terms, Action::Allow, true), by("theirs"));
    assert_eq!(decides(Action::Allow, Action::Allow, true), by("ours"));
    assert_eq!(decides(Action::Ask, Action::Allow, true), by("ours"));
}

#[test]
fn only_the_very_folder_that_is_named_is_trusted() {
    let rules = set(vec![deny("a")]).trusting(vec!["/srv/app/".to_owned()]);
    assert!(rules.trusts("/srv/app") && rules.trusts("/srv/app/"));
    assert!(!rules.trusts("/srv/app/vendor") && !rules.trusts("/srv") && !set(Vec::new()).trusts("/"));
}
