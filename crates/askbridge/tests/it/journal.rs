//! `askbridge journal`: beside a running server, and without one.

use serde_json::Value;

use crate::bridge::TestBridge;

#[test]
fn a_journal_is_checked_and_exported_while_the_server_runs() {
    let mut bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "--no-wait"]).good();
    for _ in 0..2 {
        let ran = bridge.run(&["journal", "verify"]);
        assert!(ran.good().ends_with("1 sessions, 1 open asks\nall is as it should be\n"), "{}", ran.stdout);
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
