//! Why a rule did not match.

use askbridge_core::rules::asks::{Action, Conditions, TextPattern, Why, explain};

use super::given::{approval, deny, facts, rule, set, when};

#[test]
fn each_rule_says_what_it_missed_with_the_value_it_found() {
    let body = approval("Bash");
    let texts = |text: &str| vec![TextPattern::new(text)];
    let rules = set(vec![
        when(Conditions { branch: texts("release/*"), ..Conditions::default() }, deny("branch")),
        when(Conditions { folder: vec!["/srv/other".to_owned()], ..Conditions::default() }, deny("folder")),
        when(Conditions { input: vec![("command".to_owned(), texts("rm *"))], ..Conditions::default() }, deny("input")),
        rule(
            "answers",
            Action::Answer(askbridge_core::rules::asks::Answers::All(askbridge_core::rules::asks::AnswerBy::First)),
        ),
        rule("allows", Action::Allow),
        deny("denies"),
    ]);
    let (ruling, explained) = explain(&rules, &facts(&body));
    assert_eq!(ruling.rule.map(|rule| rule.name.as_str()), Some("denies"));
    let told: Vec<_> = explained
        .iter()
        .map(|line| match &line.why {
            Why::Misses { name, wants, has, .. } => format!("{}: {name} wants {wants}, has {has}", line.rule.name),
            why => format!("{}: {why:?}", line.rule.name),
        })
        .collect();
    assert_eq!(
        told,
        [
            "branch: branch wants `release/*`, has `main`",
            "folder: folder wants `/srv/other`, has `/srv/app`",
            "input: input.command wants `rm *`, has none",
            "answers: do wants an answer that every question offers, has approval",
            "allows: Matches",
            "denies: Decides",
        ]
    );
}
