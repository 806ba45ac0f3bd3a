//! Agents that ask and a person who answers at once.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::subject::Subject;
use crate::tongues::{ANSWER, QUESTION, questions};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// Ask again as soon as the answer is there.
    Saturated,
    /// So many rounds a second, over all sessions.
    PerSecond(u32),
}

/// Runs rounds in `sessions` sessions for `span`. Returns how long each round took.
pub(crate) async fn run(subject: &Subject, sessions: usize, pace: Pace, span: Duration) -> Result<Vec<Duration>> {
    let mut socket = greet(subject).await?;
    let mut agents = JoinSet::new();
    let start = Instant::now() + Duration::from_millis(50);
    for place in 0..sessions {
        let mut connection = subject.connect().await?;
        let session = subject.session(&mut connection).await?;
        let token = subject.agent.clone();
        agents.spawn(async move {
            let mut body = json!({"questions": questions()});
            if let Some(session) = session {
                body["session"] = json!(session);
            }
            let body = body.to_string();
            let interval = match pace {
                Pace::Saturated => Duration::ZERO,
                Pace::PerSecond(rate) => Duration::from_secs(1).mul_f64(sessions as f64 / f64::from(rate)),
            };
            let mut took = Vec::new();
            let mut next = start + interval.mul_f64(place as f64 / sessions as f64);
            while start.elapsed() < span {
                tokio::time::sleep_until(next.into()).await;
                let began = Instant::now();
                let answered = connection.post("/v1/asks?wait=30", token.as_deref(), &body).await?;
                took.push(began.elapsed());
                anyhow::ensure!(answered.contains(r#""state":"answered""#), "not answered: {answered}");
                next = (next + interval).max(Instant::now() - Duration::from_millis(100));
                if interval.is_zero() {
                    next = Instant::now();
                }
            }
            Ok::<_, anyhow::Error>(took)
        });
    }
    let person = tokio::spawn(async move { answer_everything(&mut socket, |_| true).await });
    let mut all = Vec::new();
    while let Some(took) = agents.join_next().await {
        all.extend(took??);
    }
    person.abort();
    Ok(all)
}

pub(crate) type Socket = WebSocketStream<TcpStream>;

pub(crate) async fn greet(subject: &Subject) -> Result<Socket> {
    let stream = TcpStream::connect(subject.address).await?;
    stream.set_nodelay(true)?;
    let (mut socket, _) = client_async(format!("ws://{}/v1/ws", subject.address), stream).await?;
    if let Some(person) = &subject.person {
        socket.send(Message::text(json!({"type": "hello", "token": person}).to_string())).await?;
        while let Some(frame) = socket.next().await {
            if frame?.to_text()?.contains(r#""type":"snapshot""#) {
                break;
            }
        }
    }
    Ok(socket)
}

#[derive(Deserialize)]
struct Heard<'a> {
    #[serde(borrow)]
    event: Option<Event<'a>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    r#type: &'a str,
    ask: Option<&'a serde_json::value::RawValue>,
}

#[derive(Deserialize)]
struct Asked<'a> {
    id: &'a str,
}

/// A person who answers whatever is asked and meant for them, at once.
pub(crate) async fn answer_everything(socket: &mut Socket, is_meant: fn(&str) -> bool) -> Result<()> {
    let mut tag = 0;
    while let Some(frame) = socket.next().await {
        let frame = frame?;
        let text = frame.to_text()?;
        if !is_meant(text) {
            continue;
        }
        let Ok(Heard { event: Some(event) }) = serde_json::from_str::<Heard<'_>>(text) else { continue };
        if event.r#type != "asked" {
            continue;
        }
        let asked: Asked<'_> = serde_json::from_str(event.ask.context("an ask comes with itself")?.get())?;
        tag += 1;
        let answer =
            format!(r#"{{"type":"answer","tag":{tag},"ask":"{}","answers":{{"{QUESTION}":"{ANSWER}"}}}}"#, asked.id);
        socket.send(Message::text(answer)).await?;
    }
    Ok(())
}
