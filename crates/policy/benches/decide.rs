//! How long a decision takes among 10,000 rules: `cargo bench -p askbridge-policy`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use askbridge_core::rules::asks::{RuleSet, rule_ask, rule_every_call};
use askbridge_policy::{Example, read};

const RULES: usize = 10_000;
const DECISIONS: u32 = 2_000;

/// What the rules are about, the condition of one of them, and an ask that one of them matches.
type Rules = (&'static str, fn(usize) -> String, &'static str);

fn main() {
    const QUESTION: &str = "question = \"Deploy service 7777 to production?\"\noptions = [\"Ship 7777\", \"No\"]";
    const COMMAND: &str = "command = \"cargo test --workspace && program7777 run x\"\nfolder = \"/w/p7777/sub\"";
    let kinds: [Rules; 6] = [
        ("commands", |at| format!("tool = \"Bash(program{at} run *)\"\nevery_call = true"), COMMAND),
        (
            "paths",
            |at| format!("tool = \"Edit(/src{at}/**)\"\nevery_call = true"),
            "tool = \"Edit\"\ninput = { file_path = \"/w/src7777/a.ts\" }\nfolder = \"/w\"",
        ),
        ("folders", |at| format!("folder = \"/w/p{at}\"\nevery_call = true"), COMMAND),
        (
            "fields",
            |at| format!("input.name = \"item {at}\"\nevery_call = true"),
            "tool = \"mcp__x__get\"\ninput = { name = \"item 7777\" }",
        ),
        ("questions with stars", |at| format!("question = \"Deploy service {at} to *\""), QUESTION),
        ("words of the headline", |at| format!("asks_about = \"service {at} to\""), QUESTION),
    ];
    for (what, condition, ask) in kinds {
        let rule = |at| format!("[[rules]]\nname = \"r{at}\"\ndo = \"ask\"\n{}\n", condition(at));
        let text: String = (0..RULES).map(rule).collect();
        let loaded = read("rules.toml", &text, None).expect("the rules can be read");
        let rules = RuleSet::new(vec![loaded.into_file()], Default::default());
        let ask = Example::ask_of(ask).expect("the ask can be read");
        let mut took: Vec<Duration> = Vec::new();
        for _ in 0..DECISIONS {
            let began = Instant::now();
            // The facts are made anew, because a call is parsed when a rule first looks at it.
            ask.with_facts(|facts| {
                black_box(rule_every_call(&rules, None, facts).is_some());
                black_box(rule_ask(&rules, facts).rule.is_some())
            });
            took.push(began.elapsed());
        }
        took.sort_unstable();
        let [p50, p99] = [took.len() / 2, took.len() * 99 / 100].map(|at| took[at].as_secs_f64() * 1e6);
        println!("{what}: {RULES} rules, p50 {p50:.1} µs, p99 {p99:.1} µs");
    }
}
