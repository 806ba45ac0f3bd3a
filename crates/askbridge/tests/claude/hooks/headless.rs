//! A person's own runs without a terminal: parked when policy says so, and resumed once the question is answered.

use std::process::{Command, Stdio};

use askbridge_scripted::claude::places;
use serde_json::{Value, json};

use super::workstation::{CALL, binary, environment, furnish, question};
use crate::house::{House, id};

/// A prompt tool that denies everything, so that whatever is allowed was allowed by us.
const PROMPT_TOOL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/claude/hooks/prompt_tool.py");

fn claude(house: &House) -> Command {
    let mut command = Command::new(places::claude());
    let servers = json!({"mcpServers": {"x": {"command": "python3", "args": [PROMPT_TOOL]}}});
    command.args(["-p", "hi-there", "--output-format", "json", "--permission-prompt-tool", "mcp__x__approve"]);
    command.arg("--mcp-config").arg(servers.to_string());
    command.env_clear().envs(environment(house)).current_dir(house.scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn resume(house: &House, args: &[&str]) -> (bool, String) {
    let mut command = Command::new("setsid");
    command.arg("--wait").arg(binary()).arg("resume").args(args).env_clear().envs(environment(house));
    let done = command.stdin(Stdio::null()).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    (done.status.success(), text)
}

fn rings(house: &House) -> Value {
    house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned())
}

#[test]
fn a_run_without_a_terminal_is_parked_and_goes_on_once_it_is_answered() {
    let house = House::open_with(question(), &[("ASKBRIDGE_HOOKS_PARK", "0")]);
    furnish(&house, true);
    let ended = claude(&house).output().unwrap();
    let result: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(result["deferred_tool_use"]["id"], CALL, "{result}");
    let asked = rings(&house);
    assert_eq!(asked["parked"], json!(true), "{asked}");
    let (fine, told) = resume(&house, &["--list"]);
    assert!(fine && told.contains(id(&asked)) && told.contains("waits"), "{told}");
    let (fine, told) = resume(&house, &[]);
    assert!(fine && told.contains("still waits"), "{told}");
    assert!(house.model.tool_result(CALL).is_none());

    house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let (fine, told) = resume(&house, &[]);
    assert!(fine && told.contains("all done now"), "{told}");
    let result = house.model.until_result(CALL);
    assert!(result.text.contains(r#""Which?"="Bbb""#), "{result:?}");
    house.until("the proof of delivery", || (!house.ask(id(&asked))["delivered_at"].is_null()).then_some(()));
    let (_, told) = resume(&house, &[]);
    assert!(told.contains("nothing is parked"), "{told}");
}

#[test]
fn a_run_that_is_answered_while_it_is_warm_never_ends() {
    let house = House::open_with(question(), &[("ASKBRIDGE_HOOKS_PARK", "1h")]);
    furnish(&house, true);
    let running = claude(&house).spawn().unwrap();
    let asked = rings(&house);
    house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let ended = running.wait_with_output().unwrap();
    let result: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(result["result"], "all done now", "{result}");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="Bbb""#));
}

#[test]
fn without_such_a_policy_the_prompt_tool_is_asked_as_well_and_the_first_answer_wins() {
    let house = House::open(question());
    furnish(&house, true);
    let ended = claude(&house).output().unwrap();
    let result: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(result["result"], "all done now", "{result}");
    let told = house.model.until_result(CALL);
    assert_eq!(told.text, "the prompt tool says no");
    let over = house.until("nothing to be open", || {
        let all = house.get("/v1/asks?state=all")["items"].as_array().unwrap().clone();
        all.into_iter().find(|ask| ask["state"] != "open")
    });
    // The run may end before its hook has asked; either way it had no terminal.
    let told = (over["state"].as_str().unwrap(), over["words"].as_str().unwrap());
    let wanted = [("overtaken", "the run's prompt tool"), ("withdrawn", "the agent has ended")];
    assert!(wanted.contains(&told), "{over}");
    assert_eq!(over["deadline"], json!(null), "its time is the prompt tool's");
}
