//! What people read: the screens, as they are.

use std::net::TcpListener;

use insta::assert_snapshot;
use serde_json::json;

use crate::bridge::{Ran, TestBridge};

/// Everything that a person sees of a command.
fn screen(bridge: &TestBridge, ran: &Ran) -> String {
    let code = ran.code.map_or("killed".to_owned(), |code| code.to_string());
    bridge.redact(&format!("{}{}[exit {code}]", ran.stdout, ran.stderr))
}

/// One ask of each kind, with keys that always give the same ids.
fn one_of_each(bridge: &TestBridge) {
    let schema = json!({"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
    let options = json!([{"label": "Yes"}, {"label": "No", "description": "not today"}]);
    let rules = json!([{"label": "npm", "rule": "Bash(npm:*)"}]);
    let context = json!({"folder": "/srv/shop", "branch": "main", "text": "All tests pass."});
    let two = json!([{"question": "Rename it?", "options": ["Yes", "No"]}, {"question": "To what?"}]);
    let many = json!([{"question": "Which parts?", "options": ["api", "web"], "multiSelect": true}]);
    for (key, body) in [
        (
            "1",
            json!({"questions": [{"question": "Deploy now?", "options": options}], "agent": "ci", "context": context}),
        ),
        ("2", json!({"questions": two, "agent": "editor"})),
        ("3", json!({"questions": many, "agent": "builder"})),
        ("4", json!({"question": "What is it called?", "agent": "namer", "timeout_seconds": 3000})),
        ("5", json!({"approval": {"tool": "Bash", "input": {"command": "npm publish"}, "rules": rules}})),
        ("6", json!({"plan": "Rewrite the parser\n\n1. Delete the old one", "agent": "planner"})),
        ("7", json!({"form": {"message": "Who are you?", "schema": schema}, "agent": "desk"})),
        ("8", json!({"question": "Is this\u{1b}[2J fine?\u{202e}", "agent": "evil\u{7}"})),
    ] {
        bridge.ask(key, &body);
    }
}

#[test]
fn an_empty_inbox() {
    let bridge = TestBridge::start();
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--late"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--json"])), @"");
}

#[test]
fn an_inbox_with_asks_of_each_kind() {
    let bridge = TestBridge::start();
    one_of_each(&bridge);
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox"])), @"");
}

#[test]
fn what_is_over_says_how_it_ended() {
    let bridge = TestBridge::start();
    let options = json!(["Yes", "No"]);
    let ids = ["1", "2", "3"].map(|key| bridge.ask(key, &json!({"question": "Deploy now?", "options": options})));
    bridge.answer(&[&ids[0], "--option", "Yes"]).good();
    bridge.answer(&[&ids[1], "--dismiss", "--words", "not now"]).good();
    bridge.post(&format!("/v1/asks/{}/withdraw", ids[2]), "", &json!({"why": "plans changed"}));
    bridge.run(&["ask", "Too late?", "-o", "Yes", "--key", "4", "--timeout", "20ms"]);
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--all"])), @"");
}

#[test]
fn refusals_of_answers() {
    let bridge = TestBridge::start();
    let two = json!([{"question": "Deploy?", "options": ["Yes", "No"]}, {"question": "Tell?", "options": ["Yes"]}]);
    let first = bridge.ask("1", &json!({"question": "Deploy now?", "options": ["Yes", "No"]}));
    let second = bridge.ask("2", &json!({"questions": two}));
    let third = bridge.ask("3", &json!({"approval": {"tool": "Bash"}}));
    assert_snapshot!(screen(&bridge, &bridge.run(&["answer"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["answer", "--option", "Yes"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["answer", &first, "--option", "Yes"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.answer(&["zzzz", "--option", "Yes"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&first, "--option", "Maybe"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&second, "--option", "Yes"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&second, "--text", "fine"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&third, "--option", "Yes"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&third, "--words", "why"])), @"");
    bridge.post(&format!("/v1/asks/{first}/withdraw"), "", &json!({"why": "plans changed"}));
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&first, "--option", "Yes"])), @"");
    bridge.answer(&[&third, "--allow"]).good();
    assert_snapshot!(screen(&bridge, &bridge.answer(&[&third, "--deny"])), @"");
    let below = ["run", "--", "askbridge", "answer", &second, "--dismiss"];
    assert_snapshot!(screen(&bridge, &bridge.run(&below)), @"");
}

#[test]
fn errors_with_hints() {
    let bridge = TestBridge::stopped();
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["run", "--", "true"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["ask", "Deploy?", "--on-expiry", "stop"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["ask", "Deploy?", "--timeout", "10"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["journal", "verify"])), @"");
    let bridge = TestBridge::start();
    assert_snapshot!(screen(&bridge, &bridge.run(&["pair"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["inbox", "--token", "nonsense"])), @"");
    assert_snapshot!(screen(&bridge, &bridge.run(&["token", "revoke", "nonsense"])), @"");
}

#[test]
fn a_server_that_cannot_start_says_what_to_do() {
    let bridge = TestBridge::start();
    let second = bridge.redact(&bridge.run(&["serve"]).stderr);
    let second: Vec<_> = second
        .split(' ')
        .map(|word| if word.starts_with(|c: char| c.is_ascii_digit()) { "PID;" } else { word })
        .collect();
    assert_snapshot!(second.join(" "), @"");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let elsewhere = TestBridge::stopped();
    let ran = elsewhere.bash(&format!("ASKBRIDGE_LISTEN={address} askbridge"));
    let next = address.port().checked_add(1).unwrap_or(4760).to_string();
    let told = ran.stderr.replace(&address.port().to_string(), "PORT").replace(&next, "NEXT");
    assert_snapshot!(told, @"");
    assert_snapshot!(elsewhere.bash("ASKBRIDGE_LISTEN=nowhere askbridge").stderr, @"");
}

#[test]
fn the_help_of_ask_lists_its_exit_codes() {
    assert_snapshot!(TestBridge::stopped().run(&["ask", "--help"]).good(), @"");
}

#[test]
fn every_verb_has_help_with_examples() {
    let bridge = TestBridge::stopped();
    for verb in ["serve", "ask", "inbox", "answer", "pair", "token", "journal", "run"] {
        let help = bridge.run(&[verb, "--help"]);
        assert!(help.good().contains("Examples:\n  "), "{verb}");
    }
    assert!(bridge.run(&["--help"]).good().contains("Examples:\n  "));
}
