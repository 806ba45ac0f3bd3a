//! Agents that ask, and a person who answers at once.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::http::Connection;
use crate::subject::Subject;
use crate::tongues::{ANSWER, QUESTION, questions};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// Ask again as soon as the answer is there.
    Saturated,
    /// This many rounds a second, over all sessions.
    PerSecond(u32),
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saturated => f.write_str("saturated"),
            Self::PerSecond(rate) => write!(f, "{rate}/s"),
        }
    }
}

/// Agents with one session each, for one or more runs.
pub(crate) struct Crew {
    seats: Vec<Seat>,
    token: Option<String>,
}

struct Seat {
    connection: Connection<TcpStream>,
    body: String,
}

impl Crew {
    /// Starts the sessions, which is slow and not part of any round.
    pub(crate) async fn gather(subject: &Subject, sessions: usize) -> Result<Self> {
        let mut seats = Vec::with_capacity(sessions);
        for _ in 0..sessions {
            let mut connection = subject.connect().await?;
            let mut body = json!({"questions": questions()});
            if let Some(session) = subject.session(&mut connection).await? {
                body["session"] = json!(session);
            }
            seats.push(Seat { connection, body: body.to_string() });
        }
        Ok(Self { seats, token: subject.agent.clone() })
    }

    /// Runs rounds in all sessions for `span`. Returns how long each round took.
    pub(crate) async fn run(&mut self, subject: &Subject, pace: Pace, span: Duration) -> Result<Vec<Duration>> {
        self.run_but(subject, pace, span, |_| true).await
    }

    /// The same, with a person who answers only the asks that `is_meant` accepts.
    pub(crate) async fn run_but(
        &mut self,
        subject: &Subject,
        pace: Pace,
        span: Duration,
        is_meant: fn(&str) -> bool,
    ) -> Result<Vec<Duration>> {
        let mut socket = greet(subject).await?;
        let person = tokio::spawn(async move { answer_everything(&mut socket, is_meant).await });
        let sessions = self.seats.len();
        let interval = match pace {
            Pace::Saturated => Duration::ZERO,
            Pace::PerSecond(rate) => Duration::from_secs(1).mul_f64(sessions as f64 / f64::from(rate)),
        };
        let start = Instant::now() + Duration::from_millis(50);
        let mut agents = JoinSet::new();
        for (place, mut seat) in self.seats.drain(..).enumerate() {
            let token = self.token.clone();
            let first = start + interval.mul_f64(place as f64 / sessions as f64);
            agents.spawn(async move {
                let took = seat.ask(token.as_deref(), first, interval, start + span).await?;
                Ok::<_, anyhow::Error>((seat, took))
            });
        }
        let mut all = Vec::new();
        while let Some(done) = agents.join_next().await {
            let (seat, took) = done??;
            self.seats.push(seat);
            all.extend(took);
        }
        person.abort();
        Ok(all)
    }
}

impl Seat {
    async fn ask(
        &mut self,
        token: Option<&str>,
        mut next: Instant,
        interval: Duration,
        end: Instant,
    ) -> Result<Vec<Duration>> {
        let mut took = Vec::new();
        while Instant::now() < end {
            tokio::time::sleep_until(next.into()).await;
            let began = Instant::now();
            let answered = self.connection.post("/v1/asks?wait=30", token, &self.body).await?;
            took.push(began.elapsed());
            anyhow::ensure!(answered.contains(r#""state":"answered""#), "not answered: {answered}");
            next = (next + interval).max(Instant::now() - Duration::from_millis(100));
            if interval.is_zero() {
                next = Instant::now();
            }
        }
        Ok(took)
    }
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
struct EventFrame<'a> {
    #[serde(borrow)]
    event: Option<Event<'a>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    r#type: &'a str,
    ask: Option<&'a serde_json::value::RawValue>,
}

#[derive(Deserialize)]
struct AskedEvent<'a> {
    id: &'a str,
}

/// Answers at once every ask that `is_meant` accepts.
pub(crate) async fn answer_everything(socket: &mut Socket, is_meant: fn(&str) -> bool) -> Result<()> {
    let mut tag = 0;
    while let Some(frame) = socket.next().await {
        let frame = frame?;
        let text = frame.to_text()?;
        if !is_meant(text) {
            continue;
        }
        let Ok(EventFrame { event: Some(event) }) = serde_json::from_str::<EventFrame<'_>>(text) else { continue };
        if event.r#type != "asked" {
            continue;
        }
        let asked: AskedEvent<'_> = serde_json::from_str(event.ask.context("an ask comes with itself")?.get())?;
        tag += 1;
        let answer =
            format!(r#"{{"type":"answer","tag":{tag},"ask":"{}","answers":{{"{QUESTION}":"{ANSWER}"}}}}"#, asked.id);
        socket.send(Message::text(answer)).await?;
    }
    Ok(())
}
