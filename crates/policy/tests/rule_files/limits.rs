//! Long files and hostile commands.

use askbridge_core::limits;
use askbridge_core::rules::asks::{Call, RuleSet};
use askbridge_policy::{Example, JsonCall, read};
use proptest::prelude::*;

fn rules(text: &str) -> RuleSet {
    RuleSet::new(vec![read("rules.toml", text, None).unwrap().into_file()], Default::default())
}

#[test]
fn of_ten_thousand_rules_for_commands_only_those_with_the_same_first_word_are_compared() {
    let rule = |at: usize| format!("[[rules]]\nname = \"r{at}\"\ndo = \"allow\"\ntool = \"Bash(cmd{at} run *)\"\n");
    let rules = rules(&(0..10_000).map(rule).collect::<String>());
    let ask = Example::ask_of("command = \"cmd7777 run x && cmd7777 run y\"").unwrap();
    let ruling = ask.with_facts(|facts| askbridge_core::rules::asks::rule_ask(&rules, facts));
    assert_eq!((ruling.rule.map(|rule| rule.name.as_str()), ruling.compared), (Some("r7777"), 1));
}

#[test]
fn what_is_beyond_a_limit_is_refused_and_says_so() {
    let what = |text: &str| read("rules.toml", text, None).unwrap_err()[0].what.clone();
    let long = "x".repeat(limits::RULE_TEXT_BYTES_MAX + 1);
    assert!(what(&format!("[[rules]]\nname = \"a\"\ndo = \"ask\"\nagent = \"{long}\"")).contains("longer than"));
    let many = vec!["a"; limits::RULE_PATTERNS_MAX + 1];
    assert!(what(&format!("[[rules]]\nname = \"a\"\ndo = \"ask\"\nagent = {many:?}")).contains("at most 256 fit"));
    let rules = "[[rules]]\n".repeat(limits::RULES_MAX + 1);
    assert!(what(&rules).contains("at most 20000 fit into a file"));
    assert!(what(&"#".repeat(limits::RULES_BYTES_MAX + 1)).contains("longer than a rule file"));
}

#[test]
fn a_command_that_is_too_long_is_allowed_by_no_pattern() {
    let long = format!("frob {}", "x".repeat(limits::RULED_COMMAND_BYTES_MAX));
    let input = serde_json::json!({"command": long}).to_string();
    assert!(JsonCall::new("Bash", &input).script().unwrap().plain.is_none());
}

proptest! {
    /// Whatever the text, it is read without a panic, and what is plain has no character in it that a shell expands.
    #[test]
    fn no_command_breaks_the_reader(text in r#"[a-z '"`$(){}<>|&;\\#\n=*!~-]{0,60}"#) {
        let input = serde_json::json!({"command": text}).to_string();
        let call = JsonCall::new("Bash", &input);
        let script = call.script().unwrap();
        if script.plain.is_some() {
            let quoted = text.split('\'').step_by(2).collect::<String>();
            // Backslashes take the meaning of what follows them.
            let bare = without_escapes(&quoted);
            prop_assert!(!bare.contains(['`', '$', '(', ')']) || text.contains(['\'', '#']), "{text}");
        }
    }

    #[test]
    fn no_file_breaks_the_reader(text in r#"(\[\[rules\]\]\n|name = "[a-z]"\n|do = "[a-z]{3,5}"\n|tool = "[A-Za-z_]{1,5}(\([a-z*:/ ~]{0,6}\))?"\n|[a-z="\[\]\n]{0,9}){0,12}"#) {
        let _ = read("rules.toml", &text, Some("/home/ada"));
    }
}

/// Removes each backslash with the character after it.
fn without_escapes(text: &str) -> String {
    let mut chars = text.chars();
    let mut bare = String::new();
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else {
            bare.push(c);
        }
    }
    bare
}
