//! `askbridge run --unattended`: asks are settled without a person, and the end says how.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::bridge::TestBridge;

fn with_rules(text: &str) -> TestBridge {
    let mut bridge = TestBridge::stopped();
    fs::create_dir_all(bridge.data()).unwrap();
    fs::set_permissions(bridge.data(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(bridge.data().join("rules.toml"), text).unwrap();
    bridge.start_again();
    bridge
}

#[test]
fn a_run_without_a_person_is_decided_by_rules_or_by_its_own_word_and_the_end_says_how() {
    let bridge = with_rules(
        "[[rules]]\nname = \"always Postgres\"\ndo = \"answer\"\nquestion = \"*database*\"\nanswer = \"Postgres\"\n",
    );
    bridge.person();
    // Another program's asks wait for a person as ever.
    bridge.run(&["ask", "Which one?", "-o", "A", "--no-wait"]).good();
    let script = "askbridge ask 'Which database?' -o SQLite -o Postgres; askbridge ask 'Which one?' -o A -o 'B (Recommended)'; \
                  askbridge ask 'What is it called?'; echo \"no answer: $?\"; env -u ASKBRIDGE_TOKEN -u ASKBRIDGE_URL askbridge answer --option A; exit 7";
    let ran = bridge.run(&["run", "--unattended", "--json", "--", "bash", "-c", script]);
    assert_eq!(ran.code, Some(7), "{ran:?}");
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!((lines[0], lines[1]), ("Postgres", "B (Recommended)"), "{ran:?}");
    assert!(ran.stderr.contains("may ask but never decide"), "it is an agent: {ran:?}");
    let told: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
    let counts = (&told["asks"], &told["by_a_person"], &told["still_open"], &told["exit"]);
    assert_eq!(counts, (&json!(3), &json!(0), &json!(0), &json!(7)), "{told}");
    let rules: Vec<_> =
        told["rules"].as_array().unwrap().iter().map(|it| (&it["rule"], &it["yes"], &it["no"])).collect();
    assert_eq!(
        rules,
        [(&json!("unattended"), &json!(1), &json!(1)), (&json!("always Postgres"), &json!(1), &json!(0))]
    );
    let tokens = bridge.run(&["token", "list"]);
    assert!(!tokens.good().contains("unattended"), "its token is revoked: {tokens:?}");

    assert_eq!(bridge.open().len(), 1);
    let denied = bridge.run(&["run", "--unattended=deny", "--", "askbridge", "ask", "Which one?", "-o", "A"]);
    assert!(denied.stderr.contains("1 ask was decided without a person"), "{denied:?}");
    assert_eq!(denied.stdout, "", "{denied:?}");
}

#[test]
fn a_permission_that_a_hook_asks_for_in_such_a_run_is_denied_in_words() {
    let bridge = with_rules("");
    let event = json!({"hook_event_name": "PermissionRequest", "session_id": "0b9c1d2e-0000-4000-8000-000000000001",
        "transcript_path": "/tmp/none.jsonl", "cwd": "/tmp", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": {"command": "make"}});
    let script = format!("echo '{event}' | CLAUDE_CODE_SESSION_ATTENDED=0 askbridge hook");
    let ran = bridge.run(&["run", "--unattended", "--json", "--", "bash", "-c", &script]);
    assert!(ran.stdout.contains("deny") && ran.stdout.contains("Nobody attends this run"), "{ran:?}");
    let told: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
    assert_eq!((&told["asks"], &told["rules"][0]["no"]), (&json!(1), &json!(1)), "{told}");
}
