//! `askbridge mcp` on a bare pipe: lines in, lines out.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::agent::{answer, house, open, until_delivered, until_held, which_database};
use crate::house::House;

pub(crate) struct Pipe {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Pipe {
    pub(crate) fn open(house: &House, client: &str) -> Self {
        Self::open_with(house, client, &json!({}))
    }

    /// Opens one to a client with these capabilities.
    pub(crate) fn open_with(house: &House, client: &str, capabilities: &Value) -> Self {
        let mut command = Command::new("setsid");
        command
            .arg(env!("CARGO_BIN_EXE_askbridge"))
            .arg("mcp")
            .env_clear()
            .envs(house.scratch.env("http://127.0.0.1:9"));
        command.env("ASKBRIDGE_DATA", house.data()).current_dir(house.scratch.work());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut pipe = Self { child, stdin, stdout };
        pipe.writes(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": client, "version": "1"},
        }}));
        assert_eq!(pipe.reads()["result"]["protocolVersion"], "2025-06-18");
        pipe.writes(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        pipe
    }

    pub(crate) fn writes(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn calls(&mut self, id: u32, tool: &str, arguments: &Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.writes(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    #[track_caller]
    pub(crate) fn reads(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it wrote {line:?}"))
    }

    /// Returns the text of the next result.
    #[track_caller]
    pub(crate) fn words(&mut self) -> String {
        let result = self.reads();
        result["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn calls_are_answered_as_they_end_and_not_in_their_order() {
    let house = house(&[]);
    let mut pipe = Pipe::open(&house, "pipe");
    pipe.calls(1, "ask_user_question", &which_database());
    let ask = open(&house, 1).remove(0);
    pipe.calls(2, "notify_user", &json!({"message": "Meanwhile"}));
    assert_eq!(pipe.reads()["id"], 2);
    pipe.writes(&json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}));
    assert_eq!(pipe.reads(), json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    answer(&house, &ask, "SQLite");
    let last = pipe.reads();
    assert_eq!(
        (&last["id"], &last["result"]["content"][0]["text"]),
        (&json!(1), &json!("The person answered: SQLite"))
    );
}

#[test]
fn a_call_that_is_cancelled_leaves_its_question_open() {
    let house = house(&[]);
    let mut pipe = Pipe::open(&house, "pipe");
    pipe.calls(1, "ask_user_question", &which_database());
    let ask = open(&house, 1).remove(0);
    pipe.writes(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    until_held(&house, 0);
    answer(&house, &open(&house, 1)[0], "Postgres");
    pipe.calls(2, "wait_for_answer", &json!({}));
    assert_eq!(pipe.words(), "The person answered: Postgres");
    until_delivered(&house, &ask);
}

#[test]
fn whatever_was_asked_before_a_script_closed_its_end_is_answered() {
    let house = house(&[]);
    let mut pipe = Pipe::open(&house, "script");
    pipe.calls(1, "notify_user", &json!({"message": "Bye"}));
    drop(pipe.stdin.take());
    assert_eq!(pipe.words(), "The person will see this. No answer will come.");
    assert!(pipe.child.wait().unwrap().success());
}

#[test]
fn nonsense_is_answered_and_ends_nothing() {
    let house = house(&[]);
    let mut pipe = Pipe::open(&house, "pipe");
    writeln!(pipe.stdin.as_mut().unwrap(), "nonsense").unwrap();
    assert_eq!(pipe.reads()["error"]["code"], -32700);
    let long = json!({"questions": [{"question": "x".repeat(600 * 1024)}]});
    pipe.calls(1, "ask_user_question", &long);
    let refused = pipe.reads();
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    pipe.writes(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    assert_eq!(pipe.reads()["id"], 2);
}
