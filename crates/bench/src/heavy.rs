//! Many large asks from one token, with people watching: peak memory, and that no client is cut off.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::load::{Socket, greet};
use crate::subject::{Kind, Subject};

pub(crate) struct Heavy {
    pub(crate) asks: usize,
    /// The size of each: the content of a file that the agent wants to write.
    pub(crate) bytes: usize,
}

pub(crate) const FULL: Heavy = Heavy { asks: 500, bytes: 250_000 };
pub(crate) const QUICK: Heavy = Heavy { asks: 60, bytes: 80_000 };

/// People who are connected from the beginning, and as many who connect once everything is open.
const PEOPLE: usize = 10;
/// The server's peak resident memory.
const MEMORY_MAX_KB: u64 = 300 * 1024;
/// Beyond: a client was not told of an ask that was acknowledged.
const PATIENCE: Duration = Duration::from_secs(60);

/// Fails if a client is cut off or is told of too few asks, or if the server takes more memory than it may.
pub(crate) async fn run(heavy: Heavy) -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let subject = Subject::start(Kind::Askbridge, root).await?;
    let before = peak_kb(subject.pid)?;
    let (mut listening, mut heard) = (JoinSet::new(), Vec::new());
    for _ in 0..PEOPLE {
        let asks = Arc::new(AtomicUsize::new(0));
        heard.push(Arc::clone(&asks));
        listening.spawn(listen(greet(&subject).await?, asks));
    }
    let mut connection = subject.connect().await?;
    let input = json!({"content": "x".repeat(heavy.bytes), "file_path": "/srv/large.txt"});
    let body = json!({"approval": {"tool": "Write", "input": input}}).to_string();
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..heavy.asks {
        match connection.ask("/v1/asks", subject.agent.as_deref(), &body).await? {
            (201, _) => taken += 1,
            (429, said) if said.contains("too_much_open") => refused += 1,
            (status, said) => bail!("an ask was answered with {status}: {said}"),
        }
    }
    let all_heard = async {
        while heard.iter().any(|asks| asks.load(Ordering::Relaxed) < taken) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, all_heard).await.context("a client did not hear of all asks")?;
    let asked = peak_kb(subject.pid)?;
    // They stay connected, so that what the server keeps for them counts.
    let mut come = Vec::new();
    for _ in 0..PEOPLE {
        come.push(greet(&subject).await?);
    }
    let (mut listed, mut after) = (0, String::new());
    loop {
        let path = format!("/v1/asks?order=longest_waiting&limit=500{after}");
        let page: Value = serde_json::from_str(&connection.get(&path, subject.person.as_deref()).await?)?;
        listed += page["items"].as_array().context("a page has items")?.len();
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    ensure!(listed == taken, "{listed} of {taken} asks are listed");
    ensure!(listening.try_join_next().is_none(), "a client was cut off");
    let peak = peak_kb(subject.pid)?;
    println!(
        "\n| large asks | kB each | taken | refused (429) | people | memory MB at most: empty, all asked, all listed |"
    );
    println!("|---:|---:|---:|---:|---:|---|");
    println!(
        "| {} | {} | {taken} | {refused} | {} | {}, {}, {} |",
        heavy.asks,
        heavy.bytes / 1000,
        2 * PEOPLE,
        before / 1024,
        asked / 1024,
        peak / 1024,
    );
    ensure!(peak <= MEMORY_MAX_KB, "the server took {} MB; {} are enough", peak / 1024, MEMORY_MAX_KB / 1024);
    listening.abort_all();
    drop(come);
    subject.stop().await
}

/// Counts the asks that a client is told of, until it is cut off.
async fn listen(mut socket: Socket, asks: Arc<AtomicUsize>) {
    while let Some(Ok(frame)) = socket.next().await {
        if frame.to_text().is_ok_and(|text| text.contains(r#""event":{"type":"asked""#)) {
            asks.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns the peak resident memory of a process.
fn peak_kb(pid: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("a process has memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
