//! The floors of a whole turn: a relay between one WebSocket and one agent per session.
//!
//! The protocol is as small as it can be, and the same for the peers. A screen sends `say` and `answer`, and is sent
//! `delta` (streamed text), `asked`, `returned` and `ended`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::get;
use axum::serve::ListenerExt;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::agent::{Agent, AgentLine, AgentMessage, QuestionInput};
use crate::disk::Disk;

/// What a relay stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    Nothing,
    /// The question before the card is shown, the answer before the agent has it: two synced rows.
    AskAndAnswer,
    /// The facts that askbridge stores, in as few rows as its promises allow. A message is stored before the agent has
    /// it, a question before the card is shown, an answer before the agent has it, and all that the agent said and did
    /// before its turn is shown as ended: four synced rows.
    Everything,
}

struct Relay {
    keeps: Keeps,
    disk: Option<Disk>,
    sessions: AtomicU64,
}

pub(crate) async fn serve(keeps: Keeps, folder: Option<PathBuf>) -> Result<()> {
    let relay = Arc::new(Relay { keeps, disk: folder.map(Disk::open), sessions: AtomicU64::new(0) });
    let router = Router::new().route("/turns", get(socket)).with_state(relay);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let mut end = signal(SignalKind::terminate())?;
    tokio::select! {
        served = axum::serve(listener, router) => Ok(served?),
        _ = end.recv() => Ok(()),
    }
}

async fn socket(State(relay): State<Arc<Relay>>, upgrade: WebSocketUpgrade) -> axum::response::Response {
    upgrade.read_buffer_size(4096).write_buffer_size(4096).on_upgrade(async move |socket| {
        let number = relay.sessions.fetch_add(1, Ordering::Relaxed);
        // The screen sees the connection end, and the bench says in which round that was.
        if let Err(error) = session(&relay, number, socket).await {
            eprintln!("session {number} of the relay ended: {error:#}");
        }
    })
}

/// A frame of a screen: `{"type":"say","text":…}` or `{"type":"answer","id":…,"answers":…}`.
#[derive(Deserialize)]
struct ScreenFrame<'a> {
    r#type: &'a str,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    id: Option<&'a str>,
    #[serde(borrow)]
    answers: Option<&'a RawValue>,
}

/// A question that waits for its answer.
struct Pending {
    id: String,
    request: String,
    input: String,
}

/// What happened in one session since the last row.
struct Facts<'a> {
    relay: &'a Relay,
    session: u64,
    facts: Vec<String>,
}

async fn session(relay: &Relay, number: u64, mut socket: WebSocket) -> Result<()> {
    let mut agent = Agent::start().await?;
    let mut facts = Facts { relay, session: number, facts: Vec::new() };
    let (mut pending, mut messages) = (None, 0);
    loop {
        tokio::select! {
            line = agent.next() => {
                let line = line?.context("the agent has exited")?;
                let told = facts.heard(&line, &mut pending).await?;
                if let Some(told) = told {
                    socket.send(Message::Text(told.into())).await?;
                }
            }
            frame = socket.next() => {
                let text = match frame {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
                    Some(Ok(_)) => continue,
                };
                let heard: ScreenFrame<'_> = serde_json::from_str(&text)?;
                match (heard.r#type, heard.text, heard.id, heard.answers) {
                    ("say", Some(text), ..) => {
                        messages += 1;
                        let uuid = format!("00000000-0000-4000-8000-{messages:012x}");
                        let said = serde_json::to_string(&text)?;
                        facts.add(|| format!(r#"{{"type":"said","message":"{uuid}","text":{said}}}"#));
                        facts.keep(Keeps::Everything).await?;
                        agent.say(&uuid, &said).await?;
                        facts.add(|| format!(r#"{{"type":"handed","message":"{uuid}"}}"#));
                    }
                    ("answer", _, Some(id), Some(answers)) => {
                        let asked = pending.take_if(|pending: &mut Pending| pending.id == id);
                        let asked = asked.with_context(|| format!("an answer to `{id}`, which was not asked"))?;
                        facts.add_always(|| format!(r#"{{"type":"settled","ask":"{id}","answers":{answers}}}"#));
                        facts.keep(Keeps::AskAndAnswer).await?;
                        agent.answer(&asked.request, &asked.input, answers.get()).await?;
                        facts.add(|| format!(r#"{{"type":"handed","ask":"{id}"}}"#));
                    }
                    _ => bail!("an unknown frame: {text}"),
                }
            }
        }
    }
}

impl Facts<'_> {
    /// Notes a fact if this relay stores everything.
    fn add(&mut self, fact: impl FnOnce() -> String) {
        if self.relay.keeps == Keeps::Everything {
            self.facts.push(fact());
        }
    }

    /// Notes a fact if this relay stores anything.
    fn add_always(&mut self, fact: impl FnOnce() -> String) {
        if self.relay.keeps != Keeps::Nothing {
            self.facts.push(fact());
        }
    }

    /// Stores what was noted as one row, if this relay promises it here.
    async fn keep(&mut self, promised_by: Keeps) -> Result<()> {
        let promises = self.relay.keeps == promised_by || self.relay.keeps == Keeps::Everything;
        let Some(disk) = self.relay.disk.as_ref().filter(|_| promises) else { return Ok(()) };
        #[expect(clippy::disallowed_methods, reason = "a row has a time, as ours do")]
        let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
        let row = format!(r#"{{"session":{},"at":{at},"facts":[{}]}}"#, self.session, self.facts.join(","));
        self.facts.clear();
        disk.keep(row).await
    }

    /// Takes in a line of the agent. Returns the frame for the screen, if there is one.
    async fn heard(&mut self, line: &str, pending: &mut Option<Pending>) -> Result<Option<String>> {
        let heard: AgentLine<'_> = serde_json::from_str(line).with_context(|| format!("an unknown line: {line}"))?;
        match heard.r#type {
            "stream_event" => {
                let text = heard.event.and_then(|event| event.delta?.text);
                return text
                    .map(|text| Ok(format!(r#"{{"type":"delta","text":{}}}"#, serde_json::to_string(&text)?)))
                    .transpose();
            }
            "control_request" => {
                let request = heard.request.context("a request has a body")?;
                let call = request.tool_use_id.context("a hook is about a call")?;
                let input = request.input.context("a hook has an input")?.tool_input.get();
                let questions = serde_json::from_str::<QuestionInput<'_>>(input)?.questions.get();
                let request = heard.request_id.context("a request has an id")?;
                self.add_always(|| format!(r#"{{"type":"asked","ask":"{call}","questions":{questions}}}"#));
                self.keep(Keeps::AskAndAnswer).await?;
                *pending = Some(Pending { id: call.to_owned(), request: request.to_owned(), input: input.to_owned() });
                return Ok(Some(format!(r#"{{"type":"asked","id":"{call}","questions":{questions}}}"#)));
            }
            "result" => {
                let usage = heard.usage.map_or("null", RawValue::get);
                self.add(|| format!(r#"{{"type":"turn_ended","usage":{usage}}}"#));
                self.keep(Keeps::Everything).await?;
                return Ok(Some(r#"{"type":"ended"}"#.to_owned()));
            }
            "user" => {
                self.message(heard.message)?;
                return Ok(Some(r#"{"type":"returned"}"#.to_owned()));
            }
            "assistant" => self.message(heard.message)?,
            "command_lifecycle" if heard.state == Some("started") => {
                self.add(|| r#"{"type":"delivered"}"#.to_owned());
            }
            _ => {}
        }
        Ok(None)
    }

    /// Notes what a message says. A relay that does not store it does not read it either.
    fn message(&mut self, message: Option<&RawValue>) -> Result<()> {
        let Some(message) = message.filter(|_| self.relay.keeps == Keeps::Everything) else { return Ok(()) };
        for block in serde_json::from_str::<AgentMessage<'_>>(message.get())?.content {
            match (block.r#type, block.text, block.content) {
                ("text", Some(text), _) => self.add(|| format!(r#"{{"type":"text","text":{text}}}"#)),
                ("tool_use", ..) => self.add(|| r#"{"type":"tool_called","tool":"AskUserQuestion"}"#.to_owned()),
                ("tool_result", _, Some(content)) => {
                    let call = block.tool_use_id.unwrap_or_default();
                    self.add(|| format!(r#"{{"type":"tool_returned","call":"{call}","output":{content}}}"#));
                    self.add(|| format!(r#"{{"type":"delivered","ask":"{call}"}}"#));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
