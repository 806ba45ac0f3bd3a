//! Verifies and exports a journal on NATS, as [`crate::verify()`] and [`crate::export()`] do for SQLite.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

use askbridge_core::event::Lane;
use askbridge_core::ids::{AskId, SessionId};
use futures_util::StreamExt;

use super::error::Error;
use super::store::Nats;
use crate::cursor::Cursor;
use crate::entry::{Digest, Stored};
use crate::export::ExportError;
use crate::fault::Fault;
use crate::index::copy::Copy;
use crate::journal::{Journal, ReadError};
use crate::record::{FORMAT, write_line};
use crate::verify::{Problem, Report};

/// Entries that are projected at once.
const BATCH: usize = 256;

impl Nats {
    /// Checks every record, the chain of every session and of what was forgotten, and the index of a node against a
    /// replay. Nodes may keep writing, but an index that moves meanwhile is not compared.
    ///
    /// `index` is the file of an index, which no node has to have open. `scratch` is a new file for the replay, removed
    /// afterwards. `tell` is told how many entries were read and about how many there are.
    pub async fn verify(
        &self,
        index: Option<&Path>,
        scratch: &Path,
        tell: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<Report, Error> {
        let request = |source| Error::Request { what: "verify the journal", source };
        let path = PathBuf::from(format!("{} in NATS", self.inner.name));
        let mut report = Report { path, format: FORMAT, ..Report::default() };
        let removed = RemovedAtEnd(scratch);
        removed.remove();
        let replay = Copy::open(Some(scratch), &self.start()).map_err(|error| request(Fault::new(error)))?;
        let cursor = super::follow::newest(&self.inner).await.map_err(request)?;
        let mut chains: HashMap<SessionId, Digest> = HashMap::new();
        let of = self.messages().await.map_err(request)?;
        let mut batches = self.in_order().await.map_err(request)?.ready_chunks(BATCH);
        while let Some(batch) = batches.next().await {
            let mut entries = Vec::with_capacity(batch.len());
            for read in batch {
                report.entries += 1;
                match read {
                    Ok(stored) => {
                        check_chain(&stored, &mut chains, &mut report);
                        entries.push(stored);
                    }
                    Err(ReadError::Record { position, source }) => {
                        report.add(Problem::Record { position, why: source.to_string() });
                    }
                    Err(ReadError::Down(fault)) => return Err(request(fault)),
                }
            }
            replay.take_in(&entries, &cursor).map_err(request)?;
            tell(report.entries.min(of), of);
        }
        report.sessions = chains.len() as u64;
        let expected = replay.open_asks().map_err(request)?;
        report.open_asks = expected.len() as u64;
        self.check_forgettings(&mut report).await.map_err(request)?;
        if let Some(index) = index {
            compare_with(index, &cursor, &expected, &mut report);
        }
        Ok(report)
    }

    /// Writes one line of JSON per entry, in the order in which they were written. Returns how many.
    pub async fn export(
        &self,
        mut out: impl Write + Send,
        tell: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<u64, ExportError> {
        let of = self.messages().await.map_err(ExportError::Read)?;
        let mut all = self.in_order().await.map_err(ExportError::Read)?;
        let mut lines = 0;
        while let Some(read) = all.next().await {
            let stored = read.map_err(|error| ExportError::Read(Fault::new(error)))?;
            writeln!(out, "{}", write_line(&stored.entry, Some(stored.position))).map_err(ExportError::Write)?;
            lines += 1;
            tell(lines.min(of), of);
        }
        out.flush().map_err(ExportError::Write)?;
        Ok(lines)
    }

    /// Each stream has a chain: every record in it names the one before.
    async fn check_forgettings(&self, report: &mut Report) -> Result<(), Fault> {
        let mut number = 0;
        for stream in 0..self.streams() {
            let mut prev = Digest::ZERO;
            for forgetting in super::forget::chain(&self.inner, stream).await? {
                number += 1;
                match forgetting {
                    Some(forgetting) if forgetting.prev == prev => {
                        report.forgotten += forgetting.sum();
                        let (first, last) = report.forgotten_between.unwrap_or((forgetting.at, forgetting.at));
                        report.forgotten_between = Some((first.min(forgetting.at), last.max(forgetting.at)));
                        prev = forgetting.digest();
                    }
                    Some(forgetting) => {
                        report.add(Problem::Forgetting { number });
                        prev = forgetting.digest();
                    }
                    None => report.add(Problem::Forgetting { number }),
                }
            }
        }
        Ok(())
    }
}

/// The file of a replay.
struct RemovedAtEnd<'a>(&'a Path);

impl RemovedAtEnd<'_> {
    fn remove(&self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(ending);
            // What is not there need not be removed; what cannot be is in the way of the next replay, which says so.
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Drop for RemovedAtEnd<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

fn check_chain(stored: &Stored, chains: &mut HashMap<SessionId, Digest>, report: &mut Report) {
    let entry = &stored.entry;
    let prev = chains.entry(entry.session).or_insert(Digest::ZERO);
    let expected = if entry.lane == Lane::Decisions { *prev } else { Digest::ZERO };
    if entry.prev != expected {
        report.add(Problem::Chain { session: entry.session, position: stored.position });
    }
    if entry.lane == Lane::Decisions {
        *prev = entry.digest();
    }
}

/// Compares the open asks of a node's index with the journal, if both have come to the same place.
fn compare_with(index: &Path, read: &Cursor, expected: &BTreeSet<AskId>, report: &mut Report) {
    let found = match Copy::open_asks_in(index) {
        Ok(found) => found,
        Err(why) => return report.add(Problem::IndexFile(why)),
    };
    let Some((cursor, found)) = found.filter(|(cursor, _)| cursor.is_of_the_journal_of(read)) else {
        return report.add(Problem::IndexFile("it is of another journal, or of another release".to_owned()));
    };
    if cursor != *read {
        return;
    }
    for ask in expected.symmetric_difference(&found) {
        let (index, journal) = if expected.contains(ask) { ("over", "open") } else { ("open", "over") };
        report.add(Problem::Index { ask: *ask, index, journal });
    }
}
