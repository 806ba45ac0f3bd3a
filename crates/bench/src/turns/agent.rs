//! The relay's agent: a process of Claude Code's double, over stdio.

use std::borrow::Cow;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::subject::beside;

/// The flags of a host, the same that askbridge passes: what the model says is streamed.
const FLAGS: [&str; 8] = [
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
    "--permission-prompt-tool",
    "stdio",
    "--include-partial-messages",
];
const INITIALIZE: &str = r#"{"type":"control_request","request_id":"init","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"AskUserQuestion","hookCallbackIds":["hook_0"],"timeout":86400}]}}}"#;

pub(super) struct Agent {
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Killed when dropped.
    _child: Child,
}

impl Agent {
    /// Starts the process and registers the hook.
    pub(super) async fn start() -> Result<Self> {
        let mut command = Command::new(beside("fake-claude")?);
        command.args(FLAGS).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().context("could not start the double of Claude Code")?;
        let stdin = child.stdin.take().context("stdin is piped")?;
        let lines = BufReader::new(child.stdout.take().context("stdout is piped")?).lines();
        let mut agent = Self { stdin, lines, _child: child };
        agent.write(INITIALIZE).await?;
        let ready = agent.next().await?.unwrap_or_default();
        ensure!(ready.contains(r#""subtype":"success""#), "the agent did not initialize: {ready}");
        Ok(agent)
    }

    /// Returns the next line. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Result<Option<String>> {
        Ok(self.lines.next_line().await?)
    }

    /// Hands a message over; `text` is JSON.
    pub(super) async fn say(&mut self, uuid: &str, text: &str) -> Result<()> {
        let line = format!(
            r#"{{"type":"user","message":{{"role":"user","content":{text}}},"parent_tool_use_id":null,"session_id":"","uuid":"{uuid}"}}"#
        );
        self.write(&line).await
    }

    /// Answers the hook: allowed, with the input as it came and the answers in it.
    pub(super) async fn answer(&mut self, request: &str, input: &str, answers: &str) -> Result<()> {
        let open = input.trim_end().strip_suffix('}').context("an input is an object")?;
        let line = format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"{request}","response":{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{open},"answers":{answers}}}}}}}}}}}"#
        );
        self.write(&line).await
    }

    async fn write(&mut self, line: &str) -> Result<()> {
        let mut whole = String::with_capacity(line.len() + 1);
        whole.push_str(line);
        whole.push('\n');
        Ok(self.stdin.write_all(whole.as_bytes()).await?)
    }
}

/// A line of the agent, as far as a relay needs it.
#[derive(Deserialize)]
pub(super) struct AgentLine<'a> {
    pub(super) r#type: &'a str,
    pub(super) request_id: Option<&'a str>,
    #[serde(borrow)]
    pub(super) request: Option<HookRequest<'a>>,
    #[serde(borrow)]
    pub(super) event: Option<StreamEvent<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    pub(super) state: Option<&'a str>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct HookRequest<'a> {
    pub(super) tool_use_id: Option<&'a str>,
    #[serde(borrow)]
    pub(super) input: Option<HookInput<'a>>,
}

#[derive(Deserialize)]
pub(super) struct HookInput<'a> {
    #[serde(borrow)]
    pub(super) tool_input: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct QuestionInput<'a> {
    #[serde(borrow)]
    pub(super) questions: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct StreamEvent<'a> {
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Cow<'a, str>>,
}

/// A message of the agent, for the floor that stores what it says.
#[derive(Deserialize)]
pub(super) struct AgentMessage<'a> {
    #[serde(borrow)]
    pub(super) content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    pub(super) r#type: &'a str,
    #[serde(borrow)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<&'a str>,
}
