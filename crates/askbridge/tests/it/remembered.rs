//! Remembered decisions: a person has the very same call allowed again, for a while, and takes that back.

use std::fs;

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::patience::until;

fn approval(command: &str, description: &str, folder: &str) -> Value {
    let input = json!({"command": command, "description": description});
    json!({"approval": {"tool": "Bash", "input": input}, "context": {"folder": folder}})
}

/// Asks over HTTP with the token of this machine, and returns what the server shows.
fn ask(bridge: &TestBridge, body: &Value) -> Value {
    let script = format!(
        "curl -s http://$(cat $ASKBRIDGE_DATA/run/address)/v1/asks -H \"authorization: Bearer $(cat $ASKBRIDGE_DATA/token)\" -d '{body}'"
    );
    serde_json::from_str(bridge.bash(&script).good()).unwrap()
}

fn list(bridge: &TestBridge) -> Vec<Value> {
    let listed = bridge.bash("askbridge policy remembered --json");
    listed.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_very_call_is_allowed_again_until_it_is_revoked_and_no_file_can_add_to_it() {
    let mut bridge = TestBridge::start();
    let person = bridge.person();
    let first = ask(&bridge, &approval("npm test", "Run the tests", "/srv/app"));
    let id = first["id"].as_str().unwrap();

    // Shown first, and saved only when the person says so.
    let shown = bridge.bash_with_token(&format!("askbridge policy remember {id}"), &person);
    assert_eq!(shown.code, Some(2), "{shown:?}");
    assert!(shown.stdout.contains("tool = \"Bash\"\ninput_sha256 = \""), "{shown:?}");
    assert!(shown.stdout.contains("folder = \"/srv/app\"\nuntil = 2"), "{shown:?}");
    assert_eq!(list(&bridge), Vec::<Value>::new());
    let saved = bridge.bash_with_token(&format!("askbridge policy remember {id} --until 2h --yes"), &person);
    assert_eq!(saved.code, Some(0), "{saved:?}");

    let again = ask(&bridge, &approval("npm test", "Check once more", "/srv/app/web"));
    let file = bridge.data().join("remembered.toml").display().to_string();
    assert_eq!((&again["state"], &again["by"]["file"]), (&json!("ruled"), &json!(file)), "{again}");
    assert_eq!(ask(&bridge, &approval("npm test -- --watch", "Run", "/srv/app"))["state"], "open", "another call");
    assert_eq!(ask(&bridge, &approval("npm test", "Run", "/srv/other"))["state"], "open", "another project");
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().position(|line| line == "[[rules]]").unwrap() as u64 + 1;
    assert_eq!(again["by"]["line"], line, "{text}");
    until("it is counted", || (list(&bridge)[0]["uses"] == 1).then_some(()));
    assert_eq!((&list(&bridge)[0]["for"], &list(&bridge)[0]["person"]), (&json!("project"), &json!("ada")));

    // The file is a copy: what an agent writes into it counts never, and what is remembered survives a restart.
    fs::write(&file, "[[rules]]\nname = \"all\"\ndo = \"allow\"\ntool = \"Bash\"\n").unwrap();
    bridge.kill();
    bridge.start_again();
    assert_eq!(ask(&bridge, &approval("make", "Build", "/srv/app"))["state"], "open");
    assert_eq!(ask(&bridge, &approval("npm test", "Run", "/srv/app"))["state"], "ruled");
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "and is written again");

    let remembered = list(&bridge)[0]["id"].as_str().unwrap().to_owned();
    bridge.bash(&format!("askbridge policy remembered --revoke {remembered}")).good();
    assert_eq!(ask(&bridge, &approval("npm test", "Run", "/srv/app"))["state"], "open");
    assert_eq!(list(&bridge), Vec::<Value>::new());
    let unknown = bridge.bash(&format!("askbridge policy remembered --revoke {remembered}"));
    assert!(unknown.stderr.contains("is remembered"), "{unknown:?}");
}

#[test]
fn a_denial_is_remembered_for_good_after_four_of_them_and_listed_with_what_it_is_about() {
    let bridge = TestBridge::start();
    let person = bridge.person();
    let deploy = approval("make deploy", "Deploy", "/srv/app");
    for _ in 0..3 {
        let asked = ask(&bridge, &deploy);
        bridge.answer(&[asked["id"].as_str().unwrap(), "--deny"]).good();
    }
    let fourth = ask(&bridge, &deploy);
    let id = fourth["id"].as_str().unwrap();
    let early = bridge.bash_with_token(&format!("askbridge policy remember {id} --as-before --yes"), &person);
    assert!(early.stderr.contains("did not decide this the same way 4 times in a row"), "{early:?}");
    bridge.answer(&[id, "--deny"]).good();
    let saved =
        bridge.bash_with_token(&format!("askbridge policy remember {id} --as-before --for-good --yes"), &person);
    assert!(saved.stdout.contains("do = \"deny\"") && !saved.stdout.contains("until"), "{saved:?}");
    let file = bridge.data().join("remembered.toml").display().to_string();
    assert!(saved.stderr.contains(&format!("remembered in {file}")), "{saved:?}");
    let ruled = ask(&bridge, &deploy);
    assert_eq!((&ruled["state"], &ruled["answers"]["decision"]), (&json!("ruled"), &json!("deny")), "{ruled}");
    let listed = bridge.bash("askbridge policy remembered");
    let line = listed.good();
    assert!(line.contains("deny Bash make deploy, project, by ada, for good, 1 use, the last"), "{line}");
    let both = bridge.bash_with_token(&format!("askbridge policy remember {id} --for-good --until 2h"), &person);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn only_a_person_has_something_remembered() {
    let bridge = TestBridge::start();
    bridge.person();
    let asked = ask(&bridge, &approval("npm test", "Run", "/srv/app"));
    let id = asked["id"].as_str().unwrap();
    // A program of this machine, the token file, an agent's token, and a device that may not start agents.
    let script = bridge.bash(&format!("askbridge policy remember {id} --yes"));
    assert!(script.stderr.contains("never decide"), "{script:?}");
    let local = fs::read_to_string(bridge.data().join("token")).unwrap();
    let agent = bridge.run(&["token", "create", "ci"]).good().trim().to_owned();
    for token in [local.trim(), &agent] {
        let refused = bridge.bash_with_token(&format!("askbridge policy remember {id} --yes"), token);
        assert_ne!(refused.code, Some(0), "{refused:?}");
    }
    assert_eq!(list(&bridge), Vec::<Value>::new());
    let question = bridge.ask("q", &json!({"question": "Go on?"}));
    let no_call = bridge
        .bash_with_token(&format!("askbridge policy remember {question} --for everywhere --yes"), &bridge.person());
    assert!(no_call.stderr.contains("only approvals of tool calls can be remembered"), "{no_call:?}");
}
