//! `askbridge inbox --watch` in a terminal, with real keys.

use serde_json::{Value, json};

use crate::bridge::TestBridge;
use crate::terminal::Terminal;

/// The escape sequence that returns to the normal screen.
const GIVEN_BACK: &str = "\x1b[?1049l";

fn watch(bridge: &TestBridge) -> Terminal {
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["inbox", "--watch"]));
    terminal.shows("\x1b[?1049h");
    terminal
}

fn state_of(bridge: &TestBridge, id: &str) -> Value {
    let all = bridge.run(&["inbox", "--all", "--json"]);
    let asks = all.good().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    asks.into_iter().find(|ask| ask["id"] == id).unwrap()
}

#[test]
fn the_board_fills_and_empties_by_itself() {
    let bridge = TestBridge::start();
    let mut terminal = watch(&bridge);
    terminal.shows("nothing waits for an answer");
    let id = bridge.ask("1", &json!({"question": "Deploy now?", "options": ["Yes", "No"]}));
    terminal.shows("1 ask waits for an answer");
    terminal.shows("Deploy now?");
    terminal.shows("waiting ");
    bridge.answer(&[&id, "--option", "Yes"]).good();
    terminal.shows("nothing waits for an answer");
    terminal.presses("q");
    terminal.shows(GIVEN_BACK);
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn keys_move_choose_and_answer() {
    let bridge = TestBridge::start();
    let first = bridge.ask("1", &json!({"question": "First?", "options": ["Yes", "No"]}));
    let second = bridge.ask("2", &json!({"question": "Second?", "options": ["Yes", "No"]}));
    let mut terminal = watch(&bridge);
    terminal.shows("2 asks wait for an answer");
    terminal.presses("j");
    terminal.presses("2");
    terminal.shows("Second?");
    terminal.shows("(x) 2. No");
    terminal.presses("\r");
    terminal.shows("answered: No");
    terminal.shows("Enter opens");
    terminal.presses("\x1b[B\x1b[A\r");
    terminal.shows("( ) 1. Yes");
    terminal.presses("1");
    terminal.shows("(x) 1. Yes");
    terminal.presses("\r");
    terminal.shows("answered: Yes");
    terminal.presses("q");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(state_of(&bridge, &first)["answers"], json!({"First?": "Yes"}));
    let ask = state_of(&bridge, &second);
    assert_eq!(ask["answers"], json!({"Second?": "No"}));
    assert_eq!(ask["by"], json!({"person": "ada", "device": "terminal", "via": "http"}));
}

#[test]
fn closing_extending_and_taking_back() {
    let bridge = TestBridge::start();
    let undo = json!({"question": "Deploy now?", "options": ["Yes"], "undo_seconds": 60, "timeout_seconds": 3000});
    let id = bridge.ask("1", &undo);
    let before = state_of(&bridge, &id)["deadline"].clone();
    let mut terminal = watch(&bridge);
    terminal.shows("Deploy now?");
    terminal.presses("e");
    terminal.shows("extended; ");
    assert_ne!(state_of(&bridge, &id)["deadline"], before);
    terminal.presses("1\r");
    terminal.shows("it can be taken back: u");
    assert_eq!(state_of(&bridge, &id)["state"], "proposed");
    terminal.presses("u");
    terminal.shows("taken back; the ask is open again");
    assert_eq!(state_of(&bridge, &id)["state"], "open");
    terminal.presses("d");
    terminal.shows("close it without an answer? y closes it");
    terminal.presses("n");
    terminal.shows("not closed");
    terminal.presses("dy");
    terminal.shows("closed without an answer");
    assert_eq!(state_of(&bridge, &id)["state"], "dismissed");
    terminal.presses("?");
    terminal.shows("let it wait ten minutes longer");
    terminal.presses(" \x03");
    assert_eq!(terminal.ends(), 130);
}

#[test]
fn words_are_typed_on_the_ordinary_screen_and_the_board_comes_back() {
    let bridge = TestBridge::start();
    let id = bridge.ask("1", &json!({"question": "What is it called?"}));
    let mut terminal = watch(&bridge);
    terminal.shows("What is it called?");
    terminal.presses("\r");
    terminal.shows("Enter answers in words");
    terminal.presses("\r");
    terminal.shows(GIVEN_BACK);
    terminal.shows("Your answer (Enter skips):");
    terminal.types("Wanderer");
    terminal.shows("Send it?");
    terminal.types("");
    terminal.shows("\x1b[?1049h");
    terminal.shows("answered: Wanderer");
    terminal.presses("q");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(state_of(&bridge, &id)["answers"], json!({"What is it called?": "Wanderer"}));
}

#[test]
fn the_board_follows_the_size_of_the_window() {
    let bridge = TestBridge::start();
    for number in 0..9 {
        bridge.ask(&number.to_string(), &json!({"question": format!("Question {number}?"), "options": ["Yes"]}));
    }
    let mut terminal = watch(&bridge);
    terminal.shows("Question 8?");
    terminal.resize(10, 60);
    // The last line of the window is the line with the keys.
    terminal.shows("\x1b[10;1H\x1b[2mEnter opens");
    terminal.presses("q");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_lost_server_is_told_and_comes_back() {
    let mut bridge = TestBridge::start();
    bridge.ask("1", &json!({"question": "First?"}));
    let mut terminal = watch(&bridge);
    terminal.shows("First?");
    bridge.kill();
    terminal.shows("lost the connection to askbridge");
    bridge.start_again();
    terminal.shows("1 ask waits for an answer");
    bridge.ask("2", &json!({"question": "Second?"}));
    terminal.shows("Second?");
    terminal.presses("q");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn the_terminal_is_as_before_however_the_board_ends() {
    let bridge = TestBridge::start();
    // `stty -a` writes a dash before a mode that is off.
    for (signal, code) in [("-TERM", "130"), ("-HUP", "130"), ("-INT", "130")] {
        let script = "bash -c 'echo $$ >pid; exec askbridge inbox --watch'; echo code $?; stty -a; echo the end";
        let mut terminal = Terminal::open(bridge.at_a_terminal("bash", &["-c", script]));
        terminal.shows("nothing waits for an answer");
        let pid = std::fs::read_to_string(bridge.dir.path().join("pid")).unwrap().trim().to_owned();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
        terminal.shows(GIVEN_BACK);
        terminal.shows(&format!("code {code}"));
        terminal.shows("the end");
        let screen = terminal.screen();
        let after = screen.rsplit("code 130").next().unwrap();
        assert!(after.contains(" icanon") && after.contains(" echo "), "{after}");
    }
}

#[test]
fn without_a_server_the_screen_is_left_alone() {
    let bridge = TestBridge::stopped();
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["inbox", "--watch"]));
    terminal.shows("error: askbridge is not running");
    assert!(!terminal.screen().contains("\x1b[?1049h"));
    assert_eq!(terminal.ends(), 13);
}
