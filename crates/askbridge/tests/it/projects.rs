//! A project's own rule file tightens, says what is wrong with it, and says yes only where the operator trusts the folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::bridge::{Ran, TestBridge};
use crate::patience::until;

const OURS: &str = "[[rules]]\nname = \"npm\"\ndo = \"allow\"\ntool = \"Bash(npm *)\"\n";
const THEIRS: &str = "[[rules]]\nname = \"no publishing\"\ndo = \"deny\"\nwords = \"CI publishes.\"\ntool = \"Bash(npm publish *)\"\n\n\
                      [[rules]]\nname = \"two for installs\"\nquorum = 2\ntool = \"Bash(npm install *)\"\n";
const LOOSENING: &str = "\n[[rules]]\nname = \"make\"\ndo = \"allow\"\ntool = \"Bash(make *)\"\n";

fn ours(bridge: &TestBridge, text: &str) {
    fs::create_dir_all(bridge.data()).unwrap();
    fs::set_permissions(bridge.data(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(bridge.data().join("rules.toml"), text).unwrap();
}

fn repository(bridge: &TestBridge) -> PathBuf {
    let repository = bridge.dir.path().join("app");
    fs::create_dir_all(repository.join(".git")).unwrap();
    fs::create_dir_all(repository.join("src/deep")).unwrap();
    fs::create_dir_all(repository.join(".askbridge")).unwrap();
    repository
}

fn theirs(bridge: &TestBridge, text: &str) {
    fs::write(repository(bridge).join(".askbridge/rules.toml"), text).unwrap();
}

fn ask(bridge: &TestBridge, command: &str) -> Value {
    let folder = bridge.dir.path().join("app/src/deep");
    let body = json!({"approval": {"tool": "Bash", "input": {"command": command}}, "context": {"folder": folder}});
    let script = format!(
        "curl -s http://$(cat $ASKBRIDGE_DATA/run/address)/v1/asks -H \"authorization: Bearer $(cat $ASKBRIDGE_DATA/token)\" -d '{body}'"
    );
    serde_json::from_str(bridge.bash(&script).good()).unwrap()
}

fn in_force(bridge: &TestBridge) -> Value {
    let socket = "curl -s --unix-socket $ASKBRIDGE_DATA/run/askbridge.sock http://askbridge/v1/rules";
    serde_json::from_str(bridge.bash(socket).good()).unwrap()
}

fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    bridge.redact(&format!("{}{}[exit {}]", ran.stdout, ran.stderr, ran.code.unwrap()))
}

#[test]
fn a_projects_file_tightens_what_the_operators_allows() {
    let mut bridge = TestBridge::stopped();
    ours(&bridge, OURS);
    theirs(&bridge, &format!("{THEIRS}{LOOSENING}"));
    bridge.start_again();
    let allowed = ask(&bridge, "npm test");
    assert_eq!(allowed["by"]["rule"], "npm", "{allowed}");
    let denied = ask(&bridge, "npm publish --tag next");
    let file = bridge.dir.path().join("app/.askbridge/rules.toml");
    assert_eq!(denied["by"], json!({"rule": "no publishing", "file": file, "line": 1}), "{denied}");
    assert_eq!(denied["answers"]["decision"], "deny");
    let several = ask(&bridge, "npm install left-pad");
    assert_eq!((&several["state"], &several["quorum"]["needed"]), (&json!("open"), &json!(2)), "{several}");
    assert_eq!(ask(&bridge, "make all")["state"], "open", "a project's file allows nothing");
    let shown = in_force(&bridge);
    let problem = &shown["projects"][0]["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&json!(14), &json!(6)), "{shown}");
    assert_eq!(problem["what"], "a project's rules cannot `allow`, only `deny` and `ask`");
    assert_eq!((&shown["projects"][0]["rules"], &shown["projects"][0]["trusted"]), (&json!(2), &json!(false)));

    // What cannot be read leaves the last good version in force.
    theirs(&bridge, "[[rules]]\nname = \"x\"\ndo = \"dent\"\n");
    until("the problem is shown", || {
        ask(&bridge, "npm test");
        let shown = in_force(&bridge);
        (shown["projects"][0]["problems"][0]["what"] == "a rule cannot `dent`").then_some(())
    });
    assert_eq!(ask(&bridge, "npm publish")["by"]["rule"], "no publishing");
    fs::remove_file(&file).unwrap();
    until("it is gone", || (ask(&bridge, "npm publish")["by"]["rule"] == "npm").then_some(()));
}

#[test]
fn in_a_folder_that_the_operator_trusts_a_projects_file_may_allow_and_trusting_it_needs_a_tap() {
    let mut bridge = TestBridge::stopped();
    theirs(&bridge, LOOSENING);
    ours(&bridge, "");
    bridge.start_again();
    bridge.person();
    assert_eq!(ask(&bridge, "make all")["state"], "open");
    let folder = bridge.dir.path().join("app").display().to_string();
    ours(&bridge, &format!("trusted = [\"{folder}\"]\n"));
    until("it waits for a tap", || in_force(&bridge)["waits_for_tap"].as_bool().unwrap().then_some(()));
    assert_eq!(ask(&bridge, "make all")["state"], "open", "no device has agreed");
    let shown = bridge.the_open_tap()["approval"]["input"]["rules"].as_str().unwrap().to_owned();
    assert!(shown.starts_with(&format!("trusted = [\"{folder}\"]\n")), "{shown}");
    bridge.tap("--allow");
    until("it is trusted", || (!in_force(&bridge)["waits_for_tap"].as_bool().unwrap()).then_some(()));
    assert_eq!(ask(&bridge, "make all")["by"]["rule"], "make");
    assert_eq!(in_force(&bridge)["projects"][0]["trusted"], true);
}

#[test]
fn a_projects_file_is_checked_as_one_and_explained_with_the_operators() {
    let bridge = TestBridge::stopped();
    ours(&bridge, OURS);
    theirs(&bridge, &format!("{THEIRS}{LOOSENING}"));
    assert_snapshot!(screen(&bridge, &bridge.bash("askbridge policy check app/.askbridge/rules.toml")), @r#"
    app/.askbridge/rules.toml:14:6: a project's rules cannot `allow`, only `deny` and `ask` (an agent can edit its project's files, so they only tighten; the operator can trust the folder with a line trusted = ["FOLDER"] at the top of their own rules.toml)
    error: 1 thing is wrong with the rules
    [exit 1]
    "#);
    let folder = bridge.dir.path().join("app/src").display().to_string();
    fs::write(bridge.dir.path().join("ask.toml"), format!("command = \"npm publish\"\nfolder = \"{folder}\"\n"))
        .unwrap();
    assert_snapshot!(screen(&bridge, &bridge.bash("askbridge policy explain --input ask.toml")), @r"
    denied by `no publishing` (DIR/app/.askbridge/rules.toml:1); no person is asked
    hints, from its text alone: network, publishes
      DIR/data/rules.toml:1: `npm` matches, but another rule comes first
      DIR/app/.askbridge/rules.toml:1: `no publishing` decides: deny
      DIR/app/.askbridge/rules.toml:7: `two for installs` does not match: tool wants `Bash(npm install *)`, and it is `Bash(npm publish)`
    of those that match, one that denies decides, else one that asks or parks, else one that allows or answers; the first of them
    note: DIR/app/.askbridge/rules.toml:14:6: a project's rules cannot `allow`, only `deny` and `ask`
    [exit 0]
    ");
}
