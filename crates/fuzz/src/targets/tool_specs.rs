//! Claude's rule strings: each is understood or refused, ends in time, and is found by the index when it holds.

use std::sync::Arc;

use askbridge_core::ask::{Approval, Body};
use askbridge_core::rules::asks::{
    Action, AskFacts, AskRule, Call, Conditions, RuleFile, RuleSet, TermsOf, Why, explain, rule_ask,
};
use askbridge_core::terms::Wishes;
use askbridge_policy::{Example, JsonCall, ToolSpecs, Yes};

/// A line that ends the strings; a tool, its folder and its input follow, each on a line.
const CALL: &str = "\n%call\n";
const HOME: Option<&str> = Some("/home/grace");

pub(super) fn tool_specs(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (specs, call) = text.split_once(CALL).unwrap_or((&text, "Bash\n/w\n{\"command\": \"git status\"}"));
    let mut lines = call.splitn(3, '\n');
    let (tool, folder, input) = (lines.next().unwrap_or_default(), lines.next(), lines.next().unwrap_or_default());
    for (yes, action) in [(Yes::May, Action::Allow), (Yes::Never, Action::Ask)] {
        let each: Vec<_> = specs.lines().collect();
        let read = match ToolSpecs::read(each.iter().copied(), yes, HOME) {
            Ok(read) => read,
            Err((at, what)) => {
                assert!(at < each.len() && !what.is_empty(), "{what}");
                // The others are tried without it.
                let good = |spec: &&&str| ToolSpecs::read([**spec], yes, HOME).is_ok();
                ToolSpecs::read(each.iter().filter(good).copied(), yes, HOME).expect("each of them can be read")
            }
        };
        let when = Conditions { tool: Some(Arc::new(read)), ..Conditions::default() };
        let rule = AskRule { name: "one".to_owned(), when, action, ..AskRule::default() };
        let file = RuleFile { terms: TermsOf::Every, rules: vec![rule] };
        decides_as_comparing_does(&RuleSet::new(vec![file], Wishes::default()), tool, folder, input);
    }
}

fn decides_as_comparing_does(rules: &RuleSet, tool: &str, folder: Option<&str>, input: &str) {
    let ask = Example::ask_of("command = 'x'").expect("an approval can be read");
    let body = Body::Approval(Approval { tool: tool.to_owned(), ..approval(&ask.body) });
    let call = JsonCall::new(tool, input);
    ask.with_facts(|facts| {
        let facts = AskFacts { body: Some(&body), call: Some(&call as &dyn Call), folder, ..*facts };
        let (_, explained) = explain(rules, &facts);
        let holds = !matches!(explained[0].why, Why::Misses { .. });
        assert_eq!(rule_ask(rules, &facts).rule.is_some(), holds, "{tool} {input}");
    });
}

fn approval(body: &Body) -> Approval {
    match body {
        Body::Approval(approval) => approval.clone(),
        other => panic!("a command is an approval: {other:?}"),
    }
}
