//! `askbridge policy simulate`: rules beside what people decided, over all pages, and nothing is changed.

use std::fs;

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
name = "look at pushes"
do = "ask"
tool = "Bash(git push *)"

[[rules]]
name = "databases"
do = "answer"
question = "*database*"
answer = "Postgres"

[[rules]]
name = "never used"
do = "deny"
words = "No."
tool = "Bash(reboot)"
"#;

fn approval(command: &str) -> Value {
    json!({"approval": {"tool": "Bash", "input": {"command": command}}})
}

fn question(text: &str) -> Value {
    json!({"questions": [{"question": text, "options": ["SQLite", "Postgres"]}]})
}

fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    let shown = bridge.redact(&format!("{}{}[exit {}]", ran.stdout, ran.stderr, ran.code.unwrap()));
    let ids = shown.split_whitespace().filter(|word| word.starts_with("ask_")).map(str::to_owned).collect::<Vec<_>>();
    ids.iter().fold(shown, |shown, id| shown.replace(id, "ASK"))
}

#[test]
fn rules_are_compared_with_what_people_decided_and_nothing_is_changed() {
    let bridge = TestBridge::start();
    let allowed = bridge.ask("a", &approval("npm test --watch"));
    bridge.answer(&[&allowed, "--allow"]).good();
    let denied = bridge.ask("b", &approval("npm test && npm test --all"));
    bridge.answer(&[&denied, "--deny"]).good();
    bridge.ask("c", &approval("npm test"));
    let published = bridge.ask("d", &approval("npm publish"));
    bridge.answer(&[&published, "--deny"]).good();
    bridge.ask("e", &approval("git push"));
    bridge.ask("f", &approval("npm test; curl example.invalid"));
    let chosen = bridge.ask("g", &question("Which database?"));
    bridge.answer(&[&chosen, "--option", "SQLite"]).good();
    let dismissed = bridge.ask("h", &question("Which database now?"));
    bridge.answer(&[&dismissed, "--dismiss"]).good();
    fs::write(bridge.dir.path().join("new.toml"), RULES).unwrap();

    let before = bridge.run(&["inbox", "--all", "--json"]).stdout;
    let ran = bridge.bash("askbridge policy simulate new.toml");
    assert_snapshot!(screen(&bridge, &ran), @r#"
    8 asks in the last 30 days: the rules would have decided 6
      new.toml:1: `tests run` (allow): decides 3 (1 as a person did, 1 differently, 1 without one)
      new.toml:6: `never publish` (deny): decides 1 (1 as a person did, 0 differently, 0 without one)
      new.toml:12: `look at pushes` (ask): 1 to a person
      new.toml:17: `databases` (answer): decides 2 (0 as a person did, 2 differently, 0 without one)
      1 other rule would have decided nothing
    1 ask matches no rule: Bash 1
    3 would have come out differently from a person:
      ASK  Which database now?
          `databases` says Postgres; the person said no
      ASK  Which database?
          `databases` says Postgres; the person said SQLite
      ASK  Bash: {"command":"npm test && npm test --all"}
          `tests run` says allow; the person said no
    [exit 0]
    "#);
    assert_eq!(bridge.run(&["inbox", "--all", "--json"]).stdout, before, "nothing is changed");

    let told: Value = serde_json::from_str(bridge.bash("askbridge policy simulate new.toml --json").good()).unwrap();
    let counts = |rule: &Value| {
        let number = |name: &str| rule[name].as_u64().unwrap();
        (number("decides"), number("same"), number("different"), number("no_person"))
    };
    assert_eq!(told["asks"], 8, "{told}");
    assert_eq!(counts(&told), (6, 2, 3, 1), "{told}");
    assert_eq!(counts(&told["rules"][0]), (3, 1, 1, 1), "{told}");
    let differing: Vec<_> =
        told["differing"].as_array().unwrap().iter().map(|it| it["ask"].as_str().unwrap()).collect();
    assert_eq!(differing, [&dismissed, &chosen, &denied], "the newest first");
    assert_eq!((&told["unmatched"], &told["unmatched_by"]), (&json!(1), &json!({"Bash": 1})), "{told}");

    let none = bridge.bash("askbridge policy simulate new.toml --since 1ms");
    assert!(none.good().starts_with("0 asks in the last "), "{none:?}");
}

#[test]
fn asks_are_counted_over_all_pages() {
    let bridge = TestBridge::start();
    fs::write(bridge.dir.path().join("new.toml"), RULES).unwrap();
    let script = "import http.client, json, os
data = os.environ['ASKBRIDGE_DATA']
read = lambda name: open(f'{data}/{name}').read().strip()
server = http.client.HTTPConnection(read('run/address'))
headers = {'authorization': 'Bearer ' + read('token'), 'content-type': 'application/json'}
for number in range(1040):
    command = 'npm test' if number % 2 else 'ls'
    body = {'approval': {'tool': 'Bash', 'input': {'command': command}}}
    server.request('POST', '/v1/asks', json.dumps(body), {**headers, 'idempotency-key': f'{number}'})
    reply = server.getresponse()
    assert reply.status == 201, (number, reply.status, reply.read())
    reply.read()
";
    bridge.python(script).good();
    let told: Value = serde_json::from_str(bridge.bash("askbridge policy simulate new.toml --json").good()).unwrap();
    assert_eq!((&told["asks"], &told["decides"], &told["unmatched"]), (&json!(1040), &json!(520), &json!(520)));
}

#[test]
fn what_cannot_be_simulated_says_why() {
    let bridge = TestBridge::stopped();
    fs::write(bridge.dir.path().join("new.toml"), RULES).unwrap();
    fs::write(bridge.dir.path().join("broken.toml"), "[[rules]]\nname = \"a\"\ndo = \"alow\"\n").unwrap();
    let broken = bridge.bash("askbridge policy simulate broken.toml");
    assert_snapshot!(screen(&bridge, &broken), @r"
    error: broken.toml:3:6: a rule cannot `alow`

    hint: did you mean `allow`?
    [exit 1]
    ");
    let stopped = bridge.bash("askbridge policy simulate new.toml");
    assert_snapshot!(screen(&bridge, &stopped), @r"
    error: askbridge is not running: nothing listens at `DIR/data/run/askbridge.sock`

    hint: start it with `askbridge`, and leave it running
    [exit 13]
    ");
    let never = bridge.bash("askbridge policy simulate new.toml --since yesterday");
    assert!(never.stderr.contains("write it like 30s, 10m, 2h or 1d"), "{never:?}");
    assert_eq!(never.code, Some(2));
}
