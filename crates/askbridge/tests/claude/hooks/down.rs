//! A server that is killed before, during and after a question: the terminal works as if we were not installed.

use std::fs;

use askbridge_scripted::model::tool;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::workstation::{CALL, Setting, Workstation, asking, question};
use crate::house::id;

/// Returns a question that is open both on the person's phone and in the terminal.
fn asked_on_both() -> (Workstation, Value) {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Bbb");
    (workstation, asked)
}

fn picks_the_first(workstation: &mut Workstation) {
    let result = workstation.answers_in_the_terminal();
    assert!(result.text.contains(r#""Which?"="Aaa""#), "{result:?}");
}

fn has_asked_once(workstation: &Workstation) {
    assert_eq!(workstation.house.get("/v1/asks?state=all")["items"].as_array().unwrap().len(), 1, "the same ask");
}

#[test]
fn killed_before_the_question_the_terminal_asks_alone() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.until_shown("❯");
    workstation.house.kill();
    workstation.prompt();
    picks_the_first(&mut workstation);
    workstation.until_shown("all done now");
    workstation.house.start();
    assert_eq!(workstation.house.get("/v1/asks?state=all")["items"], json!([]));
}

#[test]
fn killed_during_the_question_its_hook_comes_back_and_the_phone_still_answers() {
    let (mut workstation, asked) = asked_on_both();
    workstation.house.kill();
    workstation.house.start();
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let result = workstation.result();
    assert!(result.text.contains(r#""Which?"="Bbb""#), "{result:?}");
    workstation.until_delivered(&asked);
    has_asked_once(&workstation);
}

#[test]
fn a_command_without_a_name_is_found_again_too_and_answered_while_its_hook_was_away() {
    let script = asking([tool(CALL, "Bash", json!({"command": "touch here"}))]);
    let mut workstation = Workstation::sit(script, &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("touch here");
    // Asked to stop, not killed: its hooks are told apart from those that get no opinion.
    workstation.house.stop();
    workstation.house.start();
    workstation.house.answer(id(&asked), json!({"decision": "allow"}));
    workstation.result();
    assert!(workstation.house.scratch.work().join("here").exists());
    let told = workstation.until_delivered(&asked);
    assert_eq!(told["state"], "answered", "{told}");
    has_asked_once(&workstation);
}

#[test]
fn killed_during_the_question_the_dialog_stays_and_the_card_learns_of_its_answer() {
    let (mut workstation, asked) = asked_on_both();
    workstation.house.kill();
    workstation.house.start();
    let open = workstation.house.ask(id(&asked));
    assert_eq!(open["state"], json!("open"), "{open}");
    assert!(workstation.house.model.tool_result(CALL).is_none(), "nobody has answered");
    picks_the_first(&mut workstation);
    workstation.until_state(&asked, "overtaken");
}

#[test]
fn an_agent_that_ends_while_the_server_is_down_wants_no_answer() {
    let (mut workstation, asked) = asked_on_both();
    workstation.house.kill();
    workstation.terminal.kill();
    workstation.house.start();
    let over = workstation.until_state(&asked, "withdrawn");
    assert_eq!(over["words"], "the agent ended while askbridge was not running", "{over}");
}

/// Kills the hook that waits, as the OOM killer would.
fn kill_the_hook(workstation: &Workstation) {
    let data = format!("ASKBRIDGE_DATA={}", workstation.house.data().display());
    let is_ours = |pid: &i32| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        read("cmdline").ends_with(b"askbridge\0hook\0")
            && read("environ").split(|byte| *byte == 0).any(|variable| variable == data.as_bytes())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let hooks: Vec<_> = pids.filter(is_ours).collect();
    let [hook] = hooks[..] else { panic!("one hook waits: {hooks:?}") };
    kill_process(Pid::from_raw(hook).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn a_hook_that_is_gone_too_leaves_its_ask_stranded_and_nobody_is_told_twice() {
    let (mut workstation, asked) = asked_on_both();
    workstation.house.kill();
    kill_the_hook(&workstation);
    workstation.house.start();
    let open = workstation.until("the ask to be stranded", |workstation| {
        Some(workstation.house.ask(id(&asked))).filter(|ask| ask["stranded"] == true)
    });
    assert_eq!(open["state"], "open", "{open}");
    // The connection to the hook is gone, so the answer waits as a message.
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let talk = workstation.house.talk(asked["session"].as_str().unwrap());
    let said = talk.events_of("said").pop().expect("the answer waits as a message");
    assert!(said["text"].as_str().unwrap().ends_with("ada says: Bbb"), "{said}");
    picks_the_first(&mut workstation);
    workstation.until_state(&asked, "overtaken");
    workstation.until_shown("all done now");
    let taken_back = workstation.house.talk(asked["session"].as_str().unwrap()).events_of("unsaid");
    assert_eq!(taken_back.len(), 1, "{taken_back:?}");
    let heard = workstation.house.model.heard();
    assert!(heard.iter().all(|heard| !heard.body.to_string().contains("ada says")), "the agent heard one answer");
}

#[test]
fn killed_after_the_answer_the_agent_goes_on_and_the_proof_comes_later() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    workstation.house.kill();
    workstation.until_shown("Bbb");
    // The answer may or may not have reached the hook; if not, the terminal still asks.
    let heard = |workstation: &Workstation| workstation.house.model.tool_result(CALL).is_some();
    workstation.press_until("\r", "an answer", heard);
    workstation.until_shown("all done now");
    workstation.house.start();
    assert_eq!(workstation.house.ask(id(&asked))["state"], "answered");
}

#[test]
fn stopped_in_peace_the_dialog_stays_as_well() {
    let mut workstation = Workstation::sit(question(), &Setting::default());
    workstation.prompt();
    workstation.rings();
    workstation.house.stop();
    picks_the_first(&mut workstation);
}
