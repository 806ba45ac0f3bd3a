//! Looking a store over, also while a server works on it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{AskId, Position, SessionId};
use askbridge_core::{Session, evolve};
use rusqlite::{Connection, params};

use crate::entry::{Digest, Stored};
use crate::journal::ReadError;
use crate::record::FORMAT;
use crate::sqlite::{COLUMNS, Error, FILE, meta, open_to_read, stored};

/// Problems that are written down. Beyond: they are only counted.
const PROBLEMS_MAX: usize = 100;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub path: PathBuf,
    pub format: u32,
    pub entries: u64,
    pub sessions: u64,
    pub open_asks: u64,
    /// Empty when everything is as it should be.
    pub problems: Vec<Problem>,
    /// Problems beyond those.
    pub more_problems: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("SQLite reports: {0}")]
    File(String),
    #[error("the entry at position {} cannot be read: {why}", position.0)]
    Record { position: Position, why: String },
    #[error("the entry at position {} of {session} does not follow the one before it; something was changed", position.0)]
    Chain { session: SessionId, position: Position },
    #[error("the index says that {ask} is {index}, the journal that it is {journal}; rebuild the index")]
    Index { ask: AskId, index: &'static str, journal: &'static str },
}

impl Report {
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }
}

/// Checks the file, every record, the chain of every session, and the index against a replay.
///
/// Works on one snapshot of the store, so that a server may go on writing meanwhile.
pub fn verify(dir: &Path) -> Result<Report, Error> {
    verify_and_tell(dir, &mut |_, _| {})
}

/// The same, and tells after each entry how far it is: how many were read, and the last position. Positions may have
/// gaps, so the end may come early.
pub fn verify_and_tell(dir: &Path, tell: &mut dyn FnMut(u64, u64)) -> Result<Report, Error> {
    let path = dir.join(FILE);
    let of = |source| Error::of(&path, source);
    let conn = open_to_read(&path).map_err(of)?;
    conn.execute_batch("BEGIN").map_err(of)?;
    let format = meta(&conn, "format").map_err(of)?.and_then(|format| u32::try_from(format).ok()).unwrap_or(0);
    if format > FORMAT {
        return Err(Error::TooNew { path, found: format, ours: FORMAT });
    }
    let mut report = Report { path: path.clone(), format, ..Report::default() };
    check_file(&conn, &mut report).map_err(of)?;
    if report.is_good() {
        let open = replay(&conn, &mut report, tell).map_err(of)?;
        check_index(&conn, &mut report, open).map_err(of)?;
    }
    Ok(report)
}

fn check_file(conn: &Connection, report: &mut Report) -> rusqlite::Result<()> {
    let mut check = conn.prepare("PRAGMA quick_check")?;
    let lines = check.query_map((), |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for line in lines.into_iter().filter(|line| line != "ok") {
        report.add(Problem::File(line));
    }
    Ok(())
}

/// Folds every session, one at a time. Returns the asks that are open.
fn replay(
    conn: &Connection,
    report: &mut Report,
    tell: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<HashMap<AskId, ()>> {
    let last = last_position(conn)?;
    let sql = format!("SELECT {COLUMNS} FROM entries ORDER BY session, pos");
    let mut query = conn.prepare(&sql)?;
    let mut rows = query.query(())?;
    let mut open = HashMap::new();
    let mut folded: Option<(Session, Digest)> = None;
    while let Some(row) = rows.next()? {
        report.entries += 1;
        tell(report.entries.min(last), last);
        let stored = match stored(row)? {
            Ok(stored) => stored,
            Err(ReadError::Record { position, source }) => {
                let why = std::error::Error::source(&source).map_or(source.to_string(), ToString::to_string);
                report.add(Problem::Record { position, why });
                continue;
            }
            Err(error) => {
                report.add(Problem::File(error.to_string()));
                continue;
            }
        };
        let session = stored.entry.session;
        if folded.as_ref().is_none_or(|(folded, _)| folded.id != session) {
            finish(folded.take(), &mut open);
            report.sessions += 1;
            folded = Some((Session::new(session), Digest::ZERO));
        }
        if let Some((session, prev)) = &mut folded {
            fold(session, prev, &stored, report);
        }
    }
    finish(folded, &mut open);
    report.open_asks = open.len() as u64;
    Ok(open)
}

/// Returns the last position: quick to find, unlike the number of entries.
pub(crate) fn last_position(conn: &Connection) -> rusqlite::Result<u64> {
    let last = conn.query_row("SELECT max(pos) FROM entries", (), |row| row.get::<_, Option<i64>>(0))?;
    Ok(last.and_then(|last| u64::try_from(last).ok()).unwrap_or_default())
}

fn fold(session: &mut Session, prev: &mut Digest, stored: &Arc<Stored>, report: &mut Report) {
    let entry = &stored.entry;
    let expected = if entry.lane == Lane::Decisions { *prev } else { Digest::ZERO };
    if entry.prev != expected {
        report.add(Problem::Chain { session: session.id, position: stored.position });
    }
    if entry.lane == Lane::Decisions {
        *prev = entry.digest();
        entry.events.iter().for_each(|written| evolve(session, &written.event));
    }
}

fn finish(folded: Option<(Session, Digest)>, open: &mut HashMap<AskId, ()>) {
    if let Some((session, _)) = folded {
        open.extend(session.open().map(|live| (live.ask.id, ())));
    }
}

fn check_index(conn: &Connection, report: &mut Report, mut open: HashMap<AskId, ()>) -> rusqlite::Result<()> {
    let mut query = conn.prepare("SELECT session, number FROM asks WHERE state <= 1")?;
    let mut rows = query.query(params![])?;
    let mut wrong = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let ask = AskId { session: SessionId(u128::from_be_bytes(row.get(0)?)), number: row.get(1)? };
        if open.remove(&ask).is_none() {
            wrong.insert(ask, Problem::Index { ask, index: "open", journal: "over" });
        }
    }
    wrong.extend(open.into_keys().map(|ask| (ask, Problem::Index { ask, index: "over", journal: "open" })));
    wrong.into_values().for_each(|problem| report.add(problem));
    Ok(())
}
