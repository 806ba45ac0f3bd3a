//! The rules of the documents, as they stand there.

use std::collections::HashSet;

use askbridge_core::rules::asks::RuleSet;
use askbridge_policy::read;

const COOKBOOK: &str = include_str!("../../../../docs/guides/rules.md");
const RULES: &str = include_str!("../../../../docs/concepts/rules.md");

fn blocks(page: &str) -> Vec<&str> {
    page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn every_rule_of_the_cookbook_does_what_its_examples_say_alone_and_among_the_others() {
    let whole = blocks(COOKBOOK).concat();
    let loaded = read("rules.md", &whole, Some("/home/ada")).unwrap();
    assert!(loaded.rules.len() >= 20);
    let examples = loaded.examples.clone();
    let names: Vec<_> = loaded.rules.iter().map(|rule| rule.name.clone()).collect();
    let all = RuleSet::new(vec![loaded.into_file()], Default::default());
    for example in &examples {
        assert_eq!(example.run(&all), Ok(()), "{}", example.beside);
    }
    let shown: HashSet<_> =
        examples.iter().filter(|example| example.expected.text() != "none").map(|it| &it.beside).collect();
    for name in &names {
        assert!(shown.contains(name), "no example shows that `{name}` matches");
    }
    for block in blocks(COOKBOOK) {
        let loaded = read("rules.md", block, Some("/home/ada")).unwrap();
        let examples = loaded.examples.clone();
        let alone = RuleSet::new(vec![loaded.into_file()], Default::default());
        for example in examples {
            assert_eq!(example.run(&alone), Ok(()), "{}", example.beside);
        }
    }
}

#[test]
fn the_rules_of_the_page_about_rules_can_be_read_and_it_names_every_key() {
    for block in blocks(RULES) {
        let loaded = read("rules.md", block, Some("/home/ada")).unwrap();
        let examples = loaded.examples.clone();
        let rules = RuleSet::new(vec![loaded.into_file()], Default::default());
        examples.iter().for_each(|example| assert_eq!(example.run(&rules), Ok(()), "{}", example.beside));
    }
    let keys = askbridge_policy::KEYS.iter().map(|(key, _)| *key).chain(askbridge_policy::TERMS.iter().copied());
    for key in keys.filter(|key| *key != "input" && *key != "name" && *key != "examples") {
        assert!(RULES.contains(&format!("`{key}`")), "the page does not name `{key}`");
    }
}
