//! Claude Code in a person's own terminal, whose hooks report every event (`askbridge init claude --rules`).

use std::fs;
use std::process::Command;

use askbridge_scripted::model::{Script, ask, on_result, on_user, text};

use super::{Ruled, bash};
use crate::hooks::workstation::{Setting, Workstation, binary, furnish};

const RULES: &str = "
rules:
  no-questions:
    event: before_tool
    enabled: true
    when: source == 'claude' and variables.get('commands', 0) > 0
    effects: [{type: block, tools: [AskUserQuestion], reason: 'Not after {{ commands }} command.'}]
  counts:
    event: after_tool
    enabled: true
    tools: [Bash]
    effects: [{type: set_variable, variable: commands, value: \"variables.get('commands', 0) + 1\"}]
";

#[test]
fn a_question_in_a_terminal_is_blocked_before_its_dialog_and_before_the_phone() {
    // The workstation types this.
    let script = Script::new()
        .turn(on_user("hi-there"), [bash("toolu_0", "ls")])
        .turn(on_result("toolu_0"), [ask("toolu_1", "Which?", ["Aaa", "Bbb"])])
        .turn(on_result("toolu_1"), [text("all done now")]);
    let ruled = Ruled::open(script, &[("own.yaml", RULES)]);
    furnish(&ruled.house, false);
    let printed = Command::new(binary()).args(["hook", "--print-settings", "--rules"]).output().unwrap();
    assert!(printed.status.success());
    fs::write(ruled.house.scratch.home().join(".claude/settings.json"), printed.stdout).unwrap();
    let Ruled { folder: _folder, house } = ruled;
    let mut workstation = Workstation::take(house, &Setting::default(), &[]);
    workstation.prompt();
    let read = workstation.result();
    assert!(read.is_error && read.text.contains("Not after 1 command."), "{read:?}");
    workstation.until_shown("all done now");
    assert!(workstation.open_asks().is_empty() && !workstation.terminal.has_shown("Bbb"));
    let sessions = workstation.house.get("/v1/sessions")["items"].as_array().unwrap().clone();
    let talk = workstation.house.talk(sessions[0]["id"].as_str().unwrap());
    assert_eq!(talk.events_of("tool_ruled")[0]["rule"], "no-questions");
}
