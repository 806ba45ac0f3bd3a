//! Claude Code in a person's own terminal, with hooks that report every call.

use askbridge_scripted::claude::Subject;
use askbridge_scripted::model::tool;
use serde_json::json;
use tempfile::TempDir;

use super::table::{Ruled, furnish_for_rules};
use crate::hooks::workstation::{CALL, Setting, Workstation, asking};
use crate::house::id;

const RULES: &str = r#"
[[rules]]
name = "no secrets"
do = "deny"
words = "Leave secrets alone."
tool = "Bash(touch secret)"
every_call = true

[[rules]]
name = "releases"
do = "ask"
tool = "Bash(touch release)"
every_call = true
"#;

fn sit(command: &str, mode: &str, server: &[(&str, &str)]) -> (Workstation, TempDir) {
    let script = asking([tool(CALL, "Bash", json!({"command": command, "description": "d"}))]);
    let (house, folder) = Ruled::open(Subject::Real, script, RULES, server).split();
    furnish_for_rules(&house);
    (Workstation::take(house, &Setting { mode, ..Setting::default() }, &[]), folder)
}

fn made(workstation: &Workstation, name: &str) -> bool {
    workstation.house.scratch.work().join(name).exists()
}

#[test]
fn a_denied_call_does_not_run_although_the_mode_allows_it_and_the_conversation_shows_why() {
    let (mut workstation, _folder) = sit("touch secret", "bypassPermissions", &[]);
    workstation.prompt();
    let read = workstation.result();
    assert!(
        read.is_error && read.text.contains("“no secrets”") && read.text.contains("Leave secrets alone."),
        "{read:?}"
    );
    assert!(!made(&workstation, "secret"));
    let sessions = workstation.house.get("/v1/sessions")["items"].as_array().unwrap().clone();
    let talk = workstation.house.talk(sessions[0]["id"].as_str().unwrap());
    let (called, ruled) = (talk.events_of("tool_called"), talk.events_of("tool_ruled"));
    assert_eq!((called[0]["input"]["command"].as_str(), ruled.len()), (Some("touch secret"), 1), "{called:?}");
    assert_eq!((ruled[0]["rule"].as_str(), ruled[0]["ruling"].as_str()), (Some("no secrets"), Some("deny")));
    assert_eq!(ruled[0]["line"], 2, "{ruled:?}");
}

#[test]
fn a_call_that_a_rule_sends_to_a_person_shows_the_dialog_and_rings_the_phone_in_every_mode() {
    for mode in ["bypassPermissions", "acceptEdits", "auto"] {
        let (mut workstation, _folder) = sit("touch release", mode, &[]);
        workstation.prompt();
        let asked = workstation.rings();
        assert!(!made(&workstation, "release"), "{mode}");
        workstation.house.answer(id(&asked), json!({"decision": "allow"}));
        workstation.result();
        assert!(made(&workstation, "release"), "{mode}");
        workstation.until_delivered(&asked);
    }
}

#[test]
fn tools_that_always_go_to_a_person_do_so_in_a_terminal_as_well() {
    for mode in ["bypassPermissions", "auto"] {
        let (mut workstation, _folder) = sit("touch plain", mode, &[("ASKBRIDGE_ALWAYS_ASK", "Bash(*plain*)")]);
        workstation.prompt();
        let asked = workstation.rings();
        assert!(!made(&workstation, "plain"), "{mode}");
        workstation.house.answer(id(&asked), json!({"decision": "deny", "words": "not here"}));
        let read = workstation.result();
        assert!(read.is_error && read.text.contains("not here"), "{mode}: {read:?}");
        let talk = workstation.house.talk(asked["session"].as_str().unwrap());
        let ruled = talk.events_of("tool_ruled");
        assert_eq!(ruled[0]["rule"], "always_ask = Bash(*plain*)", "{mode}: {ruled:?}");
    }
}
