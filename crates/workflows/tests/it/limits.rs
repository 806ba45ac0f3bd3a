//! What is too large, too deep or endless is refused with a sentence.

use askbridge_workflows::{FileKind, FindingKind, Workflows, fuzzed};
use serde_json::{Map, Value, json};

use crate::support::{Session, reason};

/// The one error of a file, with its line.
#[track_caller]
fn error(text: &str) -> (Option<usize>, String) {
    let (workflows, findings) = Workflows::load([("big.yaml", text)].into_iter());
    assert_eq!(workflows.report().files[0].kind, FileKind::Unreadable);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.kind, finding.file.as_str()), (FindingKind::Error, "big.yaml"));
    (finding.line, finding.what.clone())
}

fn with(names: Value) -> Map<String, Value> {
    names.as_object().expect("it is a table").clone()
}

#[test]
fn a_file_of_two_megabytes_is_refused() {
    let text = "# rules\n".repeat(250_000);
    assert_eq!(error(&text), (None, "the file has 2000000 bytes; at most 1048576 are read".to_owned()));
}

#[test]
fn deep_nesting_is_refused_with_its_line() {
    let flow = format!("a: 1\nb: {}{}\n", "[".repeat(200), "]".repeat(200));
    assert_eq!(error(&flow), (Some(2), "nested more than 64 levels deep".to_owned()));
    let block: String = (0..100).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_eq!(error(&block), (Some(65), "nested more than 64 levels deep".to_owned()));
    let endless = error(&"[".repeat(500_000));
    assert_eq!(endless, (Some(1), "recursion limit exceeded".to_owned()), "the parser has a limit, too");
}

#[test]
fn anchors_that_explode_are_refused() {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d"), ("f", "e"), ("g", "f"), ("h", "g")] {
        text += &format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 10].join(", "));
    }
    let (line, what) = error(&text);
    assert_eq!(line, Some(5));
    assert!(what.starts_with("more than 50000 nodes") || what.starts_with("anchors on more"), "{what}");
    let (line, what) = error("a: &a\n  b: *a\n");
    assert_eq!((line, what.as_str()), (Some(2), "an alias refers to the node that it is part of"));
}

#[test]
fn a_line_that_is_not_yaml_is_named() {
    let (line, what) = error("rules:\n  a: [1, 2\n  b: 3\n");
    assert!(line.is_some_and(|line| line >= 2), "{line:?}: {what}");
}

#[test]
fn conditions_beyond_their_limits_are_refused() {
    let refused = |text: &str| fuzzed::condition(text, &with(json!({"x": 1})), false).expect_err("it is refused");
    assert!(refused(&"x or ".repeat(4_000)).starts_with("it has 19999 bytes"), "{}", refused(&"x or ".repeat(4_000)));
    assert!(refused(&format!("{}x", "-".repeat(8_000))).contains("operators"));
    assert!(refused(&format!("{}x", "not ".repeat(1_500))).contains("levels deep"));
    assert!(refused(&format!("x{}", ".a".repeat(1_500))).contains("levels deep"));
    assert!(refused(&format!("{}x{}", "[".repeat(900), "]".repeat(900))).contains("levels deep"));
    for text in [
        "lambda: 1",
        "f'{x}'",
        "[x for x, y in x]",
        "x[1:2]",
        "(y := 1)",
        "{1, 2}",
        "x ** 2",
        "x / 2",
        "~x",
        "print(*x)",
    ] {
        let what = refused(text);
        assert!(what.ends_with("is not part of gobby's conditions"), "{text}: {what}");
    }
}

#[test]
fn an_evaluation_ends() {
    let long: Vec<usize> = (0..3_000).collect();
    let names = with(json!({"xs": long, "s": "x".repeat(1_000)}));
    let refused = |text: &str| fuzzed::condition(text, &names, false).expect_err("it is refused");
    assert_eq!(refused("any(a == -1 for a in xs for b in xs)"), "it takes more than 100000 steps");
    assert_eq!(refused("len([a for a in xs for b in xs])"), "it takes more than 100000 steps");
    assert_eq!(refused("s * 1000000"), "a value grows beyond 1048576");
    assert_eq!(refused("[1] * 100000000000"), "a value grows beyond 1048576");
    assert!(refused("9223372036854775807 * 9223372036854775807 * 9223372036854775807").contains("too large"));
}

#[test]
fn an_endless_pattern_is_undecided_and_then_the_rule_blocks() {
    let evil = "(?=(a+)+$)b|^(a|aa)+$(?<!x)";
    let text = format!("{}!", "a".repeat(60));
    assert_eq!(fuzzed::pattern(evil, &text), Ok(None));
    assert!(fuzzed::pattern(&"a".repeat(5_000), "").is_err_and(|what| what.contains("5000 bytes")));
    assert!(fuzzed::pattern("(((a{100}){100}){100})", "").is_err());
    let mut session = Session::of_rule(&format!(
        "rules:\n  own:\n    event: before_tool\n    enabled: true\n    effects: [{{type: block, tools: [Bash], command_pattern: '{evil}', reason: No.}}]"
    ));
    assert_eq!(reason(&session.before("Bash", json!({"command": text}))), "No.");
}

#[test]
fn a_pattern_that_is_not_one_is_an_error_of_its_rule() {
    let text = "rules:\n  own:\n    event: before_tool\n    enabled: true\n    effects:\n      - {type: block, command_pattern: '(', reason: No.}";
    let mut session = Session::of_rule(text);
    assert_eq!((session.findings[0].kind, session.findings[0].line), (FindingKind::Error, Some(6)));
    assert_eq!(session.before("Bash", json!({"command": "x"})).block, None);
}

#[test]
fn a_template_ends() {
    let names = with(json!({"xs": [1, 2, 3]}));
    for text in [
        "{% for a in range(1000) %}{% for b in range(1000) %}x{% endfor %}{% endfor %}",
        "{% for a in range(40) %}{{ 'x' * 10000 }}{% endfor %}",
        "{{ 'x' * 100000000000 }}",
    ] {
        assert!(fuzzed::template(text, &names).is_err(), "{text}");
    }
    let mut session = Session::of_rule(
        "rules:\n  own:\n    event: before_tool\n    enabled: true\n    effects: [{type: block, reason: \"{% for a in range(9999) %}{{ 'x' * 1000 }}{% endfor %}\"}]",
    );
    assert!(reason(&session.before("Read", json!({}))).starts_with("{% for"), "it is shown as it is written");
}

#[test]
fn more_files_than_the_limit_are_refused() {
    let files = (0..2_100).map(|at| (format!("{at}.yaml"), "a: 1"));
    let (workflows, findings) = Workflows::load(files);
    assert_eq!(workflows.report().totals.files, 2_000);
    assert!(findings.iter().any(|finding| finding.kind == FindingKind::Error && finding.file == "2000.yaml"));
}
