//! Our own tools in Claude Code, as `askbridge init claude --mcp` sets them up.

use std::process::{Command, Stdio};

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, tool};
use serde_json::{Value, json};

use super::desk::{CALL, Desk, Setting, asking, binary, environment, furnish};
use crate::house::{House, id};

const ASK: &str = "mcp__askbridge__ask_user_question";

pub(super) fn which_database() -> Value {
    let options = json!([{"label": "Postgres", "description": "relational"}, {"label": "SQLite"}]);
    json!({"questions": [{"question": "Which database?", "header": "Database", "options": options}]})
}

pub(super) fn asks_with_our_tool() -> Script {
    asking([tool(CALL, ASK, which_database())])
}

/// A home in which somebody has typed `askbridge init claude --mcp`.
pub(super) fn set_up(house: &House) {
    furnish(house, false);
    let mut init = Command::new(binary());
    init.args(["init", "claude", "--mcp"]).env_clear().envs(environment(house)).current_dir(house.room.work());
    let done = init.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// What was ever asked in this house. Asking for leave to ask would be an approval among them.
fn kinds(house: &House) -> Vec<Value> {
    let all = house.get("/v1/asks?state=all");
    all["items"].as_array().unwrap().iter().map(|ask| ask["kind"].clone()).collect()
}

#[test]
fn a_script_may_ask_without_asking_for_leave() {
    let house = House::open(asks_with_our_tool());
    set_up(&house);
    let mut claude = Command::new(places::claude());
    claude.args(["-p", "hi-there"]).env_clear().envs(environment(&house)).current_dir(house.room.work());
    let claude = claude.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let asked =
        house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    assert_eq!(asked["kind"], "questions", "{asked}");
    house.answer(id(&asked), json!({"answers": {"Which database?": "SQLite"}}));
    assert_eq!(house.model.until_result(CALL).text, "The person answered: SQLite");
    assert!(claude.wait_with_output().unwrap().status.success());
    assert_eq!(kinds(&house), ["questions"]);
}

#[test]
fn in_a_terminal_it_may_ask_without_asking_for_leave() {
    let house = House::open(asks_with_our_tool());
    set_up(&house);
    let mut desk = Desk::take(house, &Setting::default(), &[]);
    desk.prompt();
    let asked = desk.rings();
    assert_eq!(asked["kind"], "questions", "{asked}");
    desk.house.answer(id(&asked), json!({"answers": {"Which database?": "SQLite"}}));
    assert_eq!(desk.result().text, "The person answered: SQLite");
    assert_eq!(kinds(&desk.house), ["questions"]);
    assert!(!desk.terminal.has_shown("Do you want to proceed"));
}
