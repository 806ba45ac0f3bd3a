//! How long a decision takes among 10,000 rules, and what the rules take of memory: `cargo bench -p askbridge-policy`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use askbridge_core::rules::asks::{RuleSet, rule_ask, rule_every_call};
use askbridge_policy::{Example, read};

const RULES: usize = 10_000;
const DECISIONS: u32 = 2_000;

/// What the rules are about, the condition of one of them, and an ask that one of them matches.
type Rules = (&'static str, fn(usize) -> String, String);

fn main() {
    let question = "question = \"Deploy service 7777 to production?\"\noptions = [\"Ship 7777\", \"No\"]\nfolder = \"/w/p7777/sub\"";
    let long = format!(
        "question = \"{}Deploy service 7777 to production?\"\noptions = [\"Ship 7777\", \"No\"]",
        "lorem ipsum ".repeat(340)
    );
    let command = "command = \"cargo test --workspace && program7777 run x\"\nfolder = \"/w/p7777/sub\"";
    let path = "tool = \"Edit\"\ninput = { file_path = \"/w/src7777/a.ts\" }\nfolder = \"/w\"";
    let parts = "tool = \"Edit\"\ninput = { file_path = \"/w/src77/a77.ts\" }\nfolder = \"/w\"";
    let ending = "tool = \"Edit\"\ninput = { file_path = \"/w/src/a.e7777\" }\nfolder = \"/w\"";
    let page = "tool = \"WebFetch\"\ninput = { url = \"https://s7777.example.com/page\" }";
    let field = "tool = \"mcp__x7777__get\"\ninput = { name = \"item 7777\" }";
    let kinds: &[Rules] = &[
        ("commands", |at| format!("tool = \"Bash(program{at} run *)\""), command.into()),
        ("commands with stars before", |at| format!("tool = \"Bash(* program{at} *)\""), command.into()),
        ("commands of projects", |at| format!("tool = \"Bash(cargo test *)\"\nfolder = \"/w/p{at}\""), command.into()),
        ("paths", |at| format!("tool = \"Edit(/src{at}/**)\""), path.into()),
        ("paths, one in two parts", |at| format!("tool = \"Edit(/src{}/*{}.ts)\"", at / 100, at % 100), parts.into()),
        ("endings of paths", |at| format!("tool = \"Edit(*.e{at})\""), ending.into()),
        ("sets in paths", |at| format!("tool = \"Edit(/src{at}/[a-z].ts)\""), path.into()),
        ("folders", |at| format!("folder = \"/w/p{at}\""), command.into()),
        ("fields", |at| format!("input.name = \"item {at}\""), field.into()),
        ("fields in brackets", |at| format!("tool = \"mcp__x7777__get(name:item {at})\""), field.into()),
        ("servers", |at| format!("tool = \"mcp__x{at}__*\""), field.into()),
        ("domains", |at| format!("tool = \"WebFetch(domain:s{at}.example.com)\""), page.into()),
        ("domains with stars", |at| format!("tool = \"WebFetch(domain:*{at}.example.com)\""), page.into()),
        ("questions", |at| format!("question = \"Deploy service {at} to production?\""), question.into()),
        ("questions with stars", |at| format!("question = \"Deploy service {at} to *\""), question.into()),
        ("questions with three stars", |at| format!("question = \"*service*{at}*\""), question.into()),
        ("questions of projects", |at| format!("question = \"Deploy *\"\nfolder = \"/w/p{at}\""), question.into()),
        ("a question of 4 kB", |at| format!("question = \"*Deploy service {at} to *\""), long),
        ("words of the headline", |at| format!("asks_about = \"service {at} to\""), question.into()),
    ];
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    for (what, condition, ask) in kinds.iter().filter(|(what, ..)| only.as_ref().is_none_or(|only| what == only)) {
        // Rules about questions do not look at calls.
        let every_call = if ask.starts_with("question") { "" } else { "every_call = true\n" };
        let rule = |at| format!("[[rules]]\nname = \"r{at}\"\ndo = \"ask\"\n{every_call}{}\n", condition(at));
        let text: String = (0..RULES).map(rule).collect();
        let (before, began) = (resident_kb(), Instant::now());
        let loaded = read("rules.toml", &text, None).unwrap_or_else(|why| panic!("{}", why[0]));
        let rules = RuleSet::new(vec![loaded.into_file()], Default::default());
        let (loading, kept) = (began.elapsed(), resident_kb().saturating_sub(before));
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
        let compared = ask.with_facts(|facts| rule_ask(&rules, facts).compared);
        println!(
            "{what:27} p50 {p50:8.1} µs, p99 {p99:8.1} µs, {compared:5} compared, read in {:4} ms, {kept:6} kB more",
            loading.as_millis()
        );
    }
}

/// What this process has of memory now. Of several kinds of rules, the later ones find what the earlier ones left.
fn resident_kb() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
