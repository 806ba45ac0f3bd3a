//! The real Claude Code as a client: with our tools, and with us as its permission prompt tool.

use std::fs;
use std::process::{Child, Command, Stdio};

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, on_any_result, on_user, text, tool};
use serde_json::{Value, json};

use crate::agent::{answer, open, stdio, until_delivered, which_database};
use crate::house::House;

const CALL: &str = "toolu_1";

/// Starts it as a person does in a script, with us among its MCP servers.
fn claude(house: &House, more: &[&str]) -> Child {
    let mut server = stdio(house);
    server.as_object_mut().unwrap().remove("cwd");
    let config = json!({"mcpServers": {"askbridge": server}}).to_string();
    let mut command = Command::new("setsid");
    command.arg(places::claude()).args(["-p", "hi", "--strict-mcp-config", "--mcp-config", &config]).args(more);
    command.env_clear().envs(house.scratch.env(&house.model.url())).current_dir(house.scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn ended(child: Child) {
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
}

fn calls(name: &str, input: Value) -> Script {
    Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [tool(CALL, name, input)])
}

#[test]
fn claude_code_asks_with_our_tool_and_its_model_reads_the_answer() {
    let house = House::open(calls("mcp__askbridge__ask_user_question", which_database()));
    let child = claude(&house, &["--allowedTools", "mcp__askbridge__ask_user_question"]);
    let ask = open(&house, 1).remove(0);
    assert_eq!((&ask["agent"], &ask["context"]["folder"]), (&json!("Claude Code"), &json!(house.scratch.work())));
    answer(&house, &ask, "SQLite");
    assert_eq!(house.model.until_result(CALL).text, "The person answered: SQLite");
    until_delivered(&house, &ask);
    ended(child);
}

#[test]
fn a_person_allows_what_claude_code_asks_us_for() {
    let house = House::open(calls("Bash", json!({"command": "touch allowed", "description": "Make a file"})));
    let child = claude(&house, &["--permission-prompt-tool", "mcp__askbridge__approve"]);
    let ask = open(&house, 1).remove(0);
    assert_eq!((&ask["kind"], &ask["approval"]["summary"]), (&json!("approval"), &json!("touch allowed")));
    assert!(!house.scratch.work().join("allowed").exists());
    house.answer(ask["id"].as_str().unwrap(), json!({"decision": "allow"}));
    ended(child);
    assert!(house.scratch.work().join("allowed").exists());
    // MCP does not show whether the call ran, or with which input.
    let id = ask["id"].as_str().unwrap();
    let over =
        house.until("the decision to be taken", || Some(house.ask(id)).filter(|ask| ask["handed_at"].is_string()));
    assert!(over["delivered_at"].is_null(), "{over}");
}

#[test]
fn a_change_that_claude_code_would_not_run_is_refused_before_it_counts() {
    let house = House::open(calls("Bash", json!({"command": "touch original", "description": "Make a file"})));
    let child = claude(&house, &["--permission-prompt-tool", "mcp__askbridge__approve"]);
    let ask = open(&house, 1).remove(0);
    let path = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap());
    for input in [json!("x"), json!([]), json!({}), json!({"command": 5}), json!({"comand": "touch changed"})] {
        let (status, problem) = house.post(&path, &json!({"decision": "allow", "input": input}));
        assert_eq!((status, &problem["code"]), (422, &json!("answer_does_not_fit")), "{input}: {problem}");
    }
    house.answer(ask["id"].as_str().unwrap(), json!({"decision": "allow", "input": {"command": "touch changed"}}));
    ended(child);
    let work = house.scratch.work();
    assert!(work.join("changed").exists() && !work.join("original").exists());
}

#[test]
fn a_person_denies_it_with_words_that_the_model_reads() {
    let house = House::open(calls("Bash", json!({"command": "touch denied", "description": "Make a file"})));
    let child = claude(&house, &["--permission-prompt-tool", "mcp__askbridge__approve"]);
    let ask = open(&house, 1).remove(0);
    house.answer(ask["id"].as_str().unwrap(), json!({"decision": "deny", "words": "not on a Sunday"}));
    let told = house.model.until_result(CALL).text;
    assert!(told.contains("not on a Sunday"), "{told}");
    ended(child);
    assert!(!house.scratch.work().join("denied").exists());
}

#[test]
fn claude_codes_own_question_reaches_a_person_through_the_prompt_tool() {
    let house = House::open(calls(
        "AskUserQuestion",
        json!({"questions": [{
            "question": "Which database?", "header": "Database", "multiSelect": false,
            "options": [{"label": "Postgres", "description": "relational"}, {"label": "SQLite", "description": "a file"}],
        }]}),
    ));
    let child = claude(&house, &["--permission-prompt-tool", "mcp__askbridge__approve"]);
    let ask = open(&house, 1).remove(0);
    assert_eq!(ask["kind"], "questions");
    answer(&house, &ask, "SQLite");
    let told = house.model.until_result(CALL).text;
    assert!(told.contains(r#""Which database?"="SQLite""#), "{told}");
    ended(child);
    until_delivered(&house, &ask);
}

#[test]
fn without_a_server_nothing_is_allowed() {
    let mut house = House::open(calls("Bash", json!({"command": "touch unasked", "description": "Make a file"})));
    house.stop();
    let child = claude(&house, &["--permission-prompt-tool", "mcp__askbridge__approve"]);
    let told = house.model.until_result(CALL).text;
    assert!(told.contains("askbridge is not running"), "{told}");
    ended(child);
    assert!(fs::read_dir(house.scratch.work()).unwrap().flatten().all(|entry| entry.file_name() != "unasked"));
}
