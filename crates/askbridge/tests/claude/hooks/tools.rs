//! Our own tools in Claude Code, as `askbridge init claude --mcp` sets them up.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, tool};
use serde_json::{Value, json};

use super::workstation::{CALL, Setting, Workstation, asking, binary, environment, furnish};
use crate::house::{House, id};

const ASK: &str = "mcp__askbridge__ask_user_question";

pub(super) fn which_database() -> Value {
    let options = json!([{"label": "Postgres", "description": "relational"}, {"label": "SQLite"}]);
    json!({"questions": [{"question": "Which database?", "header": "Database", "options": options}]})
}

pub(super) fn asks_with_our_tool() -> Script {
    asking([tool(CALL, ASK, which_database())])
}

/// Makes a home in which `askbridge init claude --mcp` was run.
pub(super) fn set_up(house: &House) {
    furnish(house, false);
    let mut init = Command::new(binary());
    init.args(["init", "claude", "--mcp"]).env_clear().envs(environment(house)).current_dir(house.scratch.work());
    let done = init.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The kinds of all asks so far. A permission prompt for our tool would be an approval among them.
fn kinds(house: &House) -> Vec<Value> {
    let all = house.get("/v1/asks?state=all");
    all["items"].as_array().unwrap().iter().map(|ask| ask["kind"].clone()).collect()
}

#[test]
fn a_script_may_ask_without_asking_for_leave() {
    let house = House::open(asks_with_our_tool());
    set_up(&house);
    let mut claude = Command::new(places::claude());
    claude.args(["-p", "hi-there"]).env_clear().envs(environment(&house)).current_dir(house.scratch.work());
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
    let mut workstation = Workstation::take(house, &Setting::default(), &[]);
    workstation.prompt();
    let asked = workstation.rings();
    assert_eq!(asked["kind"], "questions", "{asked}");
    workstation.house.answer(id(&asked), json!({"answers": {"Which database?": "SQLite"}}));
    assert_eq!(workstation.result().text, "The person answered: SQLite");
    assert_eq!(kinds(&workstation.house), ["questions"]);
    assert!(!workstation.terminal.has_shown("Do you want to proceed"));
}

/// A limit of Claude Code, two minutes by default, scaled down: after it a call is moved to the background.
const MOVED_AFTER: (&str, &str) = ("CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS", "3000");
/// Twice as long, and some to spare.
const PERSON_TAKES: Duration = Duration::from_secs(8);

/// Longer than a program takes to respond that no person is there.
const PERSON_READS: Duration = Duration::from_secs(2);
const RIGHT: &str = "\u{1b}[C";
const DOWN: &str = "\u{1b}[B";
const ESCAPE: &str = "\u{1b}";

/// Starts Claude Code in a terminal, whose model has asked with our tool, both in a dialog and on the phone.
fn asked_in_both_places() -> (Workstation, Value) {
    let house = House::open(asks_with_our_tool());
    set_up(&house);
    let mut workstation = Workstation::take(house, &Setting::default(), &[MOVED_AFTER]);
    workstation.prompt();
    let asked = workstation.rings();
    workstation.until_shown("requests your input");
    (workstation, asked)
}

/// Returns everything that the model was told, and how often it called a tool.
fn told(workstation: &Workstation) -> (String, usize) {
    let last = workstation.house.model.last().unwrap().body["messages"].to_string();
    let calls = last.matches(r#""type":"tool_use""#).count();
    (last, calls)
}

#[test]
fn an_answer_from_the_phone_is_an_ordinary_result_however_long_it_takes() {
    let (workstation, asked) = asked_in_both_places();
    thread::sleep(PERSON_TAKES);
    workstation.house.answer(id(&asked), json!({"answers": {"Which database?": "SQLite"}}));
    assert_eq!(workstation.result().text, "The person answered: SQLite");
    workstation.until_delivered(&asked);
    workstation.until_shown("all done now");
    let (told, calls) = told(&workstation);
    assert!(calls == 1 && !told.contains("NOT USER INPUT") && !told.contains("background"), "{told}");
    // The card already shows the question, so the agent's open dialog is not announced.
    let sessions = workstation.house.get("/v1/sessions")["items"].clone();
    let doors: Vec<_> = sessions.as_array().unwrap().iter().map(|session| session["door"].clone()).collect();
    assert_eq!(doors, ["mcp"], "{sessions}");
}

#[test]
fn an_answer_in_the_terminal_closes_the_card_on_the_phone() {
    let (mut workstation, asked) = asked_in_both_places();
    thread::sleep(PERSON_TAKES);
    // Opens the options, takes the second, and skips the line for free text.
    for (keys, shown) in [(RIGHT, "Space to select"), (DOWN, "❯ SQLite"), ("\r", "✔ Database"), (DOWN, "❯ Accept")]
    {
        workstation.press_until(keys, shown, |workstation| workstation.terminal.has_shown(shown));
    }
    workstation
        .press_until("\r", "the form to be taken", |workstation| workstation.house.model.tool_result(CALL).is_some());
    assert_eq!(workstation.result().text, "The person answered in the terminal: SQLite");
    let ask = workstation.until_state(&asked, "overtaken");
    assert_eq!(ask["words"], "the terminal", "{ask}");
}

#[test]
fn a_dialog_that_is_closed_gives_the_turn_back_and_leaves_the_question() {
    let (mut workstation, asked) = asked_in_both_places();
    // A program closes the dialog sooner than a person could.
    thread::sleep(PERSON_READS);
    workstation
        .press_until(ESCAPE, "the dialog to close", |workstation| workstation.house.model.tool_result(CALL).is_some());
    let told = workstation.result().text;
    assert!(told.contains("closed this question in the terminal") && told.contains(id(&asked)), "{told}");
    workstation.until_shown("all done now");
    assert_eq!(workstation.house.ask(id(&asked))["state"], "open");
}

#[test]
fn with_hooks_and_our_prompt_tool_one_call_is_one_card() {
    let house = House::open(asking([tool(CALL, "Bash", json!({"command": "touch made", "description": "Make it"}))]));
    set_up(&house);
    let mut claude = Command::new(places::claude());
    claude.args(["-p", "hi-there", "--permission-prompt-tool", "mcp__askbridge__approve"]);
    claude.env_clear().envs(environment(&house)).current_dir(house.scratch.work());
    let claude = claude.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let asked =
        house.until("the phone to ring", || house.get("/v1/asks")["items"].as_array().unwrap().first().cloned());
    house.answer(id(&asked), json!({"decision": "allow"}));
    assert!(claude.wait_with_output().unwrap().status.success());
    assert!(house.scratch.work().join("made").exists());
    // By now both would have asked: the tool has run, and the hook after it has reported that.
    let all = house.get("/v1/asks?state=all")["items"].clone();
    let all: Vec<_> = all.as_array().unwrap().iter().map(|ask| (ask["id"].clone(), ask["state"].clone())).collect();
    assert_eq!(all, [(asked["id"].clone(), json!("answered"))]);
}
