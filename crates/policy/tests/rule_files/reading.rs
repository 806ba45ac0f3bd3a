//! What a rule file may say, and what is wrong with one.

use askbridge_policy::{Problem, read};

fn problems(text: &str) -> Vec<String> {
    let shown = |problem: &Problem| {
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}:{}: {}{hint}", problem.line, problem.column, problem.what)
    };
    read("rules.toml", text, Some("/home/ada")).err().unwrap_or_default().iter().map(shown).collect()
}

#[test]
fn every_condition_and_action_can_be_written() {
    let text = r#"
[[rules]]
name = "all of it"
do = "allow"
door = "claude"
agent = ["claude", "codex*"]
session = "Release *"
folder = ["/srv/app", "~/work"]
branch = "release/*"
kind = "approval"
tool = ["Bash(npm test *)", "mcp__github__*", "Read(~/notes/**)", "WebFetch(domain:example.org)"]
input.branch = "release/*"
input.options.depth = ["1", "2"]
asks_about = "test"
hours = "22:00-07:00"
days = ["sat", "sun"]
present = false
decided_before = 4
every_call = true
timeout = "10m"
undo = "5s"
on_expiry = "stop"
on_dismissal = "tell"
messages = "hold"
parallel = true
quorum = 2

[[rules]]
name = "answers"
do = "answer"
question = "*database*"
header = "Database"
option = "Postgres"
answer = { "Which database?" = "Postgres", "*" = 2 }

[[rules]]
name = "denies"
do = "deny"
words = "Not now."

[[rules]]
name = "terms"
timeout = "never"
"#;
    assert_eq!(problems(text), [""; 0]);
    let loaded = read("rules.toml", text, Some("/home/ada")).unwrap();
    let places: Vec<_> = loaded.rules.iter().map(|rule| rule.place.as_ref().unwrap().line).collect();
    assert_eq!(places, [2, 28, 36, 41]);
}

#[test]
fn every_problem_is_found_with_its_line_column_and_a_hint() {
    let text = "\
[[rules]]
name = \"x\"
do = \"alow\"
agnet = \"ci\"
tool = [\"Bash\", \"Bash(\"]
hours = \"noon\"
timeout = \"soon\"
folder = \"src\"

[[rules]]
name = \"x\"
do = \"deny\"

[[rules]]
do = \"answer\"

[[rules]]
name = \"wide\"
do = \"allow\"
tool = \"mcp__*\"

[[rules]]
name = \"ignored\"
do = \"deny\"
words = \"No.\"
tool = \"Write(src/**)\"

[[rules]]
name = \"nothing\"
agent = \"ci\"

[[ruels]]
name = \"y\"
";
    assert_eq!(
        problems(text),
        [
            "3:6: a rule cannot `alow` (did you mean `allow`?)",
            "4:1: a rule has no `agnet` (did you mean `agent`?)",
            "5:17: `Bash(` is not a tool or a rule like Bash, Bash(npm test *) or mcp__github__*",
            "6:9: `hours`: `noon` is not a time of day, like 22:00-07:00",
            "7:11: `timeout`: `soon` is not a span of time up to 366 days, like 30s, 10m or 2h; or never",
            "8:10: `folder`: `src` is not a folder from the root, like /srv/app or ~/work",
            "10:1: there is another rule `x` above",
            "12:6: a rule that denies needs `words` (the agent reads them: words = \"Not on a Friday. Go on without it.\")",
            "14:1: the rule has no name (add a line like name = \"tests run\")",
            "15:6: a rule that answers needs an `answer` (add answer = \"recommended\", or a label of an option)",
            "20:8: `mcp__*` would allow tools of any server; name the server, like mcp__github__*",
            "26:8: `Write(src/**)` would match nothing; write Edit(src/**)",
            "28:1: the rule `nothing` changes nothing (give it something to do, like do = \"ask\", or a term, like timeout = \"10m\")",
            "32:3: a rule file has no `ruels` (did you mean `rules`?)",
        ]
    );
    assert_eq!(problems("[[rules]]\nname = \n").len(), 1);
}

#[test]
fn examples_say_what_became_of_the_ask_instead() {
    let text = r#"
[[rules]]
name = "tests"
do = "allow"
tool = "Bash(npm test *)"

[[rules.examples]]
command = "npm test --watch"
is = "allow"
by = "tests"

[[rules.examples]]
command = "npm publish"
is = "allow"
"#;
    let loaded = read("rules.toml", text, None).unwrap();
    let examples = loaded.examples.clone();
    let rules = askbridge_core::rules::asks::RuleSet::new(vec![loaded.into_file()], Default::default());
    let run: Vec<_> = examples.iter().map(|example| (example.line, example.run(&rules))).collect();
    assert_eq!(run, [(7, Ok(())), (12, Err("wanted allow, got none".to_owned()))]);
}

#[test]
fn of_several_answers_the_first_in_the_file_counts_and_not_the_first_in_the_alphabet() {
    let text = r#"
[[rules]]
name = "which"
do = "answer"
answer = { "Which *" = "B", "*" = "first", "Which colour?" = "C" }

[[rules.examples]]
question = "Which one?"
options = ["A", "B"]
is = "B"

[[rules.examples]]
question = "Which colour?"
options = ["B", "C"]
is = "C"

[[rules.examples]]
question = "And now?"
options = ["A", "B"]
is = "A"
"#;
    let loaded = read("rules.toml", text, None).unwrap();
    let examples = loaded.examples.clone();
    let rules = askbridge_core::rules::asks::RuleSet::new(vec![loaded.into_file()], Default::default());
    for example in &examples {
        assert_eq!(example.run(&rules), Ok(()), "line {}", example.line);
    }
}

#[test]
fn a_rule_about_every_call_says_what_becomes_of_it_and_not_more() {
    let rule = |more: &str| format!("[[rules]]\nname = \"a\"\n{more}\n");
    let fine = "do = \"deny\"\nwords = \"no\"\ntool = \"Bash\"\nevery_call = true\nwhen_down = \"deny\"";
    assert_eq!(problems(&rule(fine)), [""; 0]);
    assert_eq!(
        problems(&rule("do = \"answer\"\nanswer = \"first\"\nevery_call = true")),
        [
            "5:14: a call is denied, asked about or allowed; nothing else (use it with do = \"deny\", \"ask\" or \"allow\")"
        ]
    );
    assert_eq!(
        problems(&rule("do = \"ask\"\nkind = \"questions\"\nevery_call = true")),
        [
            "5:14: the rule looks at every call, and its conditions are about other asks, so it matches none (remove `every_call`, or the conditions)"
        ]
    );
    assert_eq!(
        problems(&rule("do = \"ask\"\nwhen_down = \"deny\"")),
        ["4:13: `when_down` is for rules with every_call = true (add that line)"]
    );
    assert_eq!(
        problems(&rule("do = \"allow\"\nevery_call = true\nwhen_down = \"deny\"")),
        [
            "5:13: a rule that allows cannot deny while askbridge does not answer (put `when_down` into a rule that denies or asks)"
        ]
    );
    assert_eq!(
        problems(&rule("do = \"ask\"\nevery_call = true\nwhen_down = \"maybe\"")),
        ["5:13: `when_down`: `maybe` is not pass or deny"]
    );
}
