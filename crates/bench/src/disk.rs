//! The floors' store: one SQLite file with group commit.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

/// Rows that may wait at once. Beyond: a round waits before it can hand over its row.
const QUEUE: usize = 4096;

type Row = (String, oneshot::Sender<()>);

/// Commits rows on a thread of its own.
pub(crate) struct Disk(mpsc::Sender<Row>);

impl Disk {
    pub(crate) fn open(folder: PathBuf) -> Self {
        let (sender, rows) = mpsc::channel(QUEUE);
        std::thread::spawn(move || write(&folder, rows));
        Self(sender)
    }

    /// Stores a row. Returns once it is synced.
    pub(crate) async fn keep(&self, body: String) -> Result<()> {
        let (done, stored) = oneshot::channel();
        self.0.send((body, done)).await.ok().context("the floor's disk thread has ended")?;
        stored.await.context("a row was not stored")
    }
}

/// Group commit by a single writer: everything that is queued goes into one transaction.
fn write(folder: &Path, mut rows: mpsc::Receiver<Row>) -> rusqlite::Result<()> {
    let conn = Connection::open(folder.join("floor.db"))?;
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096;
         CREATE TABLE log(pos INTEGER PRIMARY KEY, body TEXT) STRICT;",
    )?;
    while let Some(first) = rows.blocking_recv() {
        let mut batch = vec![first];
        while let Ok(more) = rows.try_recv() {
            batch.push(more);
        }
        conn.execute_batch("BEGIN")?;
        for (body, _) in &batch {
            conn.prepare_cached("INSERT INTO log(body) VALUES (?1)")?.execute([body])?;
        }
        conn.execute_batch("COMMIT")?;
        for (_, done) in batch {
            let _ = done.send(());
        }
    }
    Ok(())
}
