//! Rule files: each is understood or refused where it is wrong, and no rule decides what it may not.

use askbridge_core::answer::{Answer, Decision, RuleSays, Scope};
use askbridge_core::ask::Body;
use askbridge_core::rules::asks::{Action, ProjectRules, RuleSet, Ruled, rule_ask, rule_ask_in};
use askbridge_core::terms::Wishes;
use askbridge_policy::{Example, ExampleAsk, Outcome, Problem, read, read_project};

/// A line that ends the file; an ask follows, with the keys of an example.
const ASK: &str = "\n%ask\n";
const HOME: Option<&str> = Some("/home/grace");

pub(super) fn rules(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (file, asked) = text.split_once(ASK).unwrap_or((&text, "command = 'git status'"));
    let ask = Example::ask_of(asked);
    if let Err(what) = &ask {
        assert!(!what.is_empty(), "{asked}");
    }
    operators(file, ask.as_ref().ok());
    projects(file, ask.as_ref().ok());
}

fn operators(file: &str, ask: Option<&ExampleAsk>) {
    let loaded = match read("rules.toml", file, HOME) {
        Ok(loaded) => loaded,
        Err(problems) => return say_where(&problems, file),
    };
    let examples = loaded.examples.clone();
    let rules = RuleSet::new(vec![loaded.into_file()], Wishes::default());
    for ask in examples.iter().map(|example| &example.ask).chain(ask) {
        ask.with_facts(|facts| {
            let ruling = rule_ask(&rules, facts);
            let (explained, lines) = ask.explain(&rules);
            assert_eq!(ruling.ruled, explained.ruled, "`policy explain` says what is done");
            assert_eq!(lines.len(), rules.len(), "it names every rule");
            if let Ruled::Says(says) = &ruling.ruled {
                assert!(ruling.rule.is_some_and(|rule| !rule.name.is_empty()), "a decision names its rule");
                assert!(is_offered(&ask.body, says), "{says:?}");
            }
        });
    }
}

/// An agent can edit its project's files: without the operator's trust they never say yes.
fn projects(file: &str, ask: Option<&ExampleAsk>) {
    let loaded = match read_project(".askbridge/rules.toml", file, HOME) {
        Ok(loaded) => loaded,
        Err(problems) => return say_where(&problems, file),
    };
    say_where(&loaded.loosening, file);
    let rules = loaded.loaded.rules;
    let says_yes = rules.iter().any(|rule| matches!(rule.action, Action::Allow | Action::Answer(_)));
    assert!(!says_yes || !loaded.loosening.is_empty(), "what loosens is pointed out");
    let (none, project) = (RuleSet::new(Vec::new(), Wishes::default()), ProjectRules::tightening(rules));
    for ask in loaded.loaded.examples.iter().map(|example| &example.ask).chain(ask) {
        let outcome = ask.with_facts(|facts| Outcome::of(&rule_ask_in(&none, Some(&project), facts), &ask.body));
        assert!(matches!(outcome, Outcome::Deny | Outcome::Ask | Outcome::None), "{outcome:?}");
    }
}

fn say_where(problems: &[Problem], file: &str) {
    let lines = 1 + file.matches('\n').count();
    for problem in problems {
        assert!(!problem.what.is_empty(), "{problem:?}");
        assert!((1..=lines).contains(&problem.line), "{problem} in a file of {lines} lines");
    }
}

/// Is this an answer that the ask offers?
fn is_offered(body: &Body, says: &RuleSays) -> bool {
    match (body, says) {
        (_, RuleSays::No { words }) => !words.is_empty(),
        (Body::Questions(questions), RuleSays::Answer(Answer::Questions(picks))) => {
            picks.len() == questions.len()
                && questions.iter().zip(picks).all(|(question, pick)| {
                    let is_there = |at: &u16| usize::from(*at) < question.options.len();
                    pick.text.is_none() && !pick.chosen.is_empty() && pick.chosen.iter().all(is_there)
                })
        }
        (Body::Approval(_), RuleSays::Answer(Answer::Approval(decision))) => match decision {
            Decision::Allow { scope, edited } => *scope == Scope::Once && edited.is_none(),
            Decision::Deny { words, .. } => words.is_some(),
        },
        (Body::Plan(_), RuleSays::Answer(Answer::Plan(_))) => true,
        (Body::Form(_), RuleSays::Answer(Answer::Form(_))) => true,
        _ => false,
    }
}
