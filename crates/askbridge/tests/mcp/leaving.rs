//! The end of a client's process: its session is closed, however the process ends.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use askbridge_scripted::claude::places;
use askbridge_scripted::model::{Script, on_any_result, on_user, text, tool};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};

use crate::agent::{answer, house, open, stdio, ticket, until_delivered, which_database};
use crate::house::House;
use crate::pipe::Pipe;

/// How a process may end.
const ENDS: [Option<Signal>; 5] = [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::HUP), Some(Signal::KILL)];

fn may_bash_run() -> Value {
    json!({"tool_name": "Bash", "input": {"command": "touch x"}, "tool_use_id": "toolu_1"})
}

/// Waits until a session is over.
#[track_caller]
fn until_closed(house: &House, session: &Value) {
    let path = format!("/v1/sessions/{}", session.as_str().unwrap());
    house.until("the session to be closed", || (house.get(&path)["state"] == "closed").then_some(()));
}

fn end(pipe: &mut Pipe, signal: Option<Signal>) {
    match signal {
        Some(signal) => kill_process(Pid::from_child(&pipe.child), signal).unwrap(),
        None => drop(pipe.stdin.take()),
    }
    pipe.child.wait().unwrap();
}

#[test]
fn the_end_of_a_program_takes_its_approval_back_and_closes_its_session() {
    let house = house(&[]);
    for signal in ENDS {
        let mut pipe = Pipe::open(&house, "claude-code");
        pipe.calls(1, "approve", &may_bash_run());
        let ask = open(&house, 1).remove(0);
        end(&mut pipe, signal);
        open(&house, 0);
        let ask = house.ask(ask["id"].as_str().unwrap());
        assert_eq!(
            (&ask["state"], &ask["words"]),
            (&json!("withdrawn"), &json!("the agent's program ended")),
            "{signal:?}"
        );
        until_closed(&house, &ask["session"]);
    }
}

#[test]
fn a_program_that_died_while_no_server_ran_is_noticed_by_the_next_one() {
    let mut house = house(&[]);
    let mut pipe = Pipe::open(&house, "claude-code");
    pipe.calls(1, "approve", &may_bash_run());
    let ask = open(&house, 1).remove(0);
    house.kill();
    end(&mut pipe, Some(Signal::KILL));
    house.start();
    until_closed(&house, &ask["session"]);
    assert_eq!(house.ask(ask["id"].as_str().unwrap())["state"], "withdrawn");
}

#[test]
fn a_program_that_lives_is_still_watched_after_the_server_was_restarted() {
    let mut house = house(&[]);
    let mut pipe = Pipe::open(&house, "claude-code");
    pipe.calls(1, "notify_user", &json!({"message": "hello"}));
    pipe.words();
    let session = house.get("/v1/sessions")["items"][0]["id"].clone();
    house.kill();
    house.start();
    assert_eq!(house.get(&format!("/v1/sessions/{}", session.as_str().unwrap()))["state"], "active");
    end(&mut pipe, Some(Signal::KILL));
    until_closed(&house, &session);
}

#[test]
fn a_question_outlives_its_program_and_its_ticket_finds_the_answer() {
    let mut house = house(&[("ASKBRIDGE_MCP_WAIT", "1s")]);
    let mut pipe = Pipe::open(&house, "claude-code");
    pipe.calls(1, "ask_user_question", &which_database());
    let ticket = ticket(&pipe.words()).to_owned();
    end(&mut pipe, Some(Signal::KILL));
    // The next server knows this too.
    house.kill();
    house.start();
    let ask = open(&house, 1).remove(0);
    assert_eq!(ask["id"], json!(ticket));
    answer(&house, &ask, "SQLite");
    // Nothing is open in the session any more, so it is closed; the answer can still be read.
    until_closed(&house, &ask["session"]);
    let mut next = Pipe::open(&house, "claude-code");
    next.calls(1, "wait_for_answer", &json!({"ticket": ticket}));
    assert_eq!(next.words(), "The person answered: SQLite");
    until_delivered(&house, &ask);
}

/// `claude -p`, which a script runs in its own process group, as a shell does.
#[test]
fn a_run_of_claude_code_that_is_stopped_leaves_nothing_to_decide() {
    let call = tool("toolu_1", "Bash", json!({"command": "touch never", "description": "Make a file"}));
    let script = || Script::new().turn(on_any_result(), [text("done")]).turn(on_user("hi"), [call.clone()]);
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let house = House::open(script());
        let mut server = stdio(&house);
        server.as_object_mut().unwrap().remove("cwd");
        let config = json!({"mcpServers": {"askbridge": server}}).to_string();
        let mut claude = Command::new(places::claude());
        claude.args(["-p", "hi", "--strict-mcp-config", "--mcp-config", &config]);
        claude.args(["--permission-prompt-tool", "mcp__askbridge__approve"]);
        claude
            .env_clear()
            .envs(house.scratch.env(&house.model.url()))
            .current_dir(house.scratch.work())
            .process_group(0);
        let mut claude = claude.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ask = open(&house, 1).remove(0);
        kill_process_group(Pid::from_child(&claude), signal).unwrap();
        claude.wait().unwrap();
        until_closed(&house, &ask["session"]);
        open(&house, 0);
        assert_eq!(house.ask(ask["id"].as_str().unwrap())["state"], "withdrawn", "{signal:?}");
    }
}
