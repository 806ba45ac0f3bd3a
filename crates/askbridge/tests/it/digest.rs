//! `askbridge digest`: what rules decided without a person, and a correction of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::bridge::{Ran, TestBridge};

const RULES: &str = r#"[[rules]]
name = "tests run"
do = "allow"
tool = "Bash(npm test *)"

[[rules]]
name = "never publish"
do = "deny"
words = "A person publishes."
tool = "Bash(npm publish *)"

[[rules]]
name = "databases"
do = "answer"
question = "*database*"
answer = "first"
"#;

fn approval(command: &str) -> Value {
    json!({"approval": {"tool": "Bash", "input": {"command": command}}})
}

fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    bridge.redact(&format!("{}{}[exit {}]", ran.stdout, ran.stderr, ran.code.unwrap()))
}

#[test]
fn what_rules_decided_is_grouped_by_rule_and_a_person_corrects_it_with_a_late_answer() {
    let mut bridge = TestBridge::stopped();
    fs::create_dir_all(bridge.data()).unwrap();
    fs::set_permissions(bridge.data(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(bridge.data().join("rules.toml"), RULES).unwrap();
    bridge.start_again();
    assert_snapshot!(screen(&bridge, &bridge.run(&["digest"])), @"
    no ask was decided without a person in the last 24 hours
    [exit 0]
    ");
    for key in ["1", "2", "3", "4"] {
        bridge.ask(key, &approval(&format!("npm test {key}")));
    }
    let denied = bridge.ask("5", &approval("npm publish"));
    bridge.ask("6", &json!({"questions": [{"question": "Which database?", "options": ["SQLite", "Postgres"]}]}));
    bridge.ask("7", &approval("make"));

    // One command corrects it: it is the person's, and goes to the agent as a message.
    let corrected = bridge.answer(&[&denied, "--allow"]);
    assert_eq!(corrected.stderr, "taken as a late answer; the agent gets it as a message\n", "{corrected:?}");
    assert_snapshot!(screen(&bridge, &bridge.run(&["digest"])), @"
    6 asks were decided without a person in the last 24 hours
    `tests run` (DIR/data/rules.toml:1): 4 (4 yes, 0 no)
      4hgf  Bash: npm test 4 → allow
      2eqj  Bash: npm test 3 → allow
      4dj4  Bash: npm test 2 → allow
    `databases` (DIR/data/rules.toml:12): 1 (1 yes, 0 no)
      2wsw  Which database? → SQLite
    `never publish` (DIR/data/rules.toml:6): 1 (0 yes, 1 no, 1 corrected by a person)
      1f8w  Bash: npm publish → no (corrected)
    correct one with `askbridge answer 4hgf`; the agent is told as a message
    [exit 0]
    ");

    let told: Value = serde_json::from_str(bridge.run(&["digest", "--json", "--since", "1h"]).good()).unwrap();
    assert_eq!((&told["asks"], told["rules"].as_array().unwrap().len()), (&json!(6), 3), "{told}");
    let publish = &told["rules"].as_array().unwrap().iter().find(|it| it["rule"] == "never publish").unwrap();
    let wanted = (&json!(1), &json!(0), &json!(1), &json!(1));
    assert_eq!((&publish["asks"], &publish["yes"], &publish["no"], &publish["corrected"]), wanted, "{told}");
    let example = &publish["examples"][0];
    assert_eq!((&example["ask"], &example["corrected"]), (&json!(denied), &json!(true)), "{told}");
    assert!(bridge.run(&["digest", "--since", "1ms"]).good().starts_with("no ask was decided"));
}
