//! Plain `claude -p` with our hooks: no terminal and no prompt tool, so only we can answer, and with a deadline.

use std::process::{Command, Output, Stdio};

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, tool};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use super::terminal::Terminal;
use super::workstation::{CALL, asking, environment, furnish};
use crate::house::{House, id};

const FLAGS: [&str; 4] = ["-p", "hi-there", "--output-format", "json"];

fn touching() -> Script {
    asking([tool(CALL, "Bash", json!({"command": "touch here"}))])
}

fn furnished(server: &[(&str, &str)]) -> House {
    let house = House::open_with(touching(), server);
    furnish(&house, true);
    house
}

fn claude(house: &House) -> Command {
    let mut command = Command::new(places::claude());
    command.args(FLAGS).env_clear().envs(environment(house)).current_dir(house.scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn result(ended: &Output) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap()
}

/// Returns the only ask that there ever was.
fn asked(house: &House) -> Value {
    let items = house.get("/v1/asks?state=all")["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), 1, "{items:?}");
    house.ask(id(&items[0]))
}

fn until_delivered(house: &House) -> Value {
    house.until("the proof of delivery", || Some(asked(house)).filter(|ask| !ask["delivered_at"].is_null()))
}

#[test]
fn a_plain_run_goes_on_without_a_person_and_the_model_reads_that_nobody_came() {
    let house = furnished(&[("ASKBRIDGE_HOOKS_HEADLESS", "1s")]);
    let ended = claude(&house).output().unwrap();
    assert_eq!(result(&ended)["result"], "all done now");
    let told = house.model.until_result(CALL);
    assert_eq!(told.text, "Denied: nobody answered within 1 second. Go on without this tool call, or ask again.");
    assert!(!house.scratch.work().join("here").exists());
    let ask = until_delivered(&house);
    assert_eq!(ask["state"], "expired", "{ask}");
}

#[test]
fn a_person_who_is_there_in_time_decides_for_a_plain_run() {
    let house = furnished(&[("ASKBRIDGE_HOOKS_HEADLESS", "1h")]);
    let running = claude(&house).spawn().unwrap();
    let ask = house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    assert!(!ask["deadline"].is_null(), "{ask}");
    house.answer(id(&ask), json!({"decision": "allow"}));
    assert_eq!(result(&running.wait_with_output().unwrap())["result"], "all done now");
    assert!(house.scratch.work().join("here").exists());
    assert_eq!(until_delivered(&house)["state"], "answered");
}

#[test]
fn where_the_terms_say_stop_a_plain_run_stops_and_the_record_says_that_nobody_came() {
    let house = furnished(&[("ASKBRIDGE_HOOKS_HEADLESS", "1s"), ("ASKBRIDGE_TERMS_ON_EXPIRY", "stop")]);
    let ended = claude(&house).output().unwrap();
    assert!(!ended.status.success(), "{ended:?}");
    assert_eq!(house.model.tool_result(CALL), None, "the model is not asked again");
    let ask = until_delivered(&house);
    assert_eq!(ask["state"], "expired", "{ask}");
}

#[test]
fn a_plain_run_in_a_terminal_shows_no_dialog_either() {
    let house = furnished(&[("ASKBRIDGE_HOOKS_HEADLESS", "1s")]);
    let mut command = CommandBuilder::new(places::claude());
    command.env_clear();
    for (name, value) in environment(&house) {
        command.env(name, value);
    }
    command.args(["-p", "hi-there"]);
    command.cwd(house.scratch.work());
    let terminal = Terminal::open(command);
    house.until("the run to go on", || terminal.has_shown("all done now").then_some(()));
    assert_eq!(until_delivered(&house)["state"], "expired");
}

#[test]
fn a_plain_run_that_is_killed_takes_its_question_back() {
    let house = furnished(&[]);
    let mut running = claude(&house).spawn().unwrap();
    house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    running.kill().unwrap();
    running.wait().unwrap();
    let ask = house.until("the ask to be taken back", || Some(asked(&house)).filter(|ask| ask["state"] != "open"));
    assert_eq!(ask["state"], "withdrawn", "{ask}");
}

#[test]
fn a_plain_run_that_loses_its_server_goes_on_and_is_found_again_by_the_next() {
    let mut house = furnished(&[("ASKBRIDGE_HOOKS_HEADLESS", "1h")]);
    let running = claude(&house).spawn().unwrap();
    let ask = house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    house.kill();
    house.start();
    house.answer(id(&ask), json!({"decision": "allow"}));
    assert_eq!(result(&running.wait_with_output().unwrap())["result"], "all done now");
    assert_eq!(until_delivered(&house)["state"], "answered");
}

#[test]
fn a_plain_run_does_not_wait_for_a_server_that_stays_away() {
    let mut house = furnished(&[("ASKBRIDGE_HOOKS_HEADLESS", "1h")]);
    let running = claude(&house).spawn().unwrap();
    house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    house.kill();
    assert_eq!(result(&running.wait_with_output().unwrap())["result"], "all done now");
    assert!(!house.scratch.work().join("here").exists(), "Claude Code denied it by itself");
    house.start();
    let ask = house.until("the ask to be taken back", || Some(asked(&house)).filter(|ask| ask["state"] != "open"));
    assert_eq!(ask["state"], "withdrawn", "{ask}");
}
