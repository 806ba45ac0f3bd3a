//! Hosted agents: rounds through the FIFO and the spool, as in production, and the server's memory for each agent.
//!
//! The agent is the double of Claude Code, one process per session, which asks again as soon as it has read its answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::{sleep, sleep_until};

use crate::footprint::resident;
use crate::http::Connection;
use crate::load::{answer_everything, greet};
use crate::measure::{Figures, cpu_time};
use crate::subject::{AS_FAST_AS_IT_CAN, Subject, beside};

/// Nothing takes this long. Beyond: it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
const BREATH: Duration = Duration::from_millis(5);
/// The length of the warm-up run.
const WARM_UP_MS: u64 = 300;
/// How long it may take until every agent knows when to begin.
const GET_READY: Duration = Duration::from_secs(2);

/// A server with hosted agents.
struct Hosted {
    subject: Subject,
    work: PathBuf,
    /// Must outlive the server: the agents' files are in it.
    _folder: TempDir,
    sessions: Vec<String>,
    /// Settings that every session is started with.
    more: Value,
}

/// Runs rounds in `sessions` agents at once. Returns the figures per round.
pub(crate) async fn measure(root: &Path, sessions: usize, span: Duration) -> Result<Figures> {
    let mut hosted = Hosted::start(root, &[("FAKE_CLAUDE_DRILL", "1")], json!({})).await?;
    hosted.more(sessions).await?;
    let mut socket = greet(&hosted.subject).await?;
    let person = tokio::spawn(async move { answer_everything(&mut socket, |_| true).await });
    hosted.drill(WARM_UP_MS).await?;
    // All agents begin at once, as in the floor's runs: with fewer, a round costs more.
    let (began, pid) = (Instant::now() + GET_READY, hosted.subject.pid);
    hosted.begin_drill(span.as_millis().try_into()?, GET_READY).await?;
    ensure!(Instant::now() < began, "the agents were not ready in time");
    sleep_until(began.into()).await;
    let cpu = cpu_time(pid)?;
    sleep_until((began + span).into()).await;
    let cpu = cpu_time(pid)? - cpu;
    let took = hosted.end_drill(span).await?;
    person.abort();
    hosted.stop().await?;
    Figures::of(took, cpu, span)
}

/// What an agent costs the server, in bytes of memory.
pub(crate) struct Memory {
    pub(crate) running: f64,
    pub(crate) parked: f64,
}

pub(crate) async fn memory(root: &Path, sessions: usize) -> Result<Memory> {
    let mut hosted = Hosted::start(root, &[("FAKE_CLAUDE_DRILL", "1")], json!({})).await?;
    // The first agents pay for one-time allocations.
    hosted.more(8).await?;
    hosted.drill(0).await?;
    let before = resident(hosted.subject.pid)?;
    hosted.more(sessions).await?;
    hosted.drill(0).await?;
    let running = resident(hosted.subject.pid)?.saturating_sub(before) as f64 / sessions as f64;
    hosted.stop().await?;

    let mut hosted =
        Hosted::start(root, &[("FAKE_CLAUDE_SCRIPT", &one_question())], json!({"warm_seconds": 0})).await?;
    hosted.more(8).await?;
    hosted.park().await?;
    let before = resident(hosted.subject.pid)?;
    hosted.sessions.clear();
    hosted.more(sessions).await?;
    hosted.park().await?;
    let parked = resident(hosted.subject.pid)?.saturating_sub(before) as f64 / sessions as f64;
    hosted.stop().await?;
    Ok(Memory { running, parked })
}

/// Times the hook before a call in one agent, with these rules in force. Returns how long each call waited for them.
pub(crate) async fn calls(root: &Path, rules: &Path, span: Duration) -> Result<Vec<Duration>> {
    let rules = rules.to_str().context("the path is text")?;
    let mut hosted =
        Hosted::start(root, &[("FAKE_CLAUDE_DRILL", "calls"), ("ASKBRIDGE_RULES", rules)], json!({})).await?;
    hosted.more(1).await?;
    hosted.drill(WARM_UP_MS).await?;
    let took = hosted.drill(span.as_millis().try_into()?).await?;
    hosted.stop().await?;
    Ok(took)
}

/// A script that asks one question, whatever the prompt.
fn one_question() -> String {
    let options = json!([{"label": "A", "description": "One"}, {"label": "B", "description": "Other"}]);
    let question = json!({"question": "Which?", "header": "Which", "options": options, "multiSelect": false});
    let call = json!({"id": "toolu_{turn}", "name": "AskUserQuestion", "input": {"questions": [question]}});
    json!({"turns": [{"when": "anything", "say": {"message": [{"tool": call}]}}]}).to_string()
}

impl Hosted {
    async fn start(root: &Path, env: &[(&str, &str)], more: Value) -> Result<Self> {
        let folder = TempDir::new_in(fs::canonicalize(root)?)?;
        let (home, work) = (folder.path().join("home"), folder.path().join("work"));
        fs::create_dir(&home)?;
        fs::create_dir(&work)?;
        let mut command = Subject::command(&folder.path().join("data"), "127.0.0.1:0")?;
        let names: Vec<_> = env.iter().map(|(name, _)| *name).collect();
        command.env("ASKBRIDGE_CLAUDE", beside("fake-claude")?).env("ASKBRIDGE_AGENT_ENV", names.join(","));
        command.env("ASKBRIDGE_ROOTS", &work).env("ASKBRIDGE_AGENTS_MAX", "255").env("HOME", &home);
        command.envs([AS_FAST_AS_IT_CAN]).envs(env.iter().copied()).stdout(Stdio::piped());
        let subject = Subject::hosting(command.spawn()?, &folder.path().join("data")).await?;
        Ok(Self { subject, work, more, _folder: folder, sessions: Vec::new() })
    }

    async fn post(&self, connection: &mut Connection<TcpStream>, path: &str, body: &Value) -> Result<Value> {
        let said = connection.post(path, self.subject.person.as_deref(), &body.to_string()).await?;
        Ok(serde_json::from_str(&said)?)
    }

    /// Starts `sessions` more sessions.
    async fn more(&mut self, sessions: usize) -> Result<()> {
        let mut connection = self.subject.connect().await?;
        for _ in 0..sessions {
            let mut wish = json!({"agent": "claude", "cwd": self.work});
            wish.as_object_mut()
                .context("a wish has fields")?
                .extend(self.more.as_object().cloned().unwrap_or_default());
            let started = self.post(&mut connection, "/v1/sessions", &wish).await?;
            self.sessions.push(started["id"].as_str().context("a session has an id")?.to_owned());
        }
        Ok(())
    }

    async fn say(&self, text: &str) -> Result<()> {
        let mut connection = self.subject.connect().await?;
        for session in &self.sessions {
            self.post(&mut connection, &format!("/v1/sessions/{session}/messages"), &json!({"text": text})).await?;
        }
        Ok(())
    }

    /// Lets every agent ask for this long. Returns how long each round took.
    async fn drill(&mut self, span_ms: u64) -> Result<Vec<Duration>> {
        self.begin_drill(span_ms, Duration::ZERO).await?;
        self.end_drill(Duration::from_millis(span_ms)).await
    }

    /// Tells every agent to ask for this long, after a delay.
    async fn begin_drill(&self, span_ms: u64, after: Duration) -> Result<()> {
        #[expect(clippy::disallowed_methods, reason = "another process has to mean the same moment")]
        let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)? + after;
        self.say(&format!("drill {span_ms} {}", at.as_millis())).await
    }

    /// Waits until every agent has finished.
    async fn end_drill(&mut self, span: Duration) -> Result<Vec<Duration>> {
        let began = Instant::now();
        loop {
            let names = fs::read_dir(&self.work)?.filter_map(|entry| entry.ok().map(|entry| entry.path()));
            let mine = |path: &PathBuf| path.extension().is_none();
            let done: Vec<_> = names.filter(mine).collect();
            if done.len() == self.sessions.len() {
                let mut took = Vec::new();
                for path in done {
                    let text = fs::read_to_string(&path)?;
                    for line in text.lines() {
                        let micros = line.parse().with_context(|| format!("a question was not answered: {line}"))?;
                        took.push(Duration::from_micros(micros));
                    }
                    fs::remove_file(path)?;
                }
                return Ok(took);
            }
            ensure!(began.elapsed() < PATIENCE + span, "{} of {} agents are done", done.len(), self.sessions.len());
            sleep(BREATH).await;
        }
    }

    /// Lets every agent ask once, and waits until its process is parked.
    async fn park(&self) -> Result<()> {
        self.say("hi").await?;
        let (mut connection, began) = (self.subject.connect().await?, Instant::now());
        for session in &self.sessions {
            loop {
                let path = format!("/v1/sessions/{session}");
                let shown = connection.get(&path, self.subject.person.as_deref()).await?;
                if serde_json::from_str::<Value>(&shown)?["process"] == "parked" {
                    break;
                }
                ensure!(began.elapsed() < PATIENCE, "an agent is not parked: {shown}");
                sleep(BREATH).await;
            }
        }
        Ok(())
    }

    /// Stops the server, then the agents, which would outlive it.
    async fn stop(self) -> Result<()> {
        let data = self.subject.data.clone();
        self.subject.stop().await?;
        end_agents(&data)
    }
}

/// Kills the agents' processes of a server that has stopped.
pub(crate) fn end_agents(data: &Path) -> Result<()> {
    for entry in fs::read_dir(data.join("run/agents"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "pid") {
            let pid = fs::read_to_string(&path)?.split(' ').next().and_then(|pid| pid.parse().ok());
            if let Some(pid) = pid.and_then(Pid::from_raw) {
                let _ = kill_process_group(pid, Signal::KILL);
            }
        }
    }
    Ok(())
}
