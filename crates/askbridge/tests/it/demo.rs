//! `askbridge demo`: a newcomer goes through all of it.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::bridge::{Running, TestBridge};
use crate::patience::PATIENCE;
use crate::terminal::Terminal;

/// Waits for a prompt, and types.
fn says(terminal: &mut Terminal, prompt: &str, line: &str) {
    terminal.shows(prompt);
    terminal.types(line);
}

/// Answers the rest of what `askbridge demo` asks in a terminal, from the first question on.
fn walk(terminal: &mut Terminal) {
    terminal.shows("I am a demo: a script inside askbridge");
    terminal.shows("What shall we pretend to build?");
    says(terminal, "Enter skips):", "3");
    says(terminal, "Send it?", "");
    terminal.shows("“A game”, then.");
    terminal.shows("2. Dragons");
    says(terminal, "Numbers like 1,3", "1,2");
    says(terminal, "Send it?", "");
    terminal.shows("First World, then Dragons.");
    terminal.shows("Question 1 of 3");
    says(terminal, "Enter skips):", "wanderer");
    terminal.shows("Question 2 of 3");
    says(terminal, "Enter skips):", "");
    terminal.shows("Question 3 of 3");
    says(terminal, "Enter skips):", "1");
    says(terminal, "Send it?", "");
    terminal
        .shows("“wanderer” is a good name. You skipped the licence; I was told that, and assume nothing. Tests first.");
    terminal.shows("| $ wanderer");
    terminal.shows("| Welcome. |");
    says(terminal, "Enter skips):", "2");
    says(terminal, "Send it?", "");
    terminal.shows("“Framed” it is.");
    terminal.shows("command: git init 'wanderer'");
    says(terminal, "Enter decides nothing", "3");
    says(terminal, "Why?", "not today");
    says(terminal, "Stop the agent as well?", "");
    says(terminal, "Send it?", "");
    terminal.shows("Denied, and I hear why: “not today”.");
    terminal.shows("Build a game called “wanderer”");
    says(terminal, "Enter decides nothing", "2");
    says(terminal, "What should change?", "sound as well");
    says(terminal, "Send it?", "");
    terminal.shows("Sent back: “sound as well”.");
    terminal.shows("Changed, because you said: sound as well");
    says(terminal, "Enter decides nothing", "1");
    says(terminal, "Send it?", "");
    terminal.shows("Approved.");
    says(terminal, "Enter skips):", "1");
    says(terminal, "Send it?", "");
    terminal.shows("This one waits 3 seconds.");
    terminal.shows("this is all that an agent is told: “");
    terminal.shows("ask again");
    terminal.shows("Publish it now?");
    says(terminal, "Enter skips):", "2");
    says(terminal, "Send it?", "");
    terminal.shows("Then it stays with us.");
    terminal.shows("That was all.");
}

#[test]
fn a_newcomer_walks_through_the_whole_demo_without_a_server() {
    let bridge = TestBridge::stopped();
    let scratch = bridge.dir.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    let mut command = bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["demo"]);
    command.env("TMPDIR", &scratch);
    let mut terminal = Terminal::open(command);
    walk(&mut terminal);
    assert_eq!(terminal.ends(), 0);
    assert!(!bridge.data().exists());
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "nothing stays behind");
}

#[test]
fn on_a_running_server_the_demo_is_named_as_one_and_leaves_nothing_open() {
    let bridge = TestBridge::start();
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["demo"]));
    walk(&mut terminal);
    assert_eq!(terminal.ends(), 0);
    assert!(bridge.open().is_empty());
    let all = bridge.run(&["inbox", "--all", "--json"]);
    let asks: Vec<Value> = all.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(asks.len(), 10);
    for ask in &asks {
        assert_eq!(ask["agent"], "demo");
        assert!(ask["context"]["text"].as_str().unwrap().contains("not a real agent"));
    }
    assert_eq!(asks.iter().filter(|ask| ask["state"] == "expired").count(), 1);
}

#[test]
fn enter_alone_decides_nothing_and_closing_is_told_as_closing() {
    let bridge = TestBridge::start();
    let mut terminal = Terminal::open(bridge.at_a_terminal(env!("CARGO_BIN_EXE_askbridge"), &["demo"]));
    says(&mut terminal, "Enter skips):", "");
    says(&mut terminal, "Close it without an answer? [y/N]", "");
    terminal.shows("What shall we pretend to build?");
    says(&mut terminal, "Enter skips):", "");
    says(&mut terminal, "Close it without an answer? [y/N]", "y");
    terminal.shows("No project? Then I go on without one, and do not make one up.");
}

/// Answers everything without a deadline, as a person elsewhere would, until the demo ends.
fn answer_elsewhere(bridge: &TestBridge, demo: &mut Running) {
    let token = bridge.person();
    let mut rounds = PATIENCE.as_millis() / 50;
    while !demo.is_over() {
        rounds = rounds.checked_sub(1).expect("the demo ends before long");
        for ask in bridge.open() {
            if ask["deadline"] != Value::Null {
                continue;
            }
            let flags = match ask["kind"].as_str().unwrap() {
                "approval" => "--allow",
                "plan" => "--approve",
                _ if ask["questions"].as_array().unwrap().len() > 1 => "--text 1:wanderer --option MIT --option 3:No",
                _ => match ask["questions"][0]["options"][0]["label"].as_str().unwrap() {
                    "A web shop" => "--option 'A web shop'",
                    "Catalogue" => "--option Payment",
                    "Plain" => "--dismiss",
                    _ => "--option Yes",
                },
            };
            let id = ask["id"].as_str().unwrap();
            bridge.bash_with_token(&format!("askbridge answer {id} {flags}"), &token).good();
        }
        // Yields the CPU to the demo; nothing depends on the time.
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn without_a_terminal_the_demo_asks_and_says_where_to_answer() {
    let bridge = TestBridge::start();
    let mut demo = bridge.spawn(&["demo", "--json"]);
    answer_elsewhere(&bridge, &mut demo);
    let ran = demo.ended();
    let asks: Vec<Value> = ran.good().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<_> = asks.iter().map(|ask| ask["state"].as_str().unwrap()).collect();
    let expected =
        ["answered", "answered", "answered", "dismissed", "answered", "answered", "answered", "expired", "answered"];
    assert_eq!(states, expected);
    let told = ran.stderr;
    for text in [
        "Answer at http://127.0.0.1:",
        "“A web shop”, then.",
        "First Payment.",
        "“wanderer” is a good name. Licence: MIT. Tests later.",
        "I keep it plain.",
        "Allowed, this once.",
        "Build a web shop called “wanderer”",
        "Published, as far as a demo can.",
    ] {
        // The plan is in the ask, not in the agent's messages.
        let somewhere = told.contains(text) || asks.iter().any(|ask| ask["plan"].to_string().contains(text));
        assert!(somewhere, "{text}\n{told}");
    }
    assert!(!told.contains("#pair="), "a link that pairs is for a terminal alone");
}

#[test]
fn a_demo_that_is_stopped_takes_its_question_back() {
    let bridge = TestBridge::start();
    let demo = bridge.spawn(&["demo"]);
    bridge.the_open_ask();
    demo.interrupt();
    assert_eq!(demo.ended().code, Some(130));
    assert!(bridge.open().is_empty());
}
