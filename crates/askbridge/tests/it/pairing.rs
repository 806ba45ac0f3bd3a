//! `askbridge pair` and `askbridge token`.

use serde_json::Value;

use crate::bridge::TestBridge;
use crate::terminal::Terminal;

#[test]
fn a_terminal_shows_a_link_to_the_real_address_and_a_code_to_scan() {
    let bridge = TestBridge::start();
    let address = std::fs::read_to_string(bridge.data().join("run/address")).unwrap();
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["pair"]));
    terminal.shows("Open this on the device that ada will use.");
    terminal.shows(&format!("http://{}/#pair=pair_", address.trim()));
    terminal.shows("█");
    terminal.shows("hint: only this machine can open it");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_printed_token_is_alone_on_stdout_and_decides() {
    let bridge = TestBridge::start();
    bridge.run(&["ask", "Deploy now?", "-o", "Yes", "--no-wait"]).good();
    let token = bridge.person();
    assert_eq!(token.lines().count(), 1);
    bridge.bash_with_token("askbridge answer --option Yes", &token).good();
    assert!(bridge.open().is_empty());
}

#[test]
fn a_script_has_to_vouch_for_its_person() {
    let bridge = TestBridge::start();
    let ran = bridge.run(&["pair", "--print-token"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_revoked_token_is_worth_nothing() {
    let bridge = TestBridge::start();
    let made = bridge.run(&["token", "create", "ci", "--json"]);
    let made: Value = serde_json::from_str(made.good()).unwrap();
    let (id, token) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    assert!(bridge.run(&["token", "list"]).good().contains(&format!("{id}  agent")));
    bridge.run(&["ask", "Deploy now?", "--no-wait", "--token", token]).good();
    bridge.run(&["token", "revoke", id]).good();
    assert_eq!(bridge.run(&["ask", "Deploy now?", "--no-wait", "--token", token]).code, Some(1));
    assert_eq!(bridge.run(&["token", "revoke", id]).code, Some(1));
}

#[test]
fn a_bot_gets_its_token_with_a_tap_and_what_it_answers_says_so() {
    let bridge = TestBridge::start();
    let make = ["pair", "--role", "bot", "--name", "nightly", "--print-token", "--yes-i-am-a-person"];
    let refused = bridge.run(&make);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("pair a device of your own first"), "{}", refused.stderr);
    assert_eq!(bridge.run(&["pair", "--role", "bot", "--print-token"]).code, Some(2), "it has no name");
    bridge.person();
    let making = bridge.spawn(&make);
    assert_eq!(bridge.the_open_tap()["approval"]["summary"], "Let a program answer by itself, as the bot nightly");
    bridge.tap("--allow");
    let made = making.ended();
    assert!(made.stderr.contains("answers as the bot nightly"), "{}", made.stderr);
    assert!(bridge.run(&["token", "list"]).good().contains("  bot "));
    let asking = bridge.spawn(&["ask", "Deploy now?", "-o", "Yes", "-o", "No"]);
    let id = bridge.the_open_ask();
    bridge.bash_with_token(&format!("askbridge answer {id} --option Yes"), made.good().trim()).good();
    let asked = asking.ended();
    assert_eq!(asked.good(), "Yes\n");
    assert!(asked.stderr.contains("answered by the rule `bot nightly`, not by a person"), "{}", asked.stderr);
}
