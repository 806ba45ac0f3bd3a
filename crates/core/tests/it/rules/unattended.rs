//! Sessions that no person attends: a question gets an answer that it offers, and nothing else gets a yes.

use askbridge_core::answer::{Answer, Decision, Filled, Pick, Review, RuleSays};
use askbridge_core::ask::{Body, Question};
use askbridge_core::rules::asks::{Action, Unattended, rule_ask};
use askbridge_core::terms::Wishes;
use proptest::collection::vec;
use proptest::prelude::*;

use super::given::{approval, facts, form, plan, question, rule, set};
use super::laws::{body, is_offered, rule as any_rule};

fn says(how: Unattended, body: &Body) -> Option<RuleSays> {
    let rules = set(Vec::new());
    how.says(body, &rule_ask(&rules, &facts(body)))
}

fn picked(question: Question) -> Vec<u16> {
    match says(Unattended::Answer, &Body::Questions(vec![question])) {
        Some(RuleSays::Answer(Answer::Questions(picks))) => picks[0].chosen.to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_recommended_option_is_chosen_or_else_the_first() {
    assert_eq!(picked(question("Which?", &["A", "B (Recommended)"])), [1]);
    assert_eq!(picked(question("Which?", &["A", "B"])), [0]);
    assert_eq!(picked(question("Which?", &["A (Recommended)", "B (recommended)", "C"])), [0], "two are none");
    let several = Body::Questions(vec![question("One?", &["A", "B (Recommended)"]), question("Two?", &["C", "D"])]);
    let pick = |at: u16| Pick { chosen: [at].into_iter().collect(), ..Pick::default() };
    let wanted = RuleSays::Answer(Answer::Questions(vec![pick(1), pick(0)]));
    assert_eq!(says(Unattended::Answer, &several), Some(wanted));
}

#[test]
fn without_options_and_for_everything_else_it_is_denied_in_words() {
    let is_no = |said: Option<RuleSays>| match said {
        Some(RuleSays::No { words }) => words.contains("Nobody attends this run"),
        Some(RuleSays::Answer(Answer::Approval(Decision::Deny { words, stop: false }))) => words.is_some(),
        Some(RuleSays::Answer(Answer::Plan(Review::SendBack { words }))) => !words.is_empty(),
        Some(RuleSays::Answer(Answer::Form(Filled::Decline { words }))) => words.is_some(),
        _ => false,
    };
    let free = Body::Questions(vec![question("Which?", &["A"]), question("What is it called?", &[])]);
    let secret = Body::Questions(vec![Question { secret: true, ..question("Which?", &["A"]) }]);
    for body in [free, secret, Body::Questions(Vec::new()), approval("Bash"), plan(), form()] {
        assert!(is_no(says(Unattended::Answer, &body)), "{body:?}");
    }
    assert!(is_no(says(Unattended::Deny, &Body::Questions(vec![question("Which?", &["A"])]))));
}

#[test]
fn a_rule_comes_first_also_one_that_sends_it_to_a_person() {
    let body = Body::Questions(vec![question("Which?", &["A"])]);
    for action in [Action::Ask, Action::Park, Action::Deny { words: "no".to_owned() }] {
        let rules = set(vec![rule("ours", action)]);
        assert_eq!(Unattended::Answer.says(&body, &rule_ask(&rules, &facts(&body))), None);
    }
    let mut two = rule("two", Action::Terms);
    two.wishes = Wishes { quorum: Some(2), ..Wishes::default() };
    let rules = set(vec![two]);
    let said = Unattended::Answer.says(&body, &rule_ask(&rules, &facts(&body)));
    assert!(matches!(said, Some(RuleSays::No { .. })), "several people have to agree: {said:?}");
}

proptest! {
    #[test]
    fn nothing_is_answered_that_was_not_offered_and_nothing_is_allowed(body in body(), rules in vec(any_rule(), 0..3)) {
        let rules = set(rules);
        let ruling = rule_ask(&rules, &facts(&body));
        for how in [Unattended::Answer, Unattended::Deny] {
            if let Some(said) = how.says(&body, &ruling) {
                prop_assert!(ruling.rule.is_none());
                let allows = matches!(
                    said,
                    RuleSays::Answer(
                        Answer::Approval(Decision::Allow { .. })
                            | Answer::Plan(Review::Approve { .. })
                            | Answer::Form(Filled::Accept(_))
                    )
                );
                prop_assert!(!allows && is_offered(&body, &said), "{:?}", said);
                prop_assert!(how == Unattended::Answer || !matches!(said, RuleSays::Answer(Answer::Questions(_))));
            }
        }
    }
}
