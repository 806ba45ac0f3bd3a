//! Long files and hostile commands.

use askbridge_core::limits;
use askbridge_core::rules::asks::{Call, RuleSet};
use askbridge_policy::{Example, JsonCall, read};
use proptest::prelude::*;

fn rules(text: &str) -> RuleSet {
    RuleSet::new(vec![read("rules.toml", text, None).unwrap().into_file()], Default::default())
}

#[test]
fn of_ten_thousand_rules_only_those_that_begin_or_lie_in_the_same_place_are_compared() {
    let compared = |tool: fn(usize) -> String, ask: &str| {
        let rule = |at| format!("[[rules]]\nname = \"r{at}\"\ndo = \"allow\"\ntool = \"{}\"\n", tool(at));
        let rules = rules(&(0..10_000).map(rule).collect::<String>());
        let ask = Example::ask_of(ask).unwrap();
        let ruling = ask.with_facts(|facts| askbridge_core::rules::asks::rule_ask(&rules, facts));
        (ruling.rule.map(|rule| rule.name.clone()), ruling.compared)
    };
    let one = (Some("r7777".to_owned()), 1);
    assert_eq!(compared(|at| format!("Bash(cmd{at} run *)"), "command = \"cmd7777 run x && cmd7777 run y\""), one);
    assert_eq!(compared(|at| format!("Bash(npm run{at} *)"), "command = \"npm run7777 x\""), one);
    assert_eq!(compared(|at| format!("mcp__s{at}__get"), "tool = \"mcp__s7777__get\""), one);
    let path = "tool = \"Edit\"\ninput = { file_path = \"/w/src7777/a.ts\" }\nfolder = \"/w\"";
    assert_eq!(compared(|at| format!("Edit(/src{at}/**)"), path), one);
}

/// Rules about texts and folders, each of which only one rule is about.
#[test]
fn of_ten_thousand_rules_about_texts_and_folders_few_are_compared() {
    let compared = |condition: fn(usize) -> String, ask: &str| {
        let rule = |at| format!("[[rules]]\nname = \"r{at}\"\ndo = \"ask\"\n{}\n", condition(at));
        let rules = rules(&(0..10_000).map(rule).collect::<String>());
        let ask = Example::ask_of(ask).unwrap();
        let ruling = ask.with_facts(|facts| askbridge_core::rules::asks::rule_ask(&rules, facts));
        assert_eq!(ruling.rule.map(|rule| rule.name.as_str()), Some("r7777"), "{}", condition(7777));
        ruling.compared
    };
    let question =
        "question = \"Deploy service 7777 to production?\"\noptions = [\"Ship 7777\", \"No\"]\nheader = \"S7777\"";
    assert!(compared(|at| format!("question = \"Deploy service {at} to *\""), question) < 50);
    assert!(compared(|at| format!("header = \"S{at}\""), question) < 50);
    assert!(compared(|at| format!("option = \"Ship {at}\""), question) < 50);
    assert!(compared(|at| format!("asks_about = \"SERVICE {at}\""), question) < 50);
    let call = "command = \"x\"\nfolder = \"/w/p7777/sub\"\nbranch = \"fix-7777\"";
    assert_eq!(compared(|at| format!("folder = \"/w/p{at}\""), call), 1);
    assert!(compared(|at| format!("branch = \"fix-{at}\""), call) < 50);
    let input = "tool = \"mcp__x__get\"\ninput = { name = \"item 7777\" }";
    assert!(compared(|at| format!("input.name = \"item {at}\""), input) < 50);
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
    #[test]
    fn no_command_breaks_the_reader(text in r#"[a-zé '"`$(){}<>|&;\\#\n=*!~-]{0,60}"#) {
        let input = serde_json::json!({"command": text}).to_string();
        let call = JsonCall::new("Bash", &input);
        let script = call.script().unwrap();
        prop_assert!(script.suspects.contains(&text.trim().to_owned()));
        prop_assert!(script.plain.as_ref().is_none_or(|parts| parts.iter().all(|part| !part.text.is_empty())));
    }

    #[test]
    fn no_file_breaks_the_reader(text in r#"(\[\[rules\]\]\n|name = "[a-z]"\n|do = "[a-z]{3,5}"\n|tool = "[A-Za-z_]{1,5}(\([a-z*:/ ~]{0,6}\))?"\n|[a-z="\[\]\n]{0,9}){0,12}"#) {
        let _ = read("rules.toml", &text, Some("/home/ada"));
    }
}

proptest! {
    /// The index leaves out no rule that matches.
    #[test]
    fn a_rule_that_holds_is_found(
        command in "(sudo |A=1 |x; |)(frob|git|a)( push| test|  b|)( c| d|)( && frob test|)",
        pattern in "(frob|git|a|\\*)( push| test| b| \\*|)( c| \\*|:\\*|)",
        verb in prop::sample::select(&["allow", "ask"]),
        path in "(/w/|/etc/|)(src/|\\.\\./|x/)?(a|b)\\.ts",
        glob in "(//|~/|/|)(src|etc|w|\\*\\*)/(\\*\\.ts|a\\.ts|\\*\\*)",
    ) {
        let rule = |tool: &str| format!("[[rules]]\nname = \"r\"\ndo = \"{verb}\"\ntool = \"{tool}\"\n");
        let asks = [
            (rule(&format!("Bash({pattern})")), format!("command = \"{command}\"")),
            (rule(&format!("Edit({glob})")), format!("tool = \"Edit\"\ninput = {{ file_path = \"{path}\" }}\nfolder = \"/w\"")),
        ];
        for (file, ask) in asks {
            let rules = RuleSet::new(vec![read("r", &file, Some("/w/home")).unwrap().into_file()], Default::default());
            let ask = Example::ask_of(&ask).unwrap();
            // `explain` compares every rule, without the index.
            let (ruling, explained) = ask.explain(&rules);
            let matches = !matches!(explained[0].why, askbridge_core::rules::asks::Why::Misses { .. });
            prop_assert_eq!(ruling.rule.is_some(), matches, "{}", file);
        }
    }
}

proptest! {
    /// Neither does the index of texts and folders.
    #[test]
    fn a_rule_about_texts_that_holds_is_found(
        question in "[a-c ]{0,12}",
        pattern in "[a-c*]{1,6}",
        about in "[a-cA-C]{1,4}",
        folder in "(/[ab]){1,3}/?",
        root in "(/[ab]){1,2}/?",
        which in 0..6usize,
        verb in prop::sample::select(&["answer", "ask"]),
    ) {
        let condition = match which {
            0 => format!("question = \"{pattern}\""),
            1 => format!("option = [\"{pattern}\", \"abc\"]"),
            2 => format!("asks_about = \"{about}\""),
            3 => format!("folder = \"{root}\""),
            4 => format!("branch = \"{pattern}\"\nquestion = \"*{pattern}*\""),
            _ => format!("header = \"{pattern}\"\nfolder = \"{root}\""),
        };
        let answer = if verb == "answer" { "answer = \"first\"\n" } else { "" };
        let file = format!("[[rules]]\nname = \"r\"\ndo = \"{verb}\"\n{answer}{condition}\n");
        let text = format!(
            "question = \"{question}?\"\noptions = [\"{question}\", \"x\"]\nheader = \"{question}\"\nfolder = \"{folder}\"\nbranch = \"{question}\""
        );
        let rules = RuleSet::new(vec![read("r", &file, None).unwrap().into_file()], Default::default());
        let ask = Example::ask_of(&text).unwrap();
        let (ruling, explained) = ask.explain(&rules);
        let matches = !matches!(explained[0].why, askbridge_core::rules::asks::Why::Misses { .. });
        prop_assert_eq!(ruling.rule.is_some(), matches, "{}{}", file, text);
    }
}
