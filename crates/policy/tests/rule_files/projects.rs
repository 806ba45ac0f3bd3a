//! The rule file of a project: what it may say, and where the operator's file trusts a folder.

use askbridge_policy::{Problem, read, read_project};

fn shown(problem: &Problem) -> String {
    format!("{}:{}: {}", problem.line, problem.column, problem.what)
}

fn loosening(text: &str) -> Vec<String> {
    read_project("rules.toml", text, None).unwrap().loosening.iter().map(shown).collect()
}

#[test]
fn what_tightens_is_no_problem() {
    let text = r#"
[[rules]]
name = "no pushes"
do = "deny"
words = "Push by hand."
tool = "Bash(git push *)"

[[rules]]
name = "look at it"
do = "ask"
quorum = 2
timeout = "never"
undo = "10s"
on_expiry = "stop"
on_dismissal = "stop"
"#;
    assert_eq!(loosening(text), Vec::<String>::new());
}

#[test]
fn what_loosens_is_named_with_line_and_column() {
    let text = "[[rules]]\nname = \"a\"\ndo = \"allow\"\ntool = \"Bash\"\n\n[[rules]]\nname = \"b\"\ndo = \"answer\"\n\
                answer = \"first\"\n\n[[rules]]\nname = \"c\"\ndo = \"park\"\n\n[[rules]]\nname = \"d\"\n\
                on_expiry = \"tell\"\non_dismissal = \"tell\"\nmessages = \"pass_on\"\n  parallel = true\n";
    assert_eq!(
        loosening(text),
        [
            "3:6: a project's rules cannot `allow`, only `deny` and `ask`",
            "8:6: a project's rules cannot `answer`, only `deny` and `ask`",
            "13:6: a project's rules cannot `park`, only `deny` and `ask`",
            "17:13: a project's rules can set `on_expiry` to `stop` alone",
            "18:16: a project's rules can set `on_dismissal` to `stop` alone",
            "19:1: a project's rules cannot set `messages`",
            "20:3: a project's rules cannot set `parallel`",
        ]
    );
}

#[test]
fn the_operators_file_trusts_folders_and_a_projects_cannot() {
    let text = "trusted = [\"/srv/app\", \"~/work\"]\n";
    assert_eq!(read("rules.toml", text, Some("/home/ada")).unwrap().trusted, ["/srv/app", "/home/ada/work"]);
    let problems = |text: &str| read("rules.toml", text, None).unwrap_err().iter().map(shown).collect::<Vec<_>>();
    for wrong in ["trusted = \"/srv\"\n", "trusted = [\"srv\"]\n", "trusted = [1]\n", "trusted = [\"/srv/*\"]\n"] {
        assert!(problems(wrong)[0].starts_with("1:1: `trusted` is a list of up to 256 folders"), "{wrong}");
    }
    let below = read("rules.toml", "[[rules]]\nname = \"a\"\ndo = \"ask\"\ntrusted = []\n", None).unwrap_err();
    assert_eq!(below[0].hint.as_deref(), Some("put it above the first [[rules]]"));
    let theirs = read_project("rules.toml", "trusted = [\"/srv/app\"]\n", None).unwrap_err();
    assert_eq!(shown(&theirs[0]), "1:1: a project's rule file cannot trust a folder; the operator's can");
}

#[test]
fn a_projects_file_is_short() {
    let long = "#".repeat(askbridge_core::limits::PROJECT_RULES_BYTES_MAX + 1);
    assert!(read_project("rules.toml", &long, None).unwrap_err()[0].what.contains("longer than a project's rule file"));
}
