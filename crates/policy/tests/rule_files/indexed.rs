//! The index finds the rules that comparing every rule finds.

use askbridge_core::rules::asks::{AskFacts, Call, RuleSet, Why, explain, rule_ask};
use askbridge_policy::{Example, ExampleAsk, JsonCall, read};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Texts that share many pieces, and some that are shorter than one.
fn text() -> impl Strategy<Value = String> {
    "(dep|deploy|test|to| |ab|a){1,4}"
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![text(), "(dep|deploy|test|to| |a|\\*){1,4}"]
}

/// One `Tool(spec)` string.
fn tool() -> impl Strategy<Value = String> {
    let command = "(git|npm|\\*)( push| run|)( \\*| a\\*|:\\*| \\* b|)";
    let path = "(//|~/|/|\\./|)(src|Src|lib|s\\*|\\*\\*|work)(/(a\\.ts|\\*\\.ts|a?\\.t|\\[a-c\\]\\.ts|\\*\\*))?";
    prop_oneof![
        command.prop_map(|spec| format!("Bash({spec})")),
        (select(&["Read", "Edit"]), path).prop_map(|(tool, spec)| format!("{tool}({spec})")),
        "(\\*\\.|)(a|docs|evil)\\.(com|example)".prop_map(|spec| format!("WebFetch(domain:{spec})")),
        "mcp__(git|hub)__(get|\\*)".prop_map(|tool| tool),
        pattern().prop_map(|value| format!("mcp__git__get(name:{})", value.trim())),
        "Skill\\((deploy|dep\\*)( to| \\*|)\\)".prop_map(|tool| tool),
        select(&["Bash", "Agent(plan)", "Task(plan)", "Edit", "WebFetch"]).prop_map(str::to_owned),
    ]
}

fn list(values: &[String]) -> String {
    format!("{values:?}")
}

/// Lines of a rule about questions, or about calls.
fn conditions() -> impl Strategy<Value = String> {
    let some = || vec(pattern(), 1..3);
    let general = || {
        prop_oneof![
            3 => Just(String::new()),
            2 => "(/w|/w/src|/w/lib|/etc|/w/src/)".prop_map(|folder| format!("folder = {folder:?}\n")),
            1 => some().prop_map(|list_of| format!("branch = {}\n", list(&list_of))),
            1 => select(&["http", "h*", "claude"]).prop_map(|door| format!("door = {door:?}\n")),
            1 => some().prop_map(|list_of| format!("session = {}\n", list(&list_of))),
            1 => text().prop_map(|words| format!("asks_about = {:?}\n", words.to_uppercase())),
        ]
    };
    let asking = prop_oneof![
        some().prop_map(|list_of| format!("question = {}\n", list(&list_of))),
        some().prop_map(|list_of| format!("header = {}\n", list(&list_of))),
        some().prop_map(|list_of| format!("option = {}\n", list(&list_of))),
        (some(), some()).prop_map(|(one, other)| format!("question = {}\noption = {}\n", list(&one), list(&other))),
    ];
    let calling = prop_oneof![
        vec(tool(), 1..3).prop_map(|tools| format!("tool = {}\n", list(&tools))),
        some().prop_map(|list_of| format!("input.name = {}\n", list(&list_of))),
        (tool(), some()).prop_map(|(tool, list_of)| format!("tool = {tool:?}\ninput.name = {}\n", list(&list_of))),
    ];
    prop_oneof![
        (general(), asking).prop_map(|(one, other)| one + &other),
        (general(), calling).prop_map(|(one, other)| one + &other),
        general(),
    ]
}

fn rule() -> impl Strategy<Value = String> {
    let act =
        ["do = \"ask\"", "do = \"deny\"", "do = \"park\"", "do = \"allow\"", "do = \"answer\"\nanswer = \"first\""];
    (select(act.to_vec()), conditions()).prop_map(|(act, conditions)| format!("{act}\n{conditions}"))
}

fn input() -> impl Strategy<Value = (String, String)> {
    let path = "(/w/|/w/home/|~/|\\./|/etc/| /w/|)((src|SRC|lib|\\.\\./w/src|work)/)?(a|b|é)\\.(ts|t)";
    let field = |name: &'static str, value: String| serde_json::json!({ name: value }).to_string();
    prop_oneof![
        "(sudo |A=1 |)(git|npm)( push| run|  push|)( a b| ab|)( && npm run|; \\$\\(x\\)|)"
            .prop_map(move |text| ("Bash".to_owned(), field("command", text))),
        (select(&["Edit", "Read", "Write"]), path)
            .prop_map(move |(tool, path)| (tool.to_owned(), field("file_path", path))),
        (select(&["Grep", "Glob"]), select(&["src/*.ts", "/etc/*", "*"]))
            .prop_map(|(tool, glob)| (tool.to_owned(), serde_json::json!({"pattern": glob, "glob": glob}).to_string())),
        "https://((x\\.)?(a|docs|evil))\\.(com|example)/p"
            .prop_map(move |url| ("WebFetch".to_owned(), field("url", url))),
        ("mcp__(git|hub)__get", text()).prop_map(move |(tool, name)| (tool, field("name", name))),
        ("(deploy|dep)", select(&["", "to x"])).prop_map(|(skill, args)| {
            ("Skill".to_owned(), serde_json::json!({"skill": skill, "args": args}).to_string())
        }),
        select(&["plan", "other"]).prop_map(move |kind| ("Task".to_owned(), field("subagent_type", kind.to_owned()))),
        // Dark: a rule that denies or asks must not be evaded.
        select(&["Bash", "Edit", "WebFetch", "mcp__git__get"])
            .prop_map(|tool| (tool.to_owned(), "{no json".to_owned())),
        Just(("Bash".to_owned(), "{\"command\": 7, \"name\": \"deploy\"}".to_owned())),
    ]
}

/// What rules look at besides what is asked.
fn around() -> impl Strategy<Value = String> {
    let folder =
        prop_oneof![Just(String::new()), "(/w|/w/src|/w/src/x|/w/lib/|/etc|/w/src/\\.\\./lib)".prop_map(|it| it)];
    (folder, text(), text()).prop_map(|(folder, branch, title)| {
        let folder = if folder.is_empty() { folder } else { format!("folder = {folder:?}\n") };
        format!("{folder}branch = {branch:?}\nsession = {title:?}\n")
    })
}

fn questions() -> impl Strategy<Value = String> {
    (text(), vec(text(), 1..4), text()).prop_map(|(question, mut options, header)| {
        options.sort_unstable();
        options.dedup();
        format!("question = \"{question}?\"\noptions = {}\nheader = {header:?}\n", list(&options))
    })
}

fn same(rules: &RuleSet, facts: &AskFacts<'_>, file: &str) -> Result<(), TestCaseError> {
    let found = rule_ask(rules, facts);
    // `explain` compares every rule, without the index.
    let (_, explained) = explain(rules, facts);
    let matching = explained.iter().filter(|one| !matches!(one.why, Why::Misses { .. })).map(|one| one.rule);
    let rank = |action: &str| match action {
        "deny" => 0,
        "ask" | "park" => 1,
        _ => 2,
    };
    let decides = matching.min_by_key(|rule| rank(rule.action.name()));
    let name = |rule: Option<&askbridge_core::rules::asks::AskRule>| rule.map(|rule| rule.name.clone());
    prop_assert_eq!(name(found.rule), name(decides), "{}", file);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_index_decides_as_comparing_every_rule_does(
        rules in vec(rule(), 1..24),
        around in around(),
        questions in questions(),
        (tool, input) in input(),
    ) {
        // A rule that cannot be read, as one that would allow the tools of every server, is left out.
        let named = |(at, rule): (usize, String)| format!("[[rules]]\nname = \"r{at}\"\n{rule}");
        let good = rules.into_iter().enumerate().map(named).filter(|rule| read("r", rule, Some("/w/src")).is_ok());
        let file: String = good.collect();
        let rules = RuleSet::new(vec![read("r", &file, Some("/w/src")).unwrap().into_file()], Default::default());
        let asked: ExampleAsk = Example::ask_of(&(questions + &around)).unwrap();
        asked.with_facts(|facts| same(&rules, facts, &file))?;
        let ask = Example::ask_of(&format!("tool = {tool:?}\n{around}")).unwrap();
        let call = JsonCall::new(&tool, &input);
        ask.with_facts(|facts| same(&rules, &AskFacts { call: Some(&call as &dyn Call), ..*facts }, &file))?;
    }
}
