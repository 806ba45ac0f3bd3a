//! Claude Code on a laptop that is connected to the askbridge at home, over https: its hooks ask there.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, tool};
use serde_json::{Value, json};

use super::workstation::{CALL, Setting, Workstation, asking, binary, environment, furnish, question};
use crate::house::{House, id};
use crate::https::certify;

/// The data folder of the laptop: there is no server in it.
const LAPTOP: &str = "laptop";

/// A home that speaks https at an address that stays the same, and a laptop that is connected to it.
fn connected(script: Script, server: &[(&str, &str)]) -> House {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap().keep();
    let authority = certify(&folder);
    let listen = format!("127.0.0.1:{port}");
    let file = |name: &str| folder.join(name).display().to_string();
    let (certificate, key, public) = (file("fullchain.pem"), file("privkey.pem"), format!("http://{listen}"));
    let tls = [
        ("ASKBRIDGE_LISTEN", &*listen),
        ("ASKBRIDGE_TLS_CERT", &certificate),
        ("ASKBRIDGE_TLS_KEY", &key),
        // The test itself speaks plain http from this machine.
        ("ASKBRIDGE_PUBLIC_URL", &public),
    ];
    let house = House::open_with(script, &[&tls, server].concat());
    furnish(&house, true);
    let url = format!("https://localhost:{port}");
    let mut connecting = Command::new(binary());
    connecting.args(["connect", &url, "--name", "laptop", "--ca"]).arg(authority);
    connecting.env_clear().envs(there(&house)).stdin(Stdio::null()).stdout(Stdio::null());
    let mut connecting = connecting.spawn().unwrap();
    let tap = house.until("a tap", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    house.answer(id(&tap), json!({"decision": "allow"}));
    assert!(connecting.wait().unwrap().success());
    house
}

/// The environment on the laptop.
fn there(house: &House) -> Vec<(String, String)> {
    let mut variables = environment(house);
    for (name, value) in &mut variables {
        if name == "ASKBRIDGE_DATA" {
            *value = data(house);
        }
    }
    variables
}

fn data(house: &House) -> String {
    house.scratch.home().join(LAPTOP).display().to_string()
}

/// Claude Code in a terminal of the laptop, with a question on both screens.
fn asked_on_both() -> (Workstation, Value) {
    let house = connected(question(), &[]);
    let data = data(&house);
    let mut workstation = Workstation::take(house, &Setting::default(), &[("ASKBRIDGE_DATA", &data)]);
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("Bbb");
    (workstation, asked)
}

#[test]
fn answered_at_home_the_dialog_on_the_laptop_closes_and_the_card_says_which_machine_asked() {
    let (workstation, asked) = asked_on_both();
    assert_eq!((&asked["machine"], &asked["door"]), (&json!("laptop"), &json!("hook")));
    assert_eq!(asked["context"]["folder"], json!(workstation.house.scratch.work()));
    assert_eq!(asked["context"]["text"], "I have to ask.", "the laptop says what home cannot read");
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let result = workstation.result();
    assert!(result.text.contains(r#""Which?"="Bbb""#) && !result.is_error, "{result:?}");
    workstation.until_shown("all done now");
    assert_eq!(workstation.until_delivered(&asked)["state"], "answered");
}

#[test]
fn answered_on_the_laptop_the_card_at_home_closes_and_says_where() {
    let (mut workstation, asked) = asked_on_both();
    let result = workstation.answers_in_the_terminal();
    assert!(result.text.contains(r#""Which?"="Aaa""#), "{result:?}");
    assert_eq!(workstation.until_state(&asked, "overtaken")["words"], "the terminal");
}

#[test]
fn escape_on_the_laptop_takes_the_question_back() {
    let (mut workstation, asked) = asked_on_both();
    let ask = id(&asked).to_owned();
    workstation.press_until("\u{1b}", "the ask to be taken back", |workstation| {
        workstation.house.ask(&ask)["state"] != "open"
    });
    assert_eq!(workstation.house.ask(&ask)["state"], "overtaken");
}

#[test]
fn an_agent_that_is_killed_on_the_laptop_takes_its_question_along() {
    let (mut workstation, asked) = asked_on_both();
    workstation.terminal.kill();
    assert_eq!(workstation.until_state(&asked, "withdrawn")["words"], "the agent has ended");
}

#[test]
fn home_is_killed_during_the_question_and_the_hook_comes_back_to_the_same_ask() {
    let (mut workstation, asked) = asked_on_both();
    workstation.house.kill();
    workstation.house.start();
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    let result = workstation.result();
    assert!(result.text.contains(r#""Which?"="Bbb""#), "{result:?}");
    assert_eq!(workstation.until_delivered(&asked)["state"], "answered");
    let asks = workstation.house.get("/v1/asks?state=all")["items"].as_array().unwrap().clone();
    assert_eq!(asks.iter().filter(|ask| ask["machine"] == "laptop").count(), 1, "{asks:?}");
}

#[test]
fn home_is_down_and_the_terminal_works_as_if_we_were_not_installed() {
    let house = connected(question(), &[]);
    let data = data(&house);
    let mut workstation = Workstation::take(house, &Setting::default(), &[("ASKBRIDGE_DATA", &data)]);
    workstation.until_shown("❯");
    workstation.house.kill();
    workstation.prompt();
    let result = workstation.answers_in_the_terminal();
    assert!(result.text.contains(r#""Which?"="Aaa""#), "{result:?}");
    workstation.until_shown("all done now");
}

#[test]
fn a_revoked_laptop_asks_in_its_terminal_alone() {
    let (mut workstation, asked) = asked_on_both();
    let house = &workstation.house;
    let devices = house.get("/v1/devices")["items"].as_array().unwrap().clone();
    let laptop = devices.iter().find(|device| device["is_machine"] == true).unwrap();
    let path = format!("/v1/devices/{}", laptop["id"].as_str().unwrap());
    let (status, revoked) = crate::http::call(&house.address, &house.ada, "DELETE", &path, &Value::Null).unwrap();
    assert_eq!(status, 200, "{revoked}");
    workstation.until_state(&asked, "withdrawn");
    let result = workstation.answers_in_the_terminal();
    assert!(result.text.contains(r#""Which?"="Aaa""#), "{result:?}");
}

#[test]
fn a_plain_run_on_the_laptop_is_told_at_home_that_nobody_came() {
    let script = asking([tool(CALL, "Bash", json!({"command": "touch here"}))]);
    let house = connected(script, &[("ASKBRIDGE_HOOKS_HEADLESS", "1s")]);
    let mut command = Command::new(places::claude());
    command.args(["-p", "hi-there", "--output-format", "json"]).env_clear().envs(there(&house));
    command.current_dir(house.scratch.work()).stdin(Stdio::null()).stderr(Stdio::null());
    let ended = command.output().unwrap();
    let result: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(result["result"], "all done now");
    let told = house.model.until_result(CALL);
    assert_eq!(told.text, "Denied: nobody answered within 1 second. Go on without this tool call, or ask again.");
    assert!(!house.scratch.work().join("here").exists());
}
