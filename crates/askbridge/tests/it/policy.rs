//! Rules: the file is read at start and when it changes, decides asks, and can be checked, explained and tested.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::bridge::{Ran, TestBridge};
use crate::patience::until;

const RULES: &str = r#"[[rules]]
name = "tests run"
do = "allow"
tool = "Bash(npm test *)"

[[rules.examples]]
command = "npm test --watch"
is = "allow"

[[rules]]
name = "never publish"
do = "deny"
words = "A person publishes. Prepare it and stop."
tool = "Bash(npm publish *)"

[[rules]]
name = "databases"
do = "answer"
question = "*database*"
answer = "recommended"
"#;

fn write(bridge: &TestBridge, text: &str) {
    fs::create_dir_all(bridge.data()).unwrap();
    fs::set_permissions(bridge.data(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(bridge.data().join("rules.toml"), text).unwrap();
}

fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    bridge.redact(&format!("{}{}[exit {}]", ran.stdout, ran.stderr, ran.code.unwrap()))
}

/// Asks over HTTP with the token of this machine, and returns what the server shows.
fn ask(bridge: &TestBridge, body: &Value) -> Value {
    let script = format!(
        "curl -s http://$(cat $ASKBRIDGE_DATA/run/address)/v1/asks -H \"authorization: Bearer $(cat $ASKBRIDGE_DATA/token)\" -d '{body}'"
    );
    serde_json::from_str(bridge.bash(&script).good()).unwrap()
}

fn approval(command: &str) -> Value {
    json!({"approval": {"tool": "Bash", "input": {"command": command}}})
}

fn in_force(bridge: &TestBridge) -> Value {
    let socket = "curl -s --unix-socket $ASKBRIDGE_DATA/run/askbridge.sock http://askbridge/v1/rules";
    serde_json::from_str(bridge.bash(socket).good()).unwrap()
}

#[test]
fn a_rule_decides_names_its_file_and_line_and_says_that_no_person_was_asked() {
    let mut bridge = TestBridge::stopped();
    write(&bridge, RULES);
    bridge.start_again();
    let file = bridge.data().join("rules.toml").display().to_string();
    let by = |rule: &str, line: u32| json!({"rule": rule, "file": file, "line": line});
    let allowed = ask(&bridge, &approval("npm test --watch"));
    assert_eq!((&allowed["state"], &allowed["by"]), (&json!("ruled"), &by("tests run", 1)), "{allowed}");
    assert_eq!(allowed["verdict"]["words"], "Decided by the rule “tests run”; no person was asked.");
    let denied = ask(&bridge, &approval("npm test; npm publish --tag next"));
    assert_eq!((&denied["by"], &denied["answers"]["decision"]), (&by("never publish", 10), &json!("deny")), "{denied}");
    let words =
        "Decided by the rule “never publish”; no person was asked. Denied: A person publishes. Prepare it and stop.";
    assert_eq!(denied["verdict"]["words"], words);
    let open = ask(&bridge, &approval("npm test && curl example.invalid"));
    assert_eq!(open["state"], "open", "a part that no rule allows goes to a person: {open}");
    let ran = bridge.bash("askbridge ask 'Which database?' -o SQLite -o 'Postgres (Recommended)'");
    assert_snapshot!(screen(&bridge, &ran), @r"
    Postgres (Recommended)
    note: answered by the rule `databases`, not by a person
    [exit 0]
    ");
    let id = open["id"].as_str().unwrap();
    let told = bridge.bash(&format!("askbridge policy explain {id}"));
    assert!(told.good().starts_with("no rule decides: a person is asked\n"), "{told:?}");
}

#[test]
fn a_changed_file_is_taken_over_and_a_broken_one_leaves_the_last_good_version_in_force() {
    let mut bridge = TestBridge::stopped();
    bridge.start_again();
    assert_eq!(ask(&bridge, &approval("npm test"))["state"], "open");
    write(&bridge, RULES);
    until("the rules are in force", || (in_force(&bridge)["rules"] == 3).then_some(()));
    assert_eq!(ask(&bridge, &approval("npm test"))["state"], "ruled");
    write(&bridge, "[[rules]]\nname = \"broken\"\ndo = \"alow\"\n");
    until("the problem is shown", || (in_force(&bridge)["problems"] != json!([])).then_some(()));
    let shown = in_force(&bridge);
    let problem = json!({"line": 3, "column": 6, "what": "a rule cannot `alow`", "hint": "did you mean `allow`?"});
    assert_eq!((&shown["rules"], &shown["problems"]), (&json!(3), &json!([problem])), "{shown}");
    assert_eq!(ask(&bridge, &approval("npm test"))["state"], "ruled", "the last good version stays in force");
    assert!(bridge.log().contains("the last good ones stay in force"), "{}", bridge.log());
    let doctor = bridge.bash("askbridge doctor --json");
    assert!(doctor.stdout.contains("the rules cannot be read"), "{}", doctor.stdout);
    fs::remove_file(bridge.data().join("rules.toml")).unwrap();
    until("there are no rules", || (in_force(&bridge)["rules"] == 0).then_some(()));
    assert_eq!(ask(&bridge, &approval("npm test"))["state"], "open");
}

#[test]
fn a_broken_file_at_start_is_refused_with_its_place() {
    let bridge = TestBridge::stopped();
    write(&bridge, "[[rules]]\nname = \"broken\"\ndo = \"alow\"\n");
    let ran = bridge.bash("askbridge serve");
    assert_snapshot!(screen(&bridge, &ran), @r"
    error: DIR/data/rules.toml:3:6: a rule cannot `alow`

    hint: did you mean `allow`?
    [exit 1]
    ");
    let named = bridge.bash("ASKBRIDGE_RULES=nowhere.toml askbridge serve");
    assert_snapshot!(screen(&bridge, &named), @r"
    error: nowhere.toml:1:1: there is no such file
    [exit 1]
    ");
}

#[test]
fn files_are_checked_examples_run_and_rules_explained_without_a_server() {
    let bridge = TestBridge::stopped();
    write(&bridge, RULES);
    assert_snapshot!(screen(&bridge, &bridge.bash("askbridge policy check; askbridge policy test")), @r"
    DIR/data/rules.toml: all is as it should be (3 rules, 1 example)
    1 example: all came out as expected
    [exit 0]
    ");
    fs::write(bridge.dir.path().join("ask.toml"), "command = \"npm publish\"\n").unwrap();
    assert_snapshot!(screen(&bridge, &bridge.bash("askbridge policy explain --input ask.toml")), @r"
    denied by `never publish` (DIR/data/rules.toml:10); no person is asked
    hints, from its text alone: network, publishes
      DIR/data/rules.toml:1: `tests run` does not match: tool wants `Bash(npm test *)`, and it is `Bash(npm publish)`
      DIR/data/rules.toml:10: `never publish` decides: deny
      DIR/data/rules.toml:16: `databases` does not match: question wants `*database*`, and it is none
    of those that match, one that denies decides, else one that asks or parks, else one that allows or answers; the first of them
    [exit 0]
    ");
    let json = bridge.bash("askbridge policy explain --input ask.toml --json");
    let told: Value = serde_json::from_str(json.good()).unwrap();
    assert_eq!(
        (&told["outcome"], &told["by"]["rule"], &told["by"]["line"]),
        (&json!("deny"), &json!("never publish"), &json!(10))
    );
    assert_eq!(told["rules"][0]["misses"]["condition"], "tool");
    assert_eq!(told["order"], json!(["deny", "ask", "allow"]));
    let wrong = RULES.replace("is = \"allow\"", "is = \"deny\"");
    fs::write(bridge.dir.path().join("wrong.toml"), wrong).unwrap();
    assert_snapshot!(screen(&bridge, &bridge.bash("askbridge policy test wrong.toml")), @r"
    wrong.toml:6: beside `tests run`: wanted deny, got allow by `tests run`
    error: 1 of 1 example came out differently

    hint: `askbridge policy explain --input FILE` says why, rule by rule
    [exit 1]
    ");
}

fn waits(bridge: &TestBridge) -> bool {
    in_force(bridge)["waits_for_tap"].as_bool().unwrap()
}

#[test]
fn once_a_device_is_paired_rules_that_say_yes_need_a_tap_and_others_do_not() {
    let mut bridge = TestBridge::stopped();
    write(&bridge, RULES);
    bridge.start_again();
    bridge.person();
    assert_eq!(ask(&bridge, &approval("npm test"))["state"], "ruled", "they were there before the first device");

    // What an agent might write for itself. The new denial waits with it: it is the same file.
    let loosened = format!(
        "{RULES}\n[[rules]]\nname = \"\"\"tests\n[[rules]]\n\"\"\"\ndo = \"allow\"\ntool = \"Bash\"\n\n[[rules]]\nname = \"no make\"\ndo = \"deny\"\n\
         words = \"No.\"\ntool = \"Bash(make *)\"\n"
    );
    write(&bridge, &loosened);
    until("the change is seen", || waits(&bridge).then_some(()));
    assert_eq!(ask(&bridge, &approval("rm -rf build"))["state"], "open", "no device has agreed");
    let tap = bridge.the_open_tap();
    let shown = tap["approval"]["input"]["rules"].as_str().unwrap();
    assert!(
        shown.starts_with("[[rules]]\nname = \"tests run\"\ndo = \"allow\"\ntool = \"Bash(npm test *)\"\n"),
        "{shown}"
    );
    // A name that looks like the beginning of another rule hides nothing.
    assert!(shown.ends_with("[[rules]]\n\"\"\"\ndo = \"allow\"\ntool = \"Bash\""), "as the file has it: {shown}");
    assert!(!shown.contains("deny"), "what can only tighten is left out: {shown}");
    bridge.tap("--deny");
    until("it is told", || (!waits(&bridge)).then_some(()));
    let problem = in_force(&bridge)["problems"][0]["what"].as_str().unwrap().to_owned();
    assert_eq!(problem, "these rules are not in force: a paired device denied this");
    assert_eq!(ask(&bridge, &approval("rm -rf build"))["state"], "open");

    // At a start the rules that say no count, and those that say yes wait.
    bridge.kill();
    bridge.start_again();
    assert!(waits(&bridge));
    assert_eq!(ask(&bridge, &approval("make all"))["state"], "ruled");
    assert_eq!(ask(&bridge, &approval("npm test"))["state"], "open", "no device has agreed to this text");
    bridge.tap("--allow");
    until("they are in force", || (!waits(&bridge)).then_some(()));
    assert_eq!(ask(&bridge, &approval("rm -rf build"))["state"], "ruled");

    // Agreed to once, it is in force after the next start. A file that only tightens needs no tap.
    bridge.kill();
    bridge.start_again();
    assert_eq!(ask(&bridge, &approval("rm -rf build"))["state"], "ruled");
    write(&bridge, "[[rules]]\nname = \"one is enough\"\nquorum = 1\n");
    until("fewer people need a tap", || waits(&bridge).then_some(()));
    write(&bridge, "[[rules]]\nname = \"no make\"\ndo = \"deny\"\nwords = \"No.\"\ntool = \"Bash(make *)\"\n");
    until("it is taken over", || (in_force(&bridge)["rules"] == 1).then_some(()));
    assert_eq!(ask(&bridge, &approval("rm -rf build"))["state"], "open");

    // Rules of the settings are the operator's, who starts the server with them.
    bridge.kill();
    let settings = bridge.dir.path().join(".config/askbridge");
    fs::create_dir_all(&settings).unwrap();
    fs::write(settings.join("config.toml"), "[[rules]]\nname = \"two\"\ndoor = \"http\"\nquorum = 2\n").unwrap();
    bridge.start_again();
    assert!(!waits(&bridge));
    assert_eq!(ask(&bridge, &approval("rm -rf build"))["quorum"]["needed"], 2);
}

#[test]
fn a_folder_of_gobbys_rules_is_checked_what_acts_and_what_does_not() {
    let bridge = TestBridge::stopped();
    let folder = bridge.dir.path().join("gobby");
    fs::create_dir_all(folder.join("rules/own")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "rules/own/push.yaml",
        "rules:
  no-push:
    event: before_tool
    enabled: true
    effects: [{type: block, tools: [Bash], command_pattern: 'git push', reason: No.}, {type: mcp_call, server: a, tool: b}]
  skilled:
    event: before_tool
    enabled: true
    when: not skill_loaded('git')
    effects: [{type: block, reason: Learn first.}]
",
    );
    assert_snapshot!(screen(&bridge, &bridge.bash("askbridge policy check --gobby gobby")), @r"
    rules/own/push.yaml:2: no-push (before_tool): block

    Without effect here:
    rules/own/push.yaml:5: effect `mcp_call` (calls a tool of gobby's own servers): without effect (once)

    Inactive:
    rules/own/push.yaml:6: skilled: it needs `skill_loaded()`, which only gobby's daemon knows

    gobby: 1 file, 1 rule acts, 1 inactive, 0 disabled, 0 without effect, 0 wrong
    [exit 0]
    ");
    write("broken.yaml", "rules:\n  a: [\n");
    let ran = bridge.bash("askbridge policy check --gobby gobby --json");
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &told["good"], &told["totals"]["files"]), (Some(1), &json!(false), &json!(2)));
    assert_eq!((&told["findings"][0]["file"], &told["findings"][0]["kind"]), (&json!("broken.yaml"), &json!("error")));
    let rule = &told["files"][1]["rules"][0];
    assert_eq!((&rule["acts"], &rule["without_effect"]), (&json!(["block"]), &json!(["mcp_call"])));
    assert_snapshot!(screen(&bridge, &bridge.bash("mkdir empty; askbridge policy check --gobby empty")), @r"
    error: there are no YAML files in empty

    hint: name the folder that gobby reads its rules from, such as .gobby/workflows
    [exit 1]
    ");
}

#[test]
fn a_call_is_explained_as_claude_code_reports_it_before_it_runs_and_as_an_ask() {
    let bridge = TestBridge::stopped();
    let every = "[[rules]]\nname = \"releases\"\ndo = \"ask\"\ntool = \"Bash(npm publish *)\"\nevery_call = true\n";
    write(&bridge, &format!("{RULES}\n{every}"));
    let call = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm publish --tag next"},"cwd":"/srv/app"}"#;
    fs::write(bridge.dir.path().join("call.json"), call).unwrap();
    let explained = bridge.bash("askbridge policy explain --input call.json");
    let told = explained.good();
    let first: Vec<_> = told.lines().take(2).map(|line| line.split(" (").next().unwrap()).collect();
    // Before the call only that rule looks; as an ask, a denial comes first.
    assert_eq!(first, ["before the call: sent to a person by `releases`", "denied by `never publish`"]);
    let json = bridge.bash("askbridge policy explain --input call.json --json");
    let told: Value = serde_json::from_str(json.good()).unwrap();
    let before = &told["before_the_call"];
    assert_eq!((&before["ruling"], &before["by"]["rule"]), (&json!("ask"), &json!("releases")), "{told}");
    assert_eq!(told["outcome"], "deny");
    let other = call.replace("npm publish --tag next", "ls");
    fs::write(bridge.dir.path().join("call.json"), other).unwrap();
    let explained = bridge.bash("askbridge policy explain --input call.json");
    assert!(explained.good().starts_with("before the call: no rule decides"), "{}", explained.stdout);
}

#[test]
fn the_hints_of_a_call_are_explained_and_a_rule_that_wants_others_says_so() {
    let bridge = TestBridge::stopped();
    write(&bridge, "[[rules]]\nname = \"look\"\ndo = \"ask\"\nrisk = [\"deletes\", \"system\"]\n");
    let of = |command: &str| {
        fs::write(bridge.data().join("ask.toml"), format!("command = '{command}'\nfolder = \"/srv/app\"\n")).unwrap();
        bridge.bash("askbridge policy explain --input $ASKBRIDGE_DATA/ask.toml").good().to_owned()
    };
    let removes = of("sudo rm -rf build");
    assert!(removes.starts_with("a person is asked, by `look`"), "{removes}");
    assert!(removes.contains("hints, from its text alone: deletes, privileged\n"), "{removes}");
    let fetches = of("curl https://example.org");
    assert!(
        fetches.contains("`look` does not match: risk wants `deletes` or `system`, and it is `network`"),
        "{fetches}"
    );
    assert!(!of("make").contains("hints"), "a missing hint is not worth a line");
    let told = bridge.bash("askbridge policy explain --input $ASKBRIDGE_DATA/ask.toml --json");
    let told: Value = serde_json::from_str(told.good()).unwrap();
    assert_eq!(told["risks"], json!([]), "{told}");
    let wrong = "[[rules]]\nname = \"bold\"\ndo = \"allow\"\ntool = \"Bash\"\nrisk = \"network\"\n";
    fs::write(bridge.data().join("bold.toml"), wrong).unwrap();
    let refused = bridge.bash("askbridge policy check $ASKBRIDGE_DATA/bold.toml");
    assert!(refused.stdout.contains("a rule that says yes cannot have `risk`"), "{refused:?}");
}
