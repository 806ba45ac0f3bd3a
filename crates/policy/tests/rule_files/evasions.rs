//! Inputs that were made to slip through.

use askbridge_core::ask::{Approval, Body};
use askbridge_core::ids::Raw;
use askbridge_core::rules::asks::RuleSet;
use askbridge_policy::{ExampleAsk, Outcome, read};
use serde_json::json;

const RULES: &str = r#"
[[rules]]
name = "no pushes"
do = "deny"
words = "No."
tool = ["Bash(git push *)", "Read(*.pem)", "Read(~/.ssh/**)"]

[[rules]]
name = "to production"
do = "ask"
tool = "mcp__cloud__deploy"
input.target = "production"

[[rules]]
name = "the rest"
do = "allow"
tool = ["Bash", "mcp__cloud", "Edit(/docs/**)", "Read(/src/**)", "mcp__disk__write(path:/srv/app/*)"]
"#;

fn outcome(tool: &str, input: &str) -> String {
    let loaded = read("rules.toml", RULES, Some("/home/ada")).unwrap();
    let rules = RuleSet::new(vec![loaded.into_file()], Default::default());
    let (tool, input) = (tool.to_owned(), Raw::from(input));
    let ask = ExampleAsk {
        body: Body::Approval(Approval { tool, input, summary: None, reason: None, rules: Vec::new(), overrule: false }),
        door: "hook".to_owned(),
        agent: "claude".to_owned(),
        session: None,
        title: None,
        folder: Some("/srv/app".to_owned()),
        branch: None,
        local: None,
        present: None,
        decided_before: 0,
    };
    let (ruling, _) = ask.explain(&rules);
    Outcome::of(&ruling, &ask.body).text().to_owned()
}

fn run(command: &str) -> String {
    outcome("Bash", &json!({"command": command}).to_string())
}

#[test]
fn an_input_that_cannot_be_read_evades_no_denial() {
    let deep = format!(r#"{{"command":"git push","x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    for input in [
        r#"{"command":"git push","x":1e999}"#,
        r#"{"command":"git push \ud800"}"#,
        r#"{"command":["git","push"]}"#,
        r#"["git push"]"#,
        "{}",
        &deep,
    ] {
        assert_eq!(outcome("Bash", input), "deny", "{input}");
    }
    assert_eq!(outcome("mcp__cloud__deploy", r#"{"target":"production","x":1e999}"#), "ask");
    assert_eq!(outcome("mcp__cloud__deploy", r#"{"target":"test"}"#), "allow");
    assert_eq!(outcome("mcp__cloud__list", ""), "allow");
}

#[test]
fn a_command_behind_many_others_or_deep_inside_is_denied() {
    assert_eq!(run(&format!("{}git push", "x;".repeat(20_000))), "deny");
    let (open, close) = ("$(".repeat(20), ")".repeat(20));
    assert_eq!(run(&format!("{open}git push{close}")), "deny");
    assert_eq!(run(&format!("sudo {} git push", "x ".repeat(20_000))), "deny", "too much to look at");
    assert_eq!(run(&"x;".repeat(20_000)), "allow");
}

#[test]
fn inputs_that_repeat_what_is_dear_are_read_in_time() {
    for part in [
        "${",
        "$(",
        "&>",
        "<(",
        "`",
        "sh ",
        "sudo ",
        "sh 'a b' ",
        "<<a ",
        "<<<a ",
        "\"$(",
        "$'",
        "a=",
        "\\\n",
        "{",
        "sudo sh ",
    ] {
        for input in [part.repeat(500_000 / part.len()), format!("sh -c {}", part.repeat(500_000 / part.len()))] {
            let _ = run(&input);
        }
    }
}

#[test]
fn every_path_of_a_call_has_to_be_allowed() {
    let all = |tool: &str, input: serde_json::Value| outcome(tool, &input.to_string());
    assert_eq!(all("Edit", json!({"file_path": "/srv/app/docs/a"})), "allow");
    assert_eq!(all("Edit", json!({"file_path": "/etc/passwd", "notebook_path": "/srv/app/docs/a"})), "none");
    assert_eq!(all("Edit", json!({"file_path": "/srv/app/docs/a", "path": "/etc/passwd"})), "none");
    assert_eq!(all("Edit", json!({"file_path": "docs/a\u{0}b"})), "none");
    assert_eq!(all("Glob", json!({"path": "src/x", "pattern": "*.rs"})), "allow");
    for pattern in ["/etc/*", "../../*", "~/*", " /etc/*"] {
        assert_eq!(all("Glob", json!({"path": "src/x", "pattern": pattern})), "none", "{pattern}");
    }
    assert_eq!(all("Glob", json!({"pattern": "/home/ada/.ssh/*"})), "deny");
    assert_eq!(all("Grep", json!({"pattern": "KEY", "glob": "server.pem", "path": "src/x"})), "deny");
    assert_eq!(all("mcp__disk__write", json!({"path": "/srv/app/a"})), "allow");
    assert_eq!(all("mcp__disk__write", json!({"path": "/srv/app/../../etc/passwd"})), "none");
}

#[test]
fn a_file_that_would_mean_something_else_than_it_says_is_refused() {
    let problem = |lines: &str| {
        let text = format!("[[rules]]\nname = \"x\"\n{lines}\n");
        read("rules.toml", &text, Some("/home/ada")).map(|_| ()).unwrap_err()[0].what.clone()
    };
    let wide = problem("do = \"allow\"\ntool = \"Bash\"\ninput.command = \"make *\"");
    assert_eq!(wide, "a `*` in `input.command` would allow any command behind it");
    assert_eq!(problem("do = \"ask\"\ninput = {}"), "`input` names no field");
    assert!(problem("do = \"ask\"\ninput.x = {}").contains("`input.x` has to be text"));
    assert!(problem("do = \"ask\"\nfolder = \"/srv/*\"").contains("is not a folder"));
    assert!(problem("do = \"ask\"\nfolder = \"~/*\"").contains("is not a folder"));
    for path in ["../x", "/src//x", "src/./x", "//etc/../x"] {
        let tool = problem(&format!("do = \"ask\"\ntool = \"Read({path})\""));
        assert!(tool.contains("would match nothing"), "{tool}");
    }
}
