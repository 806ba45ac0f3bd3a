//! Checks MCP servers in the settings of any program: starts each as that program would, and calls its tool.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::examiner::{Examiner, Seen};
use super::hook::{again, place, skipped};
use super::stand_in::{CommandOutput, start};
use crate::commands::doctor::finding::Finding;
use crate::commands::doctor::patient::Patient;
use crate::commands::init::{CallMethod, Door, doors, shell_line};
use crate::settings::Surroundings;

/// The protocol version that we request; servers respond with their own.
const PROTOCOL: &str = "2025-06-18";
/// The tool that asks.
const TOOL: &str = "ask_user_question";
/// How long a server may take to start. Beyond: it does not work.
const PATIENCE: Duration = Duration::from_secs(20);

pub(in crate::commands::doctor) async fn look(patient: &Patient) -> Vec<Finding> {
    let Ok(around) = Surroundings::look() else { return vec![Finding::skipped("HOME is not set")] };
    let doors = doors(&patient.settings, &around).into_iter().flatten();
    let servers: Vec<_> =
        doors.filter(|door| matches!(door.method, CallMethod::Mcp { .. } | CallMethod::HttpMcp { .. })).collect();
    if servers.is_empty() {
        return vec![Finding::skipped("no program knows askbridge as an MCP server; see `askbridge init`")];
    }
    let examiner = match Examiner::meet(patient).await {
        Ok(examiner) => examiner,
        Err(failure) => {
            let what = format!("MCP servers could not be tried: {}", failure.what());
            return vec![Finding::bad(what, "see what is bad above")];
        }
    };
    let mut findings = Vec::new();
    for door in &servers {
        if let Some(finding) = skipped(door) {
            findings.push(finding);
            continue;
        }
        findings.push(match &door.method {
            CallMethod::Mcp { command } => try_server(&examiner, door, command).await,
            _ => Finding::skipped(format!("{}: written by hand, over HTTP; not tried", place(door))),
        });
    }
    examiner.leave().await;
    findings
}

async fn try_server(examiner: &Examiner, door: &Door, command: &[String]) -> Finding {
    let (place, own) = (place(door), again(door));
    if examiner.folder().is_some() && command.iter().any(|word| word == "--data") {
        return Finding::skipped(format!(
            "{place}: askbridge is not running; start it with `askbridge`, then this can be tried"
        ));
    }
    let line = shell_line(command);
    let mut server = match start(&line, examiner.folder()).and_then(Server::new) {
        Ok(server) => server,
        Err(error) => return Finding::bad(format!("{place}: could not run a shell: {error}"), own),
    };
    let tools = match timeout(PATIENCE, server.greet()).await {
        Ok(Some(tools)) => tools,
        Ok(None) => {
            let why = server.ended().await.why("mcp").unwrap_or_else(|| "it ended".to_owned());
            return Finding::bad(format!("{place}: `{line}` does not work: {why}"), own);
        }
        Err(_) => return Finding::bad(format!("{place}: `{line}` does not answer"), own),
    };
    if !tools.iter().any(|tool| tool == TOOL) {
        return Finding::bad(format!("{place}: `{line}` offers no tool `{TOOL}`"), own);
    }
    let question = format!(
        "This is a test by `askbridge doctor`, through the MCP server of {}; it answers this itself. Works?",
        door.program.name()
    );
    match examiner.attend(&question, server.ask(&question)).await {
        Ok(Seen::Answered(Some(Some(result)))) if result.to_string().contains("Yes") => {
            Finding::good(format!("{place}: a test was asked, answered and heard"))
        }
        Ok(Seen::Answered(_)) => {
            Finding::bad(format!("{place}: a test was asked and answered, and the tool did not say so"), own)
        }
        Ok(Seen::Withdrawn(why)) => {
            Finding::good(format!("{place}: a test was asked, seen and withdrawn; not answered, since {why}"))
        }
        Ok(Seen::NotAsked(Some(result))) => {
            let said: String = result["content"][0]["text"].as_str().unwrap_or("nothing").chars().take(200).collect();
            Finding::bad(format!("{place}: the tool asked nothing, and said: {said}"), own)
        }
        Ok(Seen::NotAsked(None) | Seen::Silence) => Finding::bad(format!("{place}: `{line}` asked nothing"), own),
        Err(failure) => Finding::bad(format!("{place}: {}", failure.what()), own),
    }
}

/// A running MCP server on stdin and stdout.
struct Server {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    calls: u64,
}

impl Server {
    fn new(mut child: Child) -> std::io::Result<Self> {
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, stdin, lines: BufReader::new(stdout).lines(), calls: 0 })
    }

    /// Initializes, and returns the names of its tools. `None`: it ended.
    async fn greet(&mut self) -> Option<Vec<String>> {
        let who = json!({"name": "askbridge-doctor", "version": env!("CARGO_PKG_VERSION")});
        self.call("initialize", json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": who})).await?;
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        let list = self.call("tools/list", json!({})).await?;
        let names = list["tools"].as_array()?.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned));
        Some(names.collect())
    }

    async fn ask(&mut self, question: &str) -> Option<Value> {
        let options =
            json!([{"label": "Yes", "description": "It works."}, {"label": "No", "description": "It does not."}]);
        let questions = json!([{"question": question, "header": "Test", "multiSelect": false, "options": options}]);
        self.call("tools/call", json!({"name": TOOL, "arguments": {"questions": questions}})).await
    }

    /// Returns the result of a call; an error counts as one.
    async fn call(&mut self, method: &str, params: Value) -> Option<Value> {
        self.calls += 1;
        let id = self.calls;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let line = self.lines.next_line().await.ok()??;
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["id"] == id && message.get("method").is_none() {
                let error = json!({"content": [{"text": message["error"]["message"]}]});
                return Some(message.get("result").cloned().unwrap_or(error));
            }
        }
    }

    async fn say(&mut self, message: &Value) -> Option<()> {
        self.stdin.write_all(format!("{message}\n").as_bytes()).await.ok()
    }

    async fn ended(self) -> CommandOutput {
        drop(self.stdin);
        let output = timeout(PATIENCE, self.child.wait_with_output()).await;
        let output = output.ok().and_then(Result::ok);
        let stderr = output.as_ref().map(|output| String::from_utf8_lossy(&output.stderr).trim().to_owned());
        let code = output.and_then(|output| output.status.code());
        CommandOutput { code, stdout: String::new(), stderr: stderr.unwrap_or_default() }
    }
}
