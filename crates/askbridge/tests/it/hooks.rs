//! Hooks run by hand, `away`, and `resume`: what a person types and reads.

use insta::assert_snapshot;

use crate::bridge::TestBridge;
use crate::terminal::Terminal;

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
    for command in [&["resume"][..], &["resume", "--list"]] {
        let ran = bridge.run(command);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", "nothing is parked\n"));
    }
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

/// The event that Claude Code sends to its hook for a question, sent by a separate process as a hook is.
const ASKS: &str = r#"
import json, os, socket
event = {"hook_event_name": "PreToolUse", "session_id": "conversation", "cwd": os.getcwd(), "tool_name": "AskUserQuestion",
    "tool_use_id": "toolu_1", "permission_mode": "default",
    "tool_input": {"questions": [{"question": "Which?", "header": "Which", "multiSelect": False,
        "options": [{"label": "Aaa", "description": "a"}, {"label": "Bbb", "description": "b"}]}]}}
body = json.dumps(event)
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["ASKBRIDGE_DATA"] + "/run/askbridge.sock")
line.sendall(f"POST /v1/hook HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naskbridge-attended: 0\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())
while piece := line.recv(65536):
    print(piece.decode())
"#;

#[test]
fn a_run_that_is_taken_up_again_is_known_as_an_agent_from_its_first_moment() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--hooks-park", "0"]);
    let dir = bridge.dir.path();
    std::fs::write(dir.join("asks.py"), ASKS).unwrap();
    std::fs::write(dir.join("agent.sh"), "python3 asks.py; true\n").unwrap();
    // The program's file is gone when the run is resumed, so it is found by its name.
    std::fs::copy("/bin/bash", dir.join("agent")).unwrap();
    bridge.bash("./agent agent.sh -p --permission-prompt-tool x").good();
    std::fs::remove_file(dir.join("agent")).unwrap();
    std::fs::write(dir.join("claude"), "#!/bin/bash\nexec askbridge answer deploy --option Yes\n").unwrap();
    bridge.bash("chmod +x claude").good();
    let parked = bridge.the_open_ask();
    bridge.answer(&[&parked, "--option", "Bbb"]).good();
    let deploy = bridge.ask("deploy", &serde_json::json!({"question": "Deploy now?", "options": ["Yes", "No"]}));
    let script = format!("sed -i s/deploy/{deploy}/ claude; PATH=$PWD:$PATH askbridge resume");
    let mut terminal = Terminal::open(bridge.at_a_terminal("bash", &["-c", &script]));
    terminal.shows("taking up");
    terminal.shows("an agent may ask but never decide");
    terminal.ends();
    assert_eq!(bridge.open().len(), 1, "nothing was decided");
}
