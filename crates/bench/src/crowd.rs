//! A crowd on one server: many connections, many asks a second, and a record of what every client saw.
//!
//! A person sees every ask today (sessions have no narrower audience yet), so ten thousand people and a thousand asks a
//! second would be ten million frames a second. The crowd is therefore ten thousand agents that see only their own
//! asks, each with its own token, and a few people who answer everything.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::measure::percentile;
use crate::overload;
use crate::subject::{Kind, Subject};

pub(crate) struct Crowd {
    pub(crate) people: usize,
    pub(crate) asks_per_s: usize,
    pub(crate) span: Duration,
}

pub(crate) const FULL: Crowd = Crowd { people: 10_000, asks_per_s: 1_000, span: Duration::from_secs(60) };
pub(crate) const QUICK: Crowd = Crowd { people: 200, asks_per_s: 50, span: Duration::from_secs(5) };

/// People who answer; each takes a share of all asks.
const ANSWERERS: usize = 4;
/// Connections that ask.
const ASKERS: usize = 64;
/// Connections from one address, which has some 28,000 ports to connect from.
const PER_ADDRESS: usize = 8_000;
/// How long the overload at the end lasts, at most.
const OVERLOADED: Duration = Duration::from_secs(10);
/// Beyond: a client did not get what it was promised.
const PATIENCE: Duration = Duration::from_secs(60);

/// What one connection was told: how often each ask was asked and settled.
type EventCounts = Arc<std::sync::Mutex<HashMap<String, (u32, u32)>>>;

#[derive(Default)]
struct Counts {
    taken: AtomicUsize,
    too_many: AtomicUsize,
    waits: std::sync::Mutex<Vec<Duration>>,
}

pub(crate) async fn run(crowd: Crowd) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let subject = Arc::new(Subject::start(Kind::Askbridge, root).await?);
    let before = memory_kb(subject.pid)?;

    let tokens = tokens(&subject, crowd.people).await?;
    let mut crowd_heard = Vec::with_capacity(crowd.people);
    let mut listening = JoinSet::new();
    let began = Instant::now();
    for (place, token) in tokens.iter().enumerate() {
        let socket = greet(subject.address, place / PER_ADDRESS, token).await?;
        let heard = EventCounts::default();
        crowd_heard.push(Arc::clone(&heard));
        listening.spawn(listen(socket, heard));
    }
    eprintln!("{} connected after {:.1} s", crowd.people, began.elapsed().as_secs_f64());
    let connected = memory_kb(subject.pid)?;
    let person = subject.person.clone().context("a person was paired")?;
    for part in 0..ANSWERERS {
        let socket = greet(subject.address, 0, &person).await?;
        listening.spawn(answer(socket, part));
    }

    let (acknowledged, counts) = ask(&subject, &tokens, &crowd).await?;
    ensure!(!acknowledged.is_empty(), "nothing was taken");
    let waited = Instant::now();
    while let Some(missing) = missing(&acknowledged, &crowd_heard) {
        if waited.elapsed() > PATIENCE {
            bail!("{missing} of {} asks were never heard of again, or twice", acknowledged.len());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let after = memory_kb(subject.pid)?;
    let rate = acknowledged.len() as f64 / crowd.span.as_secs_f64();
    let mut waits = std::mem::take(&mut *counts.waits.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    let mut ms = |part| percentile(&mut waits, part).as_secs_f64() * 1e3;
    println!(
        "| connections | asks taken | a second | refused (429, 503) | acknowledged p50 ms | p99 ms | slowest ms | memory MB: empty, connected, after | lost |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---|---:|");
    println!(
        "| {} | {} | {rate:.0} | {} | {:.1} | {:.1} | {:.0} | {}, {}, {} | 0 |",
        crowd.people + ANSWERERS + ASKERS,
        acknowledged.len(),
        counts.too_many.load(Ordering::Relaxed),
        ms(0.5),
        ms(0.99),
        ms(1.0),
        before / 1024,
        connected / 1024,
        after / 1024,
    );
    overload::run(&subject, crowd.span.min(OVERLOADED)).await?;
    listening.abort_all();
    Arc::into_inner(subject).context("nobody else holds the server")?.stop().await
}

/// Makes a token for each caller.
pub(crate) async fn tokens(subject: &Subject, count: usize) -> Result<Vec<String>> {
    let mut connection = subject.connect().await?;
    let mut tokens = Vec::with_capacity(count);
    for place in 0..count {
        let wish = json!({"name": format!("agent{place}")}).to_string();
        let made: Value = serde_json::from_str(&connection.post("/v1/tokens", subject.agent.as_deref(), &wish).await?)?;
        tokens.push(made["token"].as_str().context("a token was made")?.to_owned());
    }
    Ok(tokens)
}

type Socket = WebSocketStream<TcpStream>;

async fn greet(server: SocketAddr, from: usize, token: &str) -> Result<Socket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from(([127, 0, 0, 1 + u8::try_from(from)?], 0)))?;
    let stream = socket.connect(server).await?;
    stream.set_nodelay(true)?;
    let (mut socket, _) = client_async(format!("ws://{server}/v1/ws"), stream).await?;
    socket.send(Message::text(json!({"type": "hello", "token": token}).to_string())).await?;
    while let Some(frame) = timeout(PATIENCE, socket.next()).await? {
        if frame?.to_text()?.contains(r#""type":"snapshot""#) {
            return Ok(socket);
        }
    }
    bail!("the server hung up on a caller")
}

/// Records what arrives.
async fn listen(mut socket: Socket, heard: EventCounts) {
    while let Some(Ok(frame)) = socket.next().await {
        let Ok(frame) = serde_json::from_str::<Value>(frame.to_text().unwrap_or_default()) else { continue };
        let event = &frame["event"];
        let mut heard = heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event["type"].as_str() {
            Some("asked") => {
                heard.entry(event["ask"]["id"].as_str().unwrap_or_default().to_owned()).or_default().0 += 1
            }
            Some("settled") => heard.entry(event["ask"].as_str().unwrap_or_default().to_owned()).or_default().1 += 1,
            _ => {}
        }
    }
}

/// Answers this person's share of the asks, chosen by their ids.
async fn answer(mut socket: Socket, part: usize) {
    let mut tag = 0;
    while let Some(Ok(frame)) = socket.next().await {
        let text = frame.to_text().unwrap_or_default();
        if !text.contains(r#""type":"asked""#) {
            continue;
        }
        let Ok(frame) = serde_json::from_str::<Value>(text) else { continue };
        let id = frame["event"]["ask"]["id"].as_str().unwrap_or_default();
        if id.bytes().map(usize::from).sum::<usize>() % ANSWERERS != part {
            continue;
        }
        tag += 1;
        let reply = json!({"type": "answer", "tag": tag, "ask": id, "answers": {"Go on?": "Yes"}});
        if socket.send(Message::text(reply.to_string())).await.is_err() {
            return;
        }
    }
}

/// Asks at the crowd's pace. Returns every acknowledged ask, with the caller that asked it.
async fn ask(subject: &Arc<Subject>, tokens: &[String], crowd: &Crowd) -> Result<(Vec<(usize, String)>, Arc<Counts>)> {
    let (counts, taken) = (Arc::new(Counts::default()), Arc::new(Mutex::new(Vec::new())));
    let tokens = Arc::new(tokens.to_vec());
    let mut asking = JoinSet::new();
    let start = Instant::now();
    let total = crowd.asks_per_s * crowd.span.as_secs() as usize;
    let between = crowd.span.div_f64(total as f64);
    for asker in 0..ASKERS {
        let (subject, tokens) = (Arc::clone(subject), Arc::clone(&tokens));
        let (counts, taken) = (Arc::clone(&counts), Arc::clone(&taken));
        asking.spawn(async move {
            let mut connection = subject.connect().await?;
            let body = r#"{"questions":[{"question":"Go on?","options":["Yes","No"]}]}"#;
            for number in (asker..total).step_by(ASKERS) {
                sleep_until((start + between.mul_f64(number as f64)).into()).await;
                let caller = number % tokens.len();
                let began = Instant::now();
                let asked = timeout(PATIENCE, connection.ask("/v1/asks", Some(&tokens[caller]), body)).await;
                let (status, said) = asked.context("a request was never answered: the server stalled")??;
                counts.waits.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(began.elapsed());
                match status {
                    201 => {
                        let view: Value = serde_json::from_str(&said)?;
                        counts.taken.fetch_add(1, Ordering::Relaxed);
                        taken.lock().await.push((caller, view["id"].as_str().unwrap_or_default().to_owned()));
                    }
                    429 | 503 => drop(counts.too_many.fetch_add(1, Ordering::Relaxed)),
                    other => bail!("{other}: {said}"),
                }
            }
            Ok(())
        });
    }
    while let Some(ended) = asking.join_next().await {
        ended??;
    }
    let taken = std::mem::take(&mut *taken.lock().await);
    Ok((taken, counts))
}

/// Counts the asks whose caller was not told exactly once that they were asked and once that they were settled.
fn missing(acknowledged: &[(usize, String)], heard: &[EventCounts]) -> Option<usize> {
    let is_missing = |(caller, id): &&(usize, String)| {
        let heard = heard[*caller].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        heard.get(id) != Some(&(1, 1))
    };
    Some(acknowledged.iter().filter(is_missing).count()).filter(|missing| *missing > 0)
}

fn memory_kb(pid: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
