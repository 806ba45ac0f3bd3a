//! Which rule decides, and whose terms count.

use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Pick, RuleSays, Scope};
use askbridge_core::ask::Body;
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{
    Action, AnswerBy, Answers, AskFacts, AskRule, Conditions, Hours, LocalTime, Risk, RuleFile, RuleSet, Ruled,
    TextPattern, Weekday, rule_ask,
};
use askbridge_core::terms::{self, Rule, Rules, Wait, Warm, Wishes};

use super::given::{Named, approval, deny, facts, form, plan, question, rule, set, tool, when};

fn decides(rules: &RuleSet, facts: &AskFacts<'_>) -> Option<String> {
    rule_ask(rules, facts).rule.map(|rule| rule.name.clone())
}

#[test]
fn deny_comes_before_ask_and_ask_before_allow_whatever_the_order_in_the_file() {
    let body = approval("Bash");
    let mut rules = vec![
        rule("allow", Action::Allow),
        rule("terms", Action::Terms),
        rule("ask", Action::Ask),
        deny("first deny"),
        deny("second deny"),
    ];
    assert_eq!(decides(&set(rules.clone()), &facts(&body)).as_deref(), Some("first deny"));
    rules.truncate(3);
    let asks = set(rules.clone());
    assert_eq!(decides(&asks, &facts(&body)).as_deref(), Some("ask"));
    assert_eq!(rule_ask(&asks, &facts(&body)).ruled, Ruled::Ask);
    rules.truncate(2);
    let yes = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None });
    assert_eq!(rule_ask(&set(rules), &facts(&body)).ruled, Ruled::Says(RuleSays::Answer(yes)));
    assert_eq!(rule_ask(&set(vec![rule("terms", Action::Terms)]), &facts(&body)).ruled, Ruled::Ask);
}

#[test]
fn every_condition_must_hold_and_of_a_list_one_is_enough() {
    let body = approval("Bash");
    let call = Named("Bash");
    let local = Some(LocalTime { minute: 23 * 60, weekday: Weekday::Friday });
    let facts = AskFacts { call: Some(&call), local, present: Some(false), decided_before: 4, ..facts(&body) };
    let texts = |list: &[&str]| list.iter().map(|text| TextPattern::new(*text)).collect::<Vec<_>>();
    let good = Conditions {
        door: texts(&["http", "claude"]),
        agent: texts(&["cl*"]),
        session: texts(&["Rel*"]),
        folder: vec!["/srv".to_owned()],
        branch: texts(&["main"]),
        kind: vec![askbridge_core::ask::Kind::Approval],
        input: vec![("command".to_owned(), texts(&["ma*"]))],
        asks_about: vec!["BASH".to_owned()],
        hours: vec![Hours::read("22:00-07:00").unwrap()],
        weekdays: vec![Weekday::Friday],
        present: Some(false),
        decided_before: Some(4),
        ..tool("Bash")
    };
    let matches =
        |when: Conditions| decides(&set(vec![AskRule { when, ..rule("r", Action::Allow) }]), &facts).is_some();
    assert!(matches(good.clone()));
    assert!(matches(Conditions { session: texts(&["ses_1"]), ..good.clone() }));
    for bad in [
        Conditions { door: texts(&["http"]), ..good.clone() },
        Conditions { agent: texts(&["codex"]), ..good.clone() },
        Conditions { session: texts(&["Other"]), ..good.clone() },
        Conditions { folder: vec!["/srv/ap".to_owned()], ..good.clone() },
        Conditions { branch: texts(&["release/*"]), ..good.clone() },
        Conditions { kind: vec![askbridge_core::ask::Kind::Plan], ..good.clone() },
        Conditions { input: vec![("command".to_owned(), texts(&["rm*"]))], ..good.clone() },
        Conditions { input: vec![("path".to_owned(), texts(&["*"]))], ..good.clone() },
        Conditions { asks_about: vec!["write".to_owned()], ..good.clone() },
        Conditions { hours: vec![Hours::read("07:00-22:00").unwrap()], ..good.clone() },
        Conditions { weekdays: vec![Weekday::Monday], ..good.clone() },
        Conditions { present: Some(true), ..good.clone() },
        Conditions { decided_before: Some(5), ..good.clone() },
        Conditions { tool: tool("Write").tool, ..good.clone() },
        Conditions { question: texts(&["*"]), ..good },
    ] {
        assert!(!matches(bad.clone()), "{bad:?}");
    }
}

#[test]
fn what_is_not_known_matches_no_condition_on_it() {
    let body = approval("Bash");
    for unknown in [
        Conditions { present: Some(false), ..Conditions::default() },
        Conditions { present: Some(true), ..Conditions::default() },
        Conditions { hours: vec![Hours::read("00:00-24:00").unwrap()], ..Conditions::default() },
        Conditions { weekdays: Weekday::ALL.to_vec(), ..Conditions::default() },
        tool("Bash"),
    ] {
        assert_eq!(decides(&set(vec![when(unknown, deny("no"))]), &facts(&body)), None);
    }
}

#[test]
fn the_terms_of_the_deciding_rule_come_first_then_those_of_each_that_matches() {
    let body = approval("Bash");
    let waits = |secs| Some(Wait::For(Duration::from_secs(secs)));
    let wishes =
        |secs, undo: Option<u64>| Wishes { wait: secs, undo: undo.map(Duration::from_secs), ..Wishes::default() };
    let rules = set(vec![
        AskRule { wishes: wishes(waits(1), None), ..rule("first", Action::Terms) },
        AskRule { wishes: wishes(waits(2), Some(3)), ..rule("second", Action::Terms) },
        AskRule { wishes: wishes(waits(9), None), ..rule("asks", Action::Ask) },
    ]);
    let terms = rule_ask(&rules, &facts(&body)).terms;
    assert_eq!((terms.deadline, terms.undo), (Some(Timestamp(10_000)), Duration::from_secs(3)));
}

#[test]
fn a_parked_ask_is_a_persons_and_its_process_is_not_kept() {
    let ruling = set(vec![rule("allow", Action::Allow), rule("park", Action::Park)]);
    let (body, warm) = (approval("Bash"), Warm::For(Duration::ZERO));
    let ruling = rule_ask(&ruling, &facts(&body));
    assert_eq!((ruling.ruled, ruling.terms.warm), (Ruled::Ask, warm));
}

#[test]
fn where_several_people_have_to_agree_no_rule_says_yes_but_one_may_say_no() {
    let body = approval("Bash");
    let two = Wishes { quorum: Some(2), ..Wishes::default() };
    let facts =
        AskFacts { wishes: [&two, &super::given::NONE, &super::given::NONE, &super::given::NONE], ..facts(&body) };
    assert_eq!(rule_ask(&set(vec![rule("allow", Action::Allow)]), &facts).ruled, Ruled::AskSeveral);
    assert!(matches!(rule_ask(&set(vec![deny("no")]), &facts).ruled, Ruled::Says(_)));
}

#[test]
fn a_rule_answers_every_question_or_none_of_them() {
    let asked = |labels: &[&[&str]]| {
        Body::Questions(labels.iter().enumerate().map(|(at, labels)| question(&format!("Q{at}"), labels)).collect())
    };
    let says = |by: Answers, body: &Body| match rule_ask(&set(vec![rule("r", Action::Answer(by))]), &facts(body)).ruled
    {
        Ruled::Says(RuleSays::Answer(Answer::Questions(picks))) => {
            Some(picks.into_iter().map(|pick: Pick| pick.chosen).collect::<Vec<_>>())
        }
        Ruled::Ask => None,
        other => panic!("{other:?}"),
    };
    let label = |label: &str| AnswerBy::Labels(vec![label.to_owned()]);
    let both = asked(&[&["A", "B"], &["B (Recommended)", "C"]]);
    assert_eq!(says(Answers::All(AnswerBy::First), &both), Some(vec![vec![0], vec![0]]));
    assert_eq!(says(Answers::All(AnswerBy::Index(1)), &both), Some(vec![vec![1], vec![1]]));
    assert_eq!(says(Answers::All(label("B")), &both), None, "the second does not offer it");
    assert_eq!(says(Answers::All(AnswerBy::Recommended), &both), None, "the first recommends nothing");
    assert_eq!(says(Answers::All(AnswerBy::Index(2)), &both), None);
    let each =
        |second: AnswerBy| Answers::Each(vec![(TextPattern::new("Q0"), label("B")), (TextPattern::new("Q1"), second)]);
    assert_eq!(says(each(AnswerBy::Recommended), &both), Some(vec![vec![1], vec![0]]));
    assert_eq!(says(Answers::Each(vec![(TextPattern::new("Q0"), label("B"))]), &both), None);
    assert_eq!(says(Answers::All(AnswerBy::First), &asked(&[&[]])), None, "free text has no first option");
    let two = AnswerBy::Labels(vec!["A".to_owned(), "B".to_owned()]);
    assert_eq!(says(Answers::All(two), &asked(&[&["A", "B"]])), None, "only one may be chosen");
}

#[test]
fn a_rule_that_answers_must_match_every_question_and_one_that_denies_need_match_one() {
    let body = Body::Questions(vec![question("Deploy?", &["Yes"]), question("Delete all?", &["Yes"])]);
    let about = |text: &str| Conditions { question: vec![TextPattern::new(text)], ..Conditions::default() };
    let answers = rule("yes", Action::Answer(Answers::All(AnswerBy::First)));
    assert_eq!(decides(&set(vec![when(about("Deploy*"), answers.clone())]), &facts(&body)), None);
    assert!(decides(&set(vec![when(about("De*"), answers)]), &facts(&body)).is_some());
    assert!(decides(&set(vec![when(about("Delete*"), deny("no"))]), &facts(&body)).is_some());
}

#[test]
fn a_denial_fits_every_kind_and_a_question_is_refused_in_words() {
    let rules = set(vec![deny("no")]);
    let questions = Body::Questions(vec![question("Which?", &["A"])]);
    for body in [approval("Bash"), plan(), form()] {
        assert!(matches!(rule_ask(&rules, &facts(&body)).ruled, Ruled::Says(RuleSays::Answer(_))));
    }
    let no = Ruled::Says(RuleSays::No { words: "no says no".to_owned() });
    assert_eq!(rule_ask(&rules, &facts(&questions)).ruled, no);
}

#[test]
fn the_rules_of_the_settings_give_the_same_terms_as_before() {
    let body = Body::Questions(vec![question("Deploy now?", &["Yes"])]);
    let timed = |name: &str, secs, agent: Option<&str>| Rule {
        name: name.to_owned(),
        agent: agent.map(str::to_owned),
        header: Some("Header".to_owned()),
        asks_about: Some("DEPLOY".to_owned()),
        wishes: Wishes { wait: Some(Wait::For(Duration::from_secs(secs))), ..Wishes::default() },
        ..Rule::default()
    };
    let second = Wishes { quorum: Some(3), ..Wishes::default() };
    let list = vec![
        timed("of another agent", 1, Some("codex")),
        timed("first", 2, None),
        Rule { name: "second".to_owned(), wishes: second, ..Rule::default() },
    ];
    let otherwise = Wishes { undo: Some(Duration::from_secs(7)), ..Wishes::default() };
    let rules = Rules { list, otherwise };
    let new = facts(&body);
    let old = terms::Facts {
        at: new.at,
        door: new.door,
        agent: new.agent,
        folder: new.folder,
        headline: "Deploy now?",
        header: Some("Header"),
        wishes: new.wishes,
    };
    let before = terms::terms(&rules, &old);
    assert_eq!((before.deadline, before.quorum), (Some(Timestamp(3_000)), 1), "the second rule counts for nothing");
    assert_eq!(rule_ask(&RuleSet::from(rules.clone()), &new).terms, before);
    // A later file adds to them, and does not come before them.
    let later = AskRule {
        wishes: Wishes { quorum: Some(2), wait: Some(Wait::Forever), ..Wishes::default() },
        ..rule("later", Action::Terms)
    };
    let otherwise = rules.otherwise.clone();
    let later = RuleFile { terms: askbridge_core::rules::asks::TermsOf::Every, rules: vec![later] };
    let both = RuleSet::new(vec![rules.into(), later], otherwise);
    let terms = rule_ask(&both, &new).terms;
    assert_eq!((terms.deadline, terms.quorum), (Some(Timestamp(3_000)), 2));
}

#[test]
fn of_ten_thousand_rules_only_those_that_can_match_are_compared() {
    let rules = set((0..10_000).map(|at| when(tool(&format!("Tool{at}")), deny("no"))).collect());
    let (body, call) = (approval("Tool7777"), Named("Tool7777"));
    let ruling = rule_ask(&rules, &AskFacts { call: Some(&call), ..facts(&body) });
    assert!(matches!(ruling.ruled, Ruled::Says(_)));
    assert_eq!(ruling.compared, 1);
    assert_eq!(rule_ask(&rules, &facts(&plan())).compared, 0);
}

#[test]
fn a_title_that_reads_like_an_id_does_not_pass_for_that_session() {
    let body = approval("Bash");
    let rules = set(vec![when(
        Conditions { session: vec![TextPattern::new("ses_9"), TextPattern::new("Release")], ..Conditions::default() },
        deny("a"),
    )]);
    let matches = |session, title| {
        let facts = AskFacts { session: Some(session), title: Some(title), ..facts(&body) };
        rule_ask(&rules, &facts).rule.is_some()
    };
    assert!(matches("ses_9", "x") && matches("ses_1", "Release"));
    assert!(!matches("ses_1", "ses_9"));
}

#[test]
fn a_hint_sends_a_call_to_a_person_and_never_lets_one_run() {
    let risky = || Conditions { risk: vec![Risk::Deletes, Risk::System], ..Conditions::default() };
    let of = |tool: &str, rules: Vec<AskRule>| {
        let (body, call) = (approval(tool), Named(tool));
        let rules = set(rules);
        let ruling = rule_ask(&rules, &AskFacts { call: Some(&call), ..facts(&body) });
        ruling.rule.map(|rule| rule.name.clone())
    };
    let rules = || vec![when(risky(), rule("careful", Action::Ask)), rule("rest", Action::Allow)];
    assert_eq!(of("Delete", rules()).as_deref(), Some("careful"));
    assert_eq!(of("Bash", rules()).as_deref(), Some("rest"), "it has no hint");
    // No file can have such a rule; the engine refuses it all the same.
    assert_eq!(of("Delete", vec![when(risky(), rule("reckless", Action::Allow))]), None);
    let (body, none) = (plan(), set(vec![when(risky(), deny("calls"))]));
    assert_eq!(rule_ask(&none, &facts(&body)).ruled, Ruled::Ask, "hints are about calls");
}
