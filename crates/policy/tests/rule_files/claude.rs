//! The table under the rules of the real CLI, in its settings.

use askbridge_scripted::claude::{Launch, ScratchHome, Subject};
use askbridge_scripted::model::{Model, Script, on_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::table::{Group, groups};

#[test]
fn the_real_cli_makes_the_same_of_the_same_strings() {
    let mut wrong = Vec::new();
    for group in groups() {
        let found = outcomes(&group);
        for (case, is) in group.cases.iter().zip(found) {
            let wanted = case.cli.as_ref().unwrap_or(&case.is);
            // Without a rule, it asks.
            let wanted = if wanted == "none" { "ask" } else { wanted };
            if is != wanted {
                wrong.push(format!("{}: wanted {wanted}, is {is}", case.shown()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs the calls of a group in one conversation. What is allowed really runs: the commands do not exist.
fn outcomes(group: &Group) -> Vec<&'static str> {
    let room = ScratchHome::new();
    let folder = room.work().to_string_lossy().into_owned();
    let mut script = Script::new();
    for (at, case) in group.cases.iter().enumerate() {
        let call = tool(id(at), case.tool.as_str(), case.input_in(&folder));
        script = script.turn(on_result(id(at)), [text("done")]).turn(on_user(say(at)), [call]);
    }
    let model = Model::start(script);
    furnish(&room, group);
    let mut host = Launch::new(Subject::Real, &room, &model).start();
    host.initialize("");
    let mut found = Vec::new();
    for at in 0..group.cases.len() {
        host.say(&say(at));
        let mut was_asked = false;
        loop {
            let frame = host.until("a request or the end of the turn", |frame| {
                frame["type"] == "result" || frame["request"]["subtype"] == "can_use_tool"
            });
            if frame["type"] == "result" {
                break;
            }
            was_asked = true;
            host.respond(&frame, json!({"behavior": "deny", "message": "no"}));
        }
        let heard = model.tool_result(&id(at)).unwrap();
        found.push(match (was_asked, heard.is_error && is_a_denial(&heard.text)) {
            (true, _) => "ask",
            (false, true) => "deny",
            (false, false) => "allow",
        });
    }
    found
}

/// The ways in which the CLI tells the model that a rule denied a call.
fn is_a_denial(text: &str) -> bool {
    ["has been denied", "denied access to", "denied by", "Read deny rule"].iter().any(|part| text.contains(part))
}

/// Rules in the settings of a project that the person trusts, and files to read and change.
fn furnish(room: &ScratchHome, group: &Group) {
    let permissions = json!({"allow": group.allow, "ask": group.ask, "deny": group.deny});
    let trusted: Value = json!({"projects": {room.work().to_string_lossy(): {"hasTrustDialogAccepted": true}}});
    for (path, text) in [
        (room.work().join(".claude/settings.json"), json!({"permissions": permissions}).to_string()),
        (room.home().join(".claude.json"), trusted.to_string()),
        (room.work().join("src/deep/b.ts"), "x\n".to_owned()),
        (room.work().join("top.txt"), "x\n".to_owned()),
        (room.work().join(".env"), "x\n".to_owned()),
        (room.work().join("src/.env"), "x\n".to_owned()),
    ] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn id(at: usize) -> String {
    format!("toolu_{at}x")
}

fn say(at: usize) -> String {
    format!("call {at}x")
}
