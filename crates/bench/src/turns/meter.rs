//! What rounds cost a server: CPU time, bytes and memory of its process alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;

use super::crew::Crew;
use super::subjects::{Contender, Server, Tools};
use crate::footprint::{self, resident};
use crate::load::Pace;
use crate::measure::{Figures, cpu_time};

const WARM_UP: Duration = Duration::from_millis(300);
/// Sessions that pay for one-time allocations before memory is measured.
const FIRST_SESSIONS: usize = 8;
/// How long a checkpoint may be kept waiting by a reader.
const CHECKPOINT_MAX: Duration = Duration::from_secs(10);

/// One load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Load {
    pub(super) sessions: usize,
    pub(super) pace: Pace,
    pub(super) span: Duration,
    pub(super) beside: Beside,
}

/// What else is in the journal. Only askbridge can have anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// Asks that were opened just before, so that their sessions are in memory.
    OpenAsks(usize),
    /// The same, but the server was started again since.
    OpenAsksRestarted(usize),
}

/// The figures of one measurement.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnFigures {
    pub(super) rounds: Figures,
    /// Growth of the store per round, after a checkpoint.
    pub(super) kept_bytes: f64,
    /// `write_bytes` of the server's process per round: what it caused to be sent to the disk.
    pub(super) written_bytes: f64,
}

/// Measures one load on a server of its own.
pub(super) async fn measure(contender: Contender, root: &Path, tools: &Tools, load: Load) -> Result<TurnFigures> {
    let mut server = Server::start(contender, root, tools).await?;
    if let Beside::OpenAsks(asks) | Beside::OpenAsksRestarted(asks) = load.beside {
        footprint::ask(&server.subject, asks).await?;
        server.settle().await?;
    }
    if let Beside::OpenAsksRestarted(_) = load.beside {
        server = server.again(contender, tools).await?;
    }
    let mut crew = Crew { seats: server.seats(load.sessions).await? };
    crew.run(load.pace, WARM_UP).await?;
    server.settle().await?;
    let (pid, kept) = (server.subject.pid, stored(&server.subject.data)?);
    let (cpu, written, began) = (cpu_time(pid)?, written(pid)?, Instant::now());
    let took = crew.run(load.pace, load.span).await?;
    let (cpu, span, written) = (cpu_time(pid)? - cpu, began.elapsed(), self::written(pid)? - written);
    server.settle().await?;
    let kept = stored(&server.subject.data)? as f64 - kept as f64;
    let rounds = took.len() as f64;
    drop(crew);
    server.stop().await?;
    Ok(TurnFigures {
        rounds: Figures::of(took, cpu, span)?,
        kept_bytes: kept / rounds,
        written_bytes: written as f64 / rounds,
    })
}

/// Memory of a server, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    /// Before the first session.
    pub(super) base: f64,
    /// For each session whose question waits on its screen.
    pub(super) per_waiting: f64,
}

pub(super) async fn memory(contender: Contender, root: &Path, tools: &Tools, sessions: usize) -> Result<Memory> {
    let server = Server::start(contender, root, tools).await?;
    let pid = server.subject.pid;
    let base = resident(pid)? as f64;
    let mut first = Crew { seats: server.seats(FIRST_SESSIONS).await? };
    first.wait().await?;
    let before = resident(pid)?;
    let mut crew = Crew { seats: server.seats(sessions).await? };
    crew.wait().await?;
    let per_waiting = resident(pid)?.saturating_sub(before) as f64 / sessions as f64;
    drop((first, crew));
    server.stop().await?;
    Ok(Memory { base, per_waiting })
}

/// Returns the bytes that a process has caused to be sent to the disk.
fn written(pid: u32) -> Result<u64> {
    let io = fs::read_to_string(format!("/proc/{pid}/io"))?;
    let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    Ok(line.context("a process has counted its writes")?.trim().parse()?)
}

/// Returns the size of all databases in a folder, after a checkpoint.
fn stored(data: &Path) -> Result<u64> {
    let mut bytes = 0;
    for database in databases(data)? {
        let conn = Connection::open(&database)?;
        let began = Instant::now();
        while conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))? != 0 {
            ensure!(began.elapsed() < CHECKPOINT_MAX, "`{}` is too busy for a checkpoint", database.display());
            std::thread::sleep(Duration::from_millis(5));
        }
        bytes += fs::metadata(&database)?.len();
    }
    Ok(bytes)
}

fn databases(data: &Path) -> Result<Vec<PathBuf>> {
    let files = fs::read_dir(data)?.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?;
    Ok(files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "db")).collect())
}
