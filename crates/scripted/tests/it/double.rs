//! What only the double can do: run from a script in its environment, without a model.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use askbridge_scripted::claude::Subject;
use askbridge_scripted::claude::places::{CLAUDE_VERSION, claude, fake_claude, fake_model};
use askbridge_scripted::model::{Script, anything, ask, on_any_result, on_user, text};
use serde_json::{Value, json};

use crate::given::{allow, given};

fn version(path: std::path::PathBuf) -> String {
    let out = Command::new(path).arg("--version").env_clear().output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn it_has_the_pinned_version() {
    let wanted = format!("{CLAUDE_VERSION} (Claude Code)\n");
    assert_eq!((version(fake_claude()), version(claude())), (wanted.clone(), wanted));
}

#[test]
fn it_thinks_without_a_server() {
    let script = Script::new()
        .turn(on_any_result(), [text("answer {turn}")])
        .turn(anything(), [ask("toolu_{turn}", "Which?", ["A", "B"])]);
    let nobody = given(Subject::Fake, Script::new());
    let mut host = nobody.launch().env("FAKE_CLAUDE_SCRIPT", &script.to_json()).start();
    host.initialize("");
    for (call, end) in [("toolu_0", "answer 1"), ("toolu_2", "answer 3")] {
        host.say("go");
        let request = host.asked("can_use_tool");
        assert_eq!(request["request"]["tool_use_id"], call);
        host.respond(&request, allow(&request["request"]["input"], json!({"Which?": "A"})));
        assert_eq!(host.result()["result"], end);
    }
    assert_eq!(nobody.model.heard(), []);
    assert!(host.close().status.success());
}

#[test]
fn it_thinks_with_the_model_as_a_program() {
    let nobody = given(Subject::Fake, Script::new());
    let script = nobody.scratch.home().join("script.json");
    std::fs::write(&script, Script::new().turn(on_user("hi"), [text("hello")]).to_json()).unwrap();
    let mut model = Command::new(fake_model()).arg(script).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(model.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap();
    let mut host = nobody.launch().env("ANTHROPIC_BASE_URL", &url).start();
    host.say("hi");
    assert_eq!(host.result()["result"], "hello");
    let heard: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(heard["messages"][0]["content"][0]["text"], "hi");
    model.kill().unwrap();
    model.wait().unwrap();
}

#[test]
fn it_says_what_it_lacks() {
    let out = Command::new(fake_claude()).env_clear().output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8(out.stderr).unwrap().contains("FAKE_CLAUDE_SCRIPT"));
}
