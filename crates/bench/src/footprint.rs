//! The cost of waiting: memory of an idle connection and of an open ask, and the time of a start.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use serde_json::json;
use tokio::net::TcpStream;

use crate::crowd::tokens;
use crate::load::greet;
use crate::subject::{Kind, Subject};

/// Connections that are opened at the same moment; more would only queue in the kernel.
const AT_ONCE: usize = 50;
const WARM: usize = 1_000;

/// Returns the bytes of memory that an idle WebSocket costs the server.
pub(crate) async fn per_connection(root: &Path, connections: usize) -> Result<f64> {
    let subject = Subject::measured(Kind::Askbridge, root).await?;
    let mut sockets = Vec::with_capacity(connections + WARM);
    // The first connections pay for one-time costs: caches, and memory that the allocator retains after peaks.
    while sockets.len() < WARM {
        sockets.extend(try_join_all((0..AT_ONCE).map(|_| greet(&subject))).await?);
    }
    let before = resident(subject.pid)?;
    while sockets.len() < connections + WARM {
        sockets.extend(try_join_all((0..AT_ONCE).map(|_| greet(&subject))).await?);
    }
    let after = resident(subject.pid)?;
    drop(sockets);
    subject.stop().await?;
    Ok((after.saturating_sub(before)) as f64 / connections as f64)
}

/// Returns the bytes of memory that an open ask costs the server while its session is in use.
pub(crate) async fn per_open_ask(root: &Path, asks: usize) -> Result<f64> {
    let subject = Subject::measured(Kind::Askbridge, root).await?;
    ask(&subject, 500).await?;
    let before = resident(subject.pid)?;
    ask(&subject, asks).await?;
    let after = resident(subject.pid)?;
    subject.stop().await?;
    Ok((after.saturating_sub(before)) as f64 / asks as f64)
}

/// Makes asks without waiting, each in a new session, over a few connections.
pub(crate) async fn ask(subject: &Subject, asks: usize) -> Result<()> {
    const LANES: usize = 64;
    // Each connection has its own token, because the bytes of open asks per token are limited.
    let tokens = tokens(subject, LANES).await?;
    let lane = |(lane, token): (usize, String)| async move {
        let mut connection = subject.connect().await?;
        for number in (lane..asks).step_by(LANES) {
            let body = json!({
                "questions": [{
                    "question": format!("Which database should service number {number} use?"),
                    "header": "Database",
                    "options": [
                        {"label": "PostgreSQL", "description": "Relational, needs a server"},
                        {"label": "SQLite", "description": "Embedded, one file"},
                    ],
                }],
            });
            connection.post("/v1/asks", Some(&token), &body.to_string()).await?;
        }
        anyhow::Ok(())
    };
    try_join_all(tokens.into_iter().enumerate().map(lane)).await.map(drop)
}

/// Returns the time from the start of the process to the first accepted connection.
pub(crate) async fn start(root: &Path) -> Result<Duration> {
    let folder = tempfile::TempDir::new_in(root)?;
    // A port that was just free, so that the client can try to connect before the server prints its address.
    let address = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let began = Instant::now();
    let mut child = Subject::command(folder.path(), &address.to_string())?.spawn()?;
    while TcpStream::connect(address).await.is_err() {
        anyhow::ensure!(began.elapsed() < Duration::from_secs(30), "the server does not start");
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    let took = began.elapsed();
    child.kill().await?;
    Ok(took)
}

/// Returns the resident memory of a process, in bytes.
pub(crate) fn resident(pid: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}
