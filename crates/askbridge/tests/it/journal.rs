//! `askbridge journal`: beside a running server, and without one.

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::patience::until;
use crate::terminal::Terminal;

#[test]
fn a_journal_is_checked_and_exported_while_the_server_runs() {
    let mut bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "--no-wait"]).good();
    for _ in 0..2 {
        let ran = bridge.run(&["journal", "verify"]);
        assert!(ran.good().ends_with("1 session, 1 open ask\nall is as it should be\n"), "{}", ran.stdout);
        let ran = bridge.run(&["journal", "verify", "--json"]);
        let report: Value = serde_json::from_str(ran.good()).unwrap();
        assert_eq!((&report["good"], &report["open_asks"]), (&Value::Bool(true), &Value::from(1)));
        let ran = bridge.run(&["journal", "export"]);
        let lines: Vec<Value> = ran.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.iter().any(|line| line.to_string().contains("Deploy now?")), "{lines:?}");
        if bridge.is_running() {
            bridge.kill();
        }
    }
}

#[test]
fn where_there_is_no_journal_none_is_made() {
    let bridge = TestBridge::stopped();
    assert_eq!(bridge.run(&["journal", "verify"]).code, Some(1));
    assert_eq!(bridge.run(&["journal", "export"]).code, Some(1));
    assert!(!bridge.data().exists());
}

/// Makes an ask that is answered, and fetches the answer.
fn one_round(bridge: &TestBridge) {
    let ask = bridge.ask("k1", &json!({"question": "Deploy now?", "options": ["yes", "no"]}));
    bridge.answer(&[&ask, "--option", "yes"]).good();
    let fetch =
        format!("curl -s --unix-socket {}/run/askbridge.sock http://localhost/v1/asks/{ask}", bridge.data().display());
    // The delivery is recorded a moment later.
    until("the answer counts as heard", || {
        let ask: Value = serde_json::from_str(bridge.bash(&fetch).good()).unwrap();
        (!ask["delivered_at"].is_null()).then_some(())
    });
}

#[test]
fn only_an_operator_or_a_terminal_prunes_and_verify_says_what_went() {
    let bridge = TestBridge::start();
    one_round(&bridge);
    bridge.run(&["ask", "And this?", "--no-wait"]).good();
    let refused = bridge.run(&["journal", "prune", "--older-than", "1ms"]);
    assert_ne!(refused.code, Some(0), "a script has neither");
    assert!(refused.stderr.contains("forgetting cannot be taken back"), "{}", refused.stderr);
    let token = bridge.person();
    let prune = |more: &[&str]| {
        let ran =
            bridge.run(&[&["journal", "prune", "--older-than", "1ms", "--json", "--token", &token], more].concat());
        serde_json::from_str::<Value>(ran.good()).unwrap()
    };
    let counted = prune(&["--dry-run"]);
    assert_eq!((&counted["sessions"], &counted["unfinished"]), (&json!(1), &json!(1)), "{counted}");
    assert_eq!(prune(&[])["sessions"], json!(1));
    assert_eq!(prune(&[])["sessions"], json!(0));
    let verified = bridge.run(&["journal", "verify"]);
    assert!(verified.good().contains("\n1 session with "), "{}", verified.stdout);
    assert!(verified.stdout.contains(" entries was forgotten on 20"), "{}", verified.stdout);
    assert!(verified.stdout.ends_with("all is as it should be\n"), "{}", verified.stdout);
}

#[test]
fn at_a_terminal_it_says_what_would_go() {
    let bridge = TestBridge::start();
    one_round(&bridge);
    bridge.without_taps();
    let args = ["journal", "prune", "--older-than", "1ms", "--dry-run"];
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &args));
    terminal.shows(" would go: ");
    assert_eq!(terminal.ends(), 0);
}
