//! The table under our rules.

use askbridge_core::rules::asks::{AskFacts, RuleFile, RuleSet, TermsOf, rule_ask};
use askbridge_core::terms::Wishes;
use askbridge_policy::{Example, JsonCall, Outcome, read};

use crate::table::{Case, Group, groups};

const FOLDER: &str = "/srv/desk";

/// The rules of a group as a file of ours: one for each verb, with all its strings.
pub(crate) fn rules(group: &Group) -> RuleSet {
    let verbs = [("deny", &group.deny), ("ask", &group.ask), ("allow", &group.allow)];
    let rule = |(verb, tools): &(&str, &Vec<String>)| {
        let words = if *verb == "deny" { "words = \"No.\"\n" } else { "" };
        format!("[[rules]]\nname = \"{verb}\"\ndo = \"{verb}\"\n{words}tool = {tools:?}\n")
    };
    let text: String = verbs.iter().filter(|(_, tools)| !tools.is_empty()).map(rule).collect();
    let loaded = read("rules.toml", &text, Some("/home/ada")).unwrap();
    RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules: loaded.rules }], Wishes::default())
}

fn becomes(rules: &RuleSet, case: &Case) -> String {
    let mut ask = Example::ask_of("tool = \"Bash\"").unwrap();
    let input = case.input_in(FOLDER).to_string();
    let call = JsonCall::new(&case.tool, &input);
    if let askbridge_core::ask::Body::Approval(approval) = &mut ask.body {
        (approval.tool, approval.input) = (case.tool.clone(), input.as_str().into());
    }
    ask.with_facts(|facts| {
        let facts = AskFacts { folder: Some(FOLDER), call: Some(&call), ..*facts };
        Outcome::of(&rule_ask(rules, &facts), &ask.body).text().to_owned()
    })
}

#[test]
fn every_call_of_the_table_becomes_what_it_says() {
    let mut wrong = Vec::new();
    for group in groups() {
        let rules = rules(&group);
        for case in &group.cases {
            let is = becomes(&rules, case);
            if is != case.is {
                wrong.push(format!("{}: wanted {}, is {is}", case.shown(), case.is));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn we_never_allow_what_the_cli_does_not_and_deny_what_it_denies() {
    for case in groups().iter().flat_map(|group| &group.cases) {
        let cli = case.cli.as_ref().unwrap_or(&case.is);
        assert!(case.is != "allow" || cli == "allow", "{}", case.shown());
        let into_commands = case.tool == "Bash" && case.is == "none";
        assert!(cli != "deny" || case.is == "deny" || into_commands, "{}", case.shown());
    }
}
