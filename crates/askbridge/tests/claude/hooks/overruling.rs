//! Auto mode denies a call in a person's own run or terminal; a person overrules that from elsewhere.

use std::process::{Child, Command, Stdio};

use askbridge_scripted::claude::places;
use serde_json::{Value, json};

use super::workstation::{Setting, Workstation, binary, environment, furnish};
use crate::house::{House, id};
use crate::overruling::{made, three_times};

/// The hooks of `askbridge init claude --rules`: of every call, and of every denial.
fn furnish_for_denials(house: &House) {
    furnish(house, false);
    let printed = Command::new(binary()).args(["hook", "--print-settings", "--rules"]).output().unwrap();
    assert!(printed.status.success());
    std::fs::write(house.scratch.home().join(".claude/settings.json"), printed.stdout).unwrap();
}

fn run(house: &House) -> Child {
    let mut command = Command::new(places::claude());
    command.args(["-p", "hi-there", "--output-format", "json", "--permission-mode", "auto"]);
    command.env_clear().envs(environment(house)).current_dir(house.scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn rings(house: &House) -> Value {
    house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned())
}

fn ends(run: Child) -> Value {
    serde_json::from_slice(&run.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_person_lets_a_denied_call_of_a_run_through_and_it_runs_once() {
    let house = House::open(three_times());
    furnish_for_denials(&house);
    house.model.open("again");
    let run = run(&house);
    let denied = rings(&house);
    assert_eq!((&denied["approval"]["overrule"], &denied["door"]), (&json!(true), &json!("hook")), "{denied}");
    assert_eq!(denied["approval"]["reason"], "Claude Code's auto mode denied it: Classifier unavailable");
    assert_eq!(denied["context"]["folder"], json!(house.scratch.work()), "{denied}");
    assert!(denied["deadline"].is_string(), "the run does not wait for ever");
    house.answer(id(&denied), json!({"decision": "allow"}));
    assert!(!house.model.until_result("toolu_2").is_error);
    assert_eq!(made(&house), "x");
    let again =
        house.until("the third call to be denied", || Some(rings(&house)).filter(|ask| ask["id"] != denied["id"]));
    house.answer(id(&again), json!({"decision": "deny", "words": "use-something-else"}));
    let result = ends(run);
    assert_eq!(result["result"], "understood", "{result}");
    assert!(house.model.until_result("toolu_3").is_error);
    assert_eq!(made(&house), "x");
    let over = house.ask(id(&denied));
    assert!(over["delivered_at"].is_string(), "{over}");
}

#[test]
fn an_overrule_of_a_run_survives_a_kill_between_the_two_hooks() {
    let mut house = House::open(three_times());
    furnish_for_denials(&house);
    let run = run(&house);
    let denied = rings(&house);
    house.answer(id(&denied), json!({"decision": "allow"}));
    house.model.reached("again");
    house.kill();
    house.start();
    house.model.open("again");
    assert!(!house.model.until_result("toolu_2").is_error);
    let again =
        house.until("the third call to be denied", || Some(rings(&house)).filter(|ask| ask["id"] != denied["id"]));
    house.answer(id(&again), json!({"decision": "deny"}));
    assert_eq!(ends(run)["result"], "given up");
    assert_eq!(made(&house), "x");
}

#[test]
fn nobody_attends_a_run_and_its_denial_stands() {
    let house = House::open_with(three_times(), &[("ASKBRIDGE_HOOKS_DENIED_WAIT", "1s")]);
    furnish_for_denials(&house);
    house.model.open("again");
    let run = run(&house);
    assert_eq!(ends(run)["result"], "given up");
    assert_eq!(made(&house), "");
    let all = house.get("/v1/asks?state=all")["items"].as_array().unwrap().clone();
    assert!(all.iter().all(|ask| ask["state"] == "expired"), "{all:?}");
}

/// Behind a gateway that does not pass the vendor's check through, Claude Code denies nothing in a terminal: it asks with
/// dialogs of its own, for which it calls no hook. So there is nothing to overrule, and no card.
#[test]
fn in_a_terminal_without_the_vendors_check_claude_code_asks_by_itself() {
    let house = House::open(three_times());
    furnish_for_denials(&house);
    let setting = Setting { mode: "auto", ..Setting::default() };
    let mut workstation = Workstation::take(house, &setting, &[]);
    workstation.prompt();
    workstation.until_shown("can'tcheckactionsinthissession");
    assert!(workstation.open_asks().is_empty());
    assert!(workstation.house.model.tool_result("toolu_1").is_none());
}
