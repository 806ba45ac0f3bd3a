//! Hooks by hand, being away, and runs to take up again: what a person types and reads.

use insta::assert_snapshot;

use crate::bridge::TestBridge;

#[test]
fn a_person_says_that_they_are_away_and_an_agent_cannot() {
    let bridge = TestBridge::start();
    assert_eq!(bridge.run(&["away", "on"]).good(), "on: you are away\n");
    assert_eq!(bridge.run(&["away"]).good(), "on: you are away\n");
    assert_eq!(bridge.run(&["away", "off"]).good(), "off: you are here\n");
    let shown: serde_json::Value = serde_json::from_str(bridge.run(&["away", "--json"]).good()).unwrap();
    assert_eq!((shown["mode"].as_str(), shown["is_away"].as_bool()), (Some("off"), Some(false)), "{shown}");
    assert!(bridge.run(&["away", "auto"]).good().starts_with("auto: "));
    let ran = bridge.run(&["run", "--", "askbridge", "away", "on"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(bridge.run(&["away"]).good().starts_with("auto: "));
}

#[test]
fn nothing_to_take_up_is_said_so() {
    let bridge = TestBridge::start();
    let ran = bridge.run(&["resume"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", "nothing is parked\n"));
    let ran = bridge.run(&["resume", "ask_00000000000000000000000007_1"]);
    assert_snapshot!(ran.stderr, @"
    error: no run is parked for ask_00000000000000000000000007_1

    hint: see what is: `askbridge resume --list`
    ");
}

#[test]
fn a_shell_in_which_somebody_tries_a_hook_is_not_taken_for_an_agent() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "-o", "No", "--no-wait"]).good();
    let mut terminal = crate::terminal::Terminal::open(bridge.at_a_terminal("bash", &["--norc", "--noprofile", "-i"]));
    let event = r#"{"hook_event_name":"Stop","session_id":"by-hand"}"#;
    terminal.types(&format!("echo '{event}' | askbridge hook; echo it ended with $?."));
    terminal.shows("it ended with 0.");
    terminal.types("askbridge answer --option Yes && echo it was \\decided");
    terminal.shows("it was decided");
}
