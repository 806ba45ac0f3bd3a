//! The writer thread. It commits everything that is queued; under load it waits a moment for more.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use askbridge_core::limits;
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::error::Error;
use super::ledger::{Job, Ledger};

/// Jobs in the last commit from which on we are under load.
const CROWD: usize = 9;
/// How long the writer then waits for more. Less than a commit takes.
const GATHER: Duration = Duration::from_micros(500);

pub(super) fn spawn(
    path: PathBuf,
    conn: Connection,
    ledger: Ledger,
) -> Result<(mpsc::Sender<Job>, JoinHandle<()>), Error> {
    let (sender, queue) = mpsc::channel(limits::APPEND_QUEUE_MAX);
    let thread = thread::Builder::new().name("journal".to_owned());
    let thread = thread.spawn(move || run(conn, ledger, queue));
    let thread = thread.map_err(|source| Error::Io { what: "start a thread for", path, source })?;
    Ok((sender, thread))
}

fn run(conn: Connection, mut ledger: Ledger, mut queue: mpsc::Receiver<Job>) {
    let mut jobs = Vec::with_capacity(limits::APPEND_BATCH_MAX);
    let mut last = 0;
    // Zero means that every handle was dropped and the queue is empty.
    while queue.blocking_recv_many(&mut jobs, limits::APPEND_BATCH_MAX) > 0 {
        // A commit costs the same however many jobs share it. Under load, more are about to arrive.
        if last >= CROWD {
            thread::sleep(GATHER);
            while jobs.len() < limits::APPEND_BATCH_MAX
                && let Ok(job) = queue.try_recv()
            {
                jobs.push(job);
            }
        }
        last = jobs.len();
        ledger.commit(&conn, &mut jobs);
        jobs.clear();
    }
    ledger.recent().close();
    ledger.feed().close();
    // Everything is durable already; this makes the next start quicker and the file complete without its log.
    if let Err(error) = conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(%error, "Could not fold the log into the journal; the next start will");
    }
}
