//! A server that is not running, stops, or comes back.

use serde_json::json;

use crate::agent::{Agent, ClientKind, answer, house, open, ticket, until_delivered, which_database};
use crate::pipe::Pipe;

#[test]
fn a_client_starts_without_a_server_and_its_calls_say_what_to_type() {
    let mut house = house(&[]);
    house.stop();
    let mut pipe = Pipe::open(&house, "claude-code");
    pipe.calls(1, "ask_user_question", &which_database());
    let failed = pipe.reads();
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    let words = failed["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("start it with `askbridge`") && words.contains("do not assume"), "{words}");
    pipe.calls(2, "approve", &json!({"tool_name": "Bash", "input": {"command": "rm -r /"}}));
    let decision: serde_json::Value = serde_json::from_str(&pipe.words()).unwrap();
    assert_eq!(decision["behavior"], "deny");
    // The client need not be restarted once the server runs.
    house.start();
    pipe.calls(3, "ask_user_question", &which_database());
    let ask = open(&house, 1).remove(0);
    answer(&house, &ask, "SQLite");
    assert_eq!(pipe.words(), "The person answered: SQLite");
}

#[test]
fn a_call_outlives_the_server_that_is_killed_and_started_again() {
    let mut house = house(&[]);
    let mut agent = Agent::start(&house, ClientKind::ModernStdio);
    agent.calls("ask_user_question", &which_database());
    let ask = open(&house, 1).remove(0);
    house.kill();
    house.start();
    assert_eq!(open(&house, 1)[0]["id"], ask["id"]);
    answer(&house, &ask, "Postgres");
    assert_eq!(agent.reads(), "The person answered: Postgres");
    until_delivered(&house, &ask);
}

#[test]
fn an_answer_that_was_not_heard_outlives_the_server() {
    let mut house = house(&[("ASKBRIDGE_MCP_WAIT", "1s")]);
    let mut pipe = Pipe::open(&house, "pipe");
    pipe.calls(1, "ask_user_question", &which_database());
    let ticket = ticket(&pipe.words()).to_owned();
    answer(&house, &open(&house, 1)[0], "SQLite");
    house.kill();
    house.start();
    pipe.calls(2, "notify_user", &json!({"message": "Back"}));
    let words = pipe.words();
    assert!(words.contains(&ticket) && words.ends_with("The person answered: SQLite"), "{words}");
}
