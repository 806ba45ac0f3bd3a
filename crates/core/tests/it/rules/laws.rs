//! Laws that hold for every rule and every ask.

use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Review, RuleSays, Scope};
use askbridge_core::ask::{Body, Question};
use askbridge_core::rules::asks::{
    Action, AnswerBy, Answers, AskFacts, AskRule, Conditions, RuleSet, Ruled, TextPattern, Why, explain, rule_ask,
    unruled_terms,
};
use askbridge_core::terms::{OnExpiry, Wait, Wishes};
use proptest::collection::vec;
use proptest::prelude::*;

use super::given::{Named, approval, facts, form, plan, question, set, tool};

const LABELS: &[&str] = &["Yes", "No", "Maybe (Recommended)", "first", ""];
const TEXTS: &[&str] = &["Deploy?", "Which one?", "Delete all?"];
const TOOLS: &[&str] = &["Bash", "Write", "AskUserQuestion", "mcp__x__y"];

fn questions() -> impl Strategy<Value = Vec<Question>> {
    let one = (prop::sample::select(TEXTS), prop::sample::subsequence(LABELS, 0..=LABELS.len()), any::<bool>());
    vec(one.prop_map(|(text, labels, multi)| Question { multi, ..question(text, &labels) }), 0..4)
}

pub(crate) fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        3 => questions().prop_map(Body::Questions),
        3 => prop::sample::select(TOOLS).prop_map(approval),
        1 => Just(plan()),
        1 => Just(form()),
    ]
}

fn by() -> impl Strategy<Value = AnswerBy> {
    prop_oneof![
        vec(prop::sample::select(LABELS).prop_map(str::to_owned), 0..3).prop_map(AnswerBy::Labels),
        (0u16..6).prop_map(AnswerBy::Index),
        Just(AnswerBy::Recommended),
        Just(AnswerBy::First),
    ]
}

fn pattern() -> impl Strategy<Value = TextPattern> {
    prop::sample::select(&["*", "De*", "Which one?", "*all?", "x"]).prop_map(TextPattern::new)
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Terms),
        Just(Action::Ask),
        Just(Action::Park),
        Just(Action::Allow),
        Just(Action::Deny { words: "no".to_owned() }),
        by().prop_map(|by| Action::Answer(Answers::All(by))),
        vec((pattern(), by()), 0..3).prop_map(|each| Action::Answer(Answers::Each(each))),
    ]
}

pub(crate) fn rule() -> impl Strategy<Value = AskRule> {
    let tools = prop::option::weighted(0.3, prop::sample::select(TOOLS));
    let quorum = prop::option::weighted(0.1, Just(2u8));
    (action(), tools, vec(pattern(), 0..2), any::<bool>(), quorum).prop_map(
        |(action, named, question, asks, quorum)| {
            let asks_about = if asks { Vec::new() } else { vec!["de".to_owned()] };
            let conditions = named.map(tool).unwrap_or_default();
            let when = Conditions { question, asks_about, ..conditions };
            let wishes = Wishes { quorum, ..Wishes::default() };
            AskRule { name: "r".to_owned(), when, action, wishes, ..AskRule::default() }
        },
    )
}

fn wishes() -> impl Strategy<Value = Wishes> {
    let wait = prop_oneof![Just(Wait::Forever), (0u64..100_000).prop_map(|s| Wait::For(Duration::from_secs(s)))];
    let undo = (0u64..20).prop_map(Duration::from_secs);
    let terms = (prop::option::of(wait), prop::option::of(undo), prop::option::of(1u8..4), any::<Option<bool>>());
    (terms, any::<bool>()).prop_map(|((wait, undo, quorum, parallel), tells)| {
        let on_expiry = tells.then_some(OnExpiry::Tell);
        Wishes { wait, undo, quorum, parallel, on_expiry, ..Wishes::default() }
    })
}

/// Is this an answer that the ask offers?
pub(crate) fn is_offered(body: &Body, says: &RuleSays) -> bool {
    match (body, says) {
        (Body::Questions(_), RuleSays::No { words }) => !words.is_empty(),
        (_, RuleSays::No { .. }) => false,
        (Body::Questions(questions), RuleSays::Answer(Answer::Questions(picks))) => {
            !questions.is_empty()
                && picks.len() == questions.len()
                && questions.iter().zip(picks).all(|(question, pick)| {
                    let places = &pick.chosen;
                    pick.text.is_none()
                        && !places.is_empty()
                        && (question.multi || places.len() == 1)
                        && places.is_sorted_by(|a, b| a < b)
                        && places.iter().all(|at| usize::from(*at) < question.options.len())
                })
        }
        (Body::Approval(approval), RuleSays::Answer(Answer::Approval(decision))) => match decision {
            Decision::Allow { scope: Scope::Once, edited: None } => approval.tool != "AskUserQuestion",
            Decision::Allow { .. } => false,
            Decision::Deny { words, stop } => words.is_some() && !stop,
        },
        (Body::Plan(_), RuleSays::Answer(Answer::Plan(review))) => {
            !matches!(review, Review::Approve { edited: Some(_) })
        }
        (Body::Form(_), RuleSays::Answer(Answer::Form(filled))) => {
            matches!(filled, askbridge_core::answer::Filled::Decline { words: Some(_) })
        }
        _ => false,
    }
}

fn is_a_yes(action: &Action) -> bool {
    matches!(action, Action::Allow | Action::Answer(_))
}

proptest! {
    #[test]
    fn without_rules_the_terms_are_those_that_an_empty_list_of_rules_gives(all in vec(wishes(), 5), body in body()) {
        let [ask, session, agent, door, otherwise] = <[Wishes; 5]>::try_from(all).unwrap();
        let rules = RuleSet::new(Vec::new(), otherwise);
        let facts = AskFacts { wishes: [&ask, &session, &agent, &door], ..facts(&body) };
        prop_assert_eq!(unruled_terms(&rules, facts.wishes, facts.at), rule_ask(&rules, &facts).terms);
    }

    #[test]
    fn no_rule_makes_an_empty_allow_or_an_answer_that_was_not_offered(body in body(), rules in vec(rule(), 0..6)) {
        let name = match &body { Body::Approval(approval) => approval.tool.clone(), _ => String::new() };
        let call = Named(&name);
        let call: Option<&dyn askbridge_core::rules::asks::Call> =
            matches!(body, Body::Approval(_)).then_some(&call as _);
        let facts = AskFacts { call, ..facts(&body) };
        let rules = set(rules);
        let ruling = rule_ask(&rules, &facts);
        if let Ruled::Says(says) = &ruling.ruled {
            prop_assert!(is_offered(&body, says), "{says:?}");
            let action = &ruling.rule.unwrap().action;
            prop_assert_eq!(action.name() == "deny", !is_a_yes(action));
            prop_assert!(ruling.terms.quorum == 1 || !is_a_yes(action), "a rule is not several people");
        }
        // No yes while a rule that matches says no, or sends it to a person.
        let (same, explained) = explain(&rules, &facts);
        prop_assert_eq!(&same.ruled, &ruling.ruled);
        let matching: Vec<_> =
            explained.iter().filter(|line| !matches!(line.why, Why::Misses { .. })).map(|line| &line.rule.action).collect();
        let rank = |action: &&Action| ["deny", "ask", "park", "allow", "answer"].iter().position(|name| *name == action.name());
        if let Some(rule) = ruling.rule {
            prop_assert!(matching.contains(&&rule.action));
            let class = |action: &Action| rank(&action).map(|rank| [0, 1, 1, 2, 2][rank]);
            prop_assert_eq!(matching.iter().filter_map(|action| class(action)).min(), class(&rule.action));
        } else {
            prop_assert!(matching.iter().all(|action| action.name() == "terms"));
        }
    }
}
