//! What ringing costs: rounds on a server whose people have channels, beside one whose people have none, in the same run;
//! ten thousand asks that stay open; and channels that are down.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::time::{sleep, timeout};

use crate::http::Connection;
use crate::load::{Crew, Pace};
use crate::measure::{cpu_time, percentile};
use crate::subject::{AS_FAST_AS_IT_CAN, Kind, Subject};

const PEOPLE: usize = 20;
const CHANNELS_EACH: usize = 3;
const ASKS_PER_S: u32 = 1_000;
/// One ask in so many is not answered.
const OPEN_PER_S: u32 = ASKS_PER_S / 100;
const SESSIONS: usize = 64;
/// How much slower a round may be.
const SLOWER_MAX: f64 = 0.05;
/// How much more memory a server may take whose channels are all down, in MB.
const MORE_MB_MAX: f64 = 64.0;
const WITHOUT: &str = "without channels";
/// Marks the asks that are left open.
const LEFT_OPEN: &str = "Left open?";
/// Beyond: what was promised did not happen.
const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) struct Ringing {
    /// Each server is measured so often, in turn.
    pub(crate) turns: usize,
    pub(crate) span: Duration,
    pub(crate) stay_open: usize,
    /// Does it fail if a round is slower than it may be? A few short turns say little.
    pub(crate) judges: bool,
}

pub(crate) const FULL: Ringing = Ringing { turns: 7, span: Duration::from_secs(10), stay_open: 10_000, judges: true };
pub(crate) const QUICK: Ringing = Ringing { turns: 2, span: Duration::from_secs(3), stay_open: 500, judges: false };

pub(crate) async fn run(how: Ringing) -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    rounds(root, &how).await?;
    summaries(root, how.stay_open).await?;
    down(root, how.stay_open).await
}

/// A round with channels and without, in turn.
async fn rounds(root: &Path, how: &Ringing) -> Result<()> {
    let sink = Sink::open().await?;
    let quiet = Subject::measured(Kind::Askbridge, root).await?;
    let ringing = Subject::measured(Kind::Askbridge, root).await?;
    add_channels(&ringing, &sink).await?;
    let mut subjects = [(WITHOUT, quiet, Vec::new()), ("20 people, 3 channels each", ringing, Vec::new())];
    println!("| rounds at {ASKS_PER_S}/s, 1 % stay open | p50 ms | p99 ms | CPU µs per round |");
    println!("|---|---:|---:|---:|");
    for turn in 0..=how.turns {
        // Each is the first in every other turn.
        subjects.reverse();
        for (_, subject, measured) in &mut subjects {
            let mut crew = Crew::gather(subject, SESSIONS).await?;
            let leaving = tokio::spawn(leave_open(subject.address.to_string(), subject.agent.clone(), how.span));
            let cpu = cpu_time(subject.pid)?;
            let pace = Pace::PerSecond(ASKS_PER_S - OPEN_PER_S);
            let mut took = crew.run_but(subject, pace, how.span, |text| !text.contains(LEFT_OPEN)).await?;
            let cpu = cpu_time(subject.pid)?.saturating_sub(cpu);
            leaving.await??;
            // The first turn warms up.
            if turn > 0 {
                let per_round = cpu.as_secs_f64() * 1e6 / took.len() as f64;
                measured.push((percentile(&mut took, 0.5), percentile(&mut took, 0.99), per_round));
            }
        }
    }
    subjects.sort_by_key(|(name, ..)| *name != WITHOUT);
    let mut medians = Vec::new();
    for (name, subject, measured) in subjects {
        let median = |pick: fn(&(Duration, Duration, f64)) -> f64| {
            let mut all: Vec<_> = measured.iter().map(pick).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let (p50, p99, cpu) = (median(|it| it.0.as_secs_f64()), median(|it| it.1.as_secs_f64()), median(|it| it.2));
        println!("| {name} | {:.2} | {:.2} | {cpu:.0} |", p50 * 1e3, p99 * 1e3);
        medians.push(p50);
        subject.stop().await?;
    }
    let slower = medians[1] / medians[0] - 1.0;
    println!("\nA round is {:+.1} % slower with ringing (median of {} turns).\n", slower * 100.0, how.turns);
    ensure!(!how.judges || slower <= SLOWER_MAX, "ringing slows a round by more than {:.0} %", SLOWER_MAX * 100.0);
    Ok(())
}

/// Makes asks that are left open, at their share of the rate.
async fn leave_open(address: String, token: Option<String>, span: Duration) -> Result<()> {
    let mut connection = Connection::new(TcpStream::connect(&address).await?);
    let began = Instant::now();
    let mut made = 0;
    while began.elapsed() < span {
        ask(&mut connection, token.as_deref()).await?;
        made += 1;
        let due = began + Duration::from_secs(1).mul_f64(f64::from(made) / f64::from(OPEN_PER_S));
        tokio::time::sleep_until(due.into()).await;
    }
    Ok(())
}

async fn ask(connection: &mut Connection<TcpStream>, token: Option<&str>) -> Result<()> {
    let body = json!({"questions": [{"question": LEFT_OPEN, "options": ["Yes", "No"]}]}).to_string();
    let asked = connection.post("/v1/asks", token, &body).await?;
    ensure!(asked.contains(r#""state":"open""#), "not asked: {asked}");
    Ok(())
}

/// Many asks that stay open at once become one message on each channel.
async fn summaries(root: &Path, count: usize) -> Result<()> {
    let sink = Sink::open().await?;
    let subject =
        Subject::start_with(Kind::Askbridge, root, &[AS_FAST_AS_IT_CAN, ("ASKBRIDGE_NOTIFY_GRACE", "30s")]).await?;
    add_channels(&subject, &sink).await?;
    let took = ask_many(&subject, count).await?;
    ensure!(took < Duration::from_secs(25), "the asks took {took:?}: longer than the grace, so they are not at once");
    let began = Instant::now();
    sink.until(PEOPLE * CHANNELS_EACH).await?;
    // A further one would come at once.
    sleep(Duration::from_secs(2)).await;
    let posts = sink.posts();
    let expected = format!("{count} questions wait for you");
    let each: Vec<_> = posts.values().map(|titles| titles.len()).collect();
    ensure!(each.iter().all(|count| *count == 1), "messages on each channel: {each:?}");
    ensure!(posts.values().flatten().all(|title| *title == expected), "not one summary: {posts:?}");
    let after = began.elapsed() - Duration::from_secs(2);
    println!("| open at once | channels | messages on each | after the last ask |");
    println!("|---:|---:|---:|---:|");
    println!("| {count} | {} | 1 | {:.1} s (grace 30 s) |\n", posts.len(), after.as_secs_f64());
    subject.stop().await
}

/// Channels that are down hold ids, and nothing more.
async fn down(root: &Path, count: usize) -> Result<()> {
    let sink = Sink::open().await?;
    sink.is_down.store(true, Ordering::Relaxed);
    let grace = [AS_FAST_AS_IT_CAN, ("ASKBRIDGE_NOTIFY_GRACE", "0")];
    let (without, with) = (
        Subject::start_with(Kind::Askbridge, root, &grace).await?,
        Subject::start_with(Kind::Askbridge, root, &grace).await?,
    );
    add_channels(&with, &sink).await?;
    for subject in [&without, &with] {
        ask_many(subject, count).await?;
    }
    sink.until(PEOPLE * CHANNELS_EACH * 3).await?;
    let (base, more) = (memory_mb(without.pid)?, memory_mb(with.pid)?);
    println!("| {count} open, all {} channels down | memory MB |", PEOPLE * CHANNELS_EACH);
    println!("|---|---:|");
    println!("| without channels | {base:.0} |");
    println!("| with | {more:.0} |");
    ensure!(more - base <= MORE_MB_MAX, "{:.0} MB more than without channels", more - base);
    without.stop().await?;
    with.stop().await
}

async fn ask_many(subject: &Subject, count: usize) -> Result<Duration> {
    let began = Instant::now();
    let mut askers = tokio::task::JoinSet::new();
    for asker in 0..SESSIONS {
        let (address, token) = (subject.address, subject.agent.clone());
        askers.spawn(async move {
            let mut connection = Connection::new(TcpStream::connect(address).await?);
            for _ in (asker..count).step_by(SESSIONS) {
                ask(&mut connection, token.as_deref()).await?;
            }
            Ok::<_, anyhow::Error>(())
        });
    }
    while let Some(done) = askers.join_next().await {
        done??;
    }
    Ok(began.elapsed())
}

/// Pairs the people and adds webhooks for each, all to one sink.
async fn add_channels(subject: &Subject, sink: &Sink) -> Result<()> {
    switch_taps_off(subject).await?;
    let socket = subject.data.join("run/askbridge.sock");
    for person in 0..PEOPLE {
        let name = format!("person{person}");
        let mut local = Connection::new(UnixStream::connect(&socket).await?);
        let made = json!({"name": name, "token": true, "i_am_a_person": true, "role": "operator"}).to_string();
        let paired = local.post("/v1/pairings", None, &made).await?;
        let token = serde_json::from_str::<Value>(&paired)?["token"].as_str().context("a token")?.to_owned();
        let mut connection = subject.connect().await?;
        for channel in 0..CHANNELS_EACH {
            let url = format!("http://{}/{person}-{channel}", sink.address);
            let body = json!({"kind": "webhook", "url": url, "name": format!("hook {channel}")}).to_string();
            let (status, added) = connection.ask("/v1/channels", Some(&token), &body).await?;
            ensure!(status == 201, "the channel was not added: {added}");
        }
    }
    Ok(())
}

/// With taps, each person but the first would have to be let in by a paired device.
async fn switch_taps_off(subject: &Subject) -> Result<()> {
    let socket = subject.data.join("run/askbridge.sock");
    let mut local = Connection::new(UnixStream::connect(&socket).await?);
    let (status, said) = local.ask("/v1/taps", None, r#"{"on":false}"#).await?;
    ensure!(status == 403, "a tap is needed: {said}");
    let (mut connection, person) = (subject.connect().await?, subject.person.as_deref());
    let open: Value = serde_json::from_str(&connection.get("/v1/asks", person).await?)?;
    let mut asks = open["items"].as_array().context("a page")?.iter();
    let tap = asks.find(|ask| ask["agent"] == "askbridge").context("there is a tap")?;
    let path = format!("/v1/asks/{}/answer", tap["id"].as_str().context("an id")?);
    connection.post(&path, person, r#"{"decision":"allow"}"#).await?;
    local.post("/v1/taps?wait=30", None, r#"{"on":false}"#).await.map(drop)
}

fn memory_mb(pid: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has a size")?;
    let kb: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kb / 1024.0)
}

/// Takes the posts of all channels; each has its own path.
struct Sink {
    address: std::net::SocketAddr,
    posts: Arc<Mutex<Posts>>,
    is_down: Arc<AtomicBool>,
    changed: Arc<tokio::sync::Notify>,
}

#[derive(Default)]
struct Posts {
    titles: BTreeMap<String, Vec<String>>,
    count: usize,
}

impl Sink {
    async fn open() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let sink = Self {
            address: listener.local_addr()?,
            posts: Arc::default(),
            is_down: Arc::default(),
            changed: Arc::default(),
        };
        let (posts, is_down, changed) = (Arc::clone(&sink.posts), Arc::clone(&sink.is_down), Arc::clone(&sink.changed));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(take(stream, Arc::clone(&posts), Arc::clone(&is_down), Arc::clone(&changed)));
            }
        });
        Ok(sink)
    }

    fn posts(&self) -> BTreeMap<String, Vec<String>> {
        self.posts.lock().expect("no holder panics").titles.clone()
    }

    /// Waits until so many posts have come.
    async fn until(&self, count: usize) -> Result<()> {
        let waiting = async {
            loop {
                let mut changed = std::pin::pin!(self.changed.notified());
                changed.as_mut().enable();
                if self.posts.lock().expect("no holder panics").count >= count {
                    return;
                }
                changed.await;
            }
        };
        timeout(PATIENCE, waiting).await.context("the channels were not rung")
    }
}

async fn take(
    mut stream: TcpStream,
    posts: Arc<Mutex<Posts>>,
    is_down: Arc<AtomicBool>,
    changed: Arc<tokio::sync::Notify>,
) -> Option<()> {
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        let length = length.unwrap_or(0);
        while buffer.len() < end + length {
            if stream.read_buf(&mut buffer).await.ok()? == 0 {
                return None;
            }
        }
        let body: Value = serde_json::from_slice(&buffer[end..end + length]).ok()?;
        buffer.drain(..end + length);
        let path = head.split(' ').nth(1)?.to_owned();
        let title = body["data"]["title"].as_str().unwrap_or_default().to_owned();
        {
            let mut posts = posts.lock().expect("no holder panics");
            posts.count += 1;
            posts.titles.entry(path).or_default().push(title);
        }
        changed.notify_waiters();
        let status = if is_down.load(Ordering::Relaxed) { "503 Service Unavailable" } else { "204 No Content" };
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.ok()?;
    }
}
