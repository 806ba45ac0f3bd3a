//! Verifies a store, also while a server uses it.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{AskId, Position, SessionId, Timestamp};
use askbridge_core::{Session, evolve};
use rusqlite::Connection;

use crate::entry::{Digest, Stored};
use crate::forgetting::{Forgetting, Forgotten};
use crate::index::{Difference, compare, load_cursor};
use crate::journal::ReadError;
use crate::record::FORMAT;
use crate::sqlite::{COLUMNS, Error, FILE, INDEX_FILE, Mark, RecordedEnd, known, meta, open_to_read, stored};

/// Problems that are listed. Beyond: they are only counted.
const PROBLEMS_MAX: usize = 100;

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub path: PathBuf,
    pub format: u32,
    pub entries: u64,
    pub sessions: u64,
    pub open_asks: u64,
    /// What was forgotten, according to the chain of forgettings.
    pub forgotten: Forgotten,
    /// Times of the first and the last forgetting.
    pub forgotten_between: Option<(Timestamp, Timestamp)>,
    /// Empty if the store is sound.
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
    #[error("SQLite reports of the index: {0}; it is built anew when the server starts again")]
    IndexFile(String),
    #[error(
        "the index is not as the journal says: the row of `{table}` at {at} is {how}; it is built anew when the server starts again"
    )]
    Row { table: &'static str, at: String, how: &'static str },
    #[error(
        "the journal ends at entry {found}, although entry {known} was stored; its end was removed, or an older copy is in its place"
    )]
    Lost { found: u64, known: u64 },
    #[error("this is another journal than the one that was here")]
    Replaced,
    #[error("record {number} of what was forgotten does not follow the one before it; something was changed")]
    Forgetting { number: i64 },
    #[error(
        "there are {found} entries, and {forgotten} were forgotten, but {made} were made; something was removed or put in"
    )]
    Missing { found: u64, forgotten: u64, made: u64 },
    #[error(
        "the index says that {ask} is {index}, the journal that it is {journal}; stop the server, delete `index.db` and start it again: the index is built anew"
    )]
    Index { ask: AskId, index: &'static str, journal: &'static str },
}

impl Report {
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }
}

/// Checks the file, every record, the chain of every session, and the index against a replay.
///
/// Works on one snapshot of the store, so a server may keep writing.
pub fn verify(dir: &Path) -> Result<Report, Error> {
    verify_and_tell(dir, &mut |_, _| {})
}

/// The same, and reports progress after each entry: how many were read, and the last position. Positions may have gaps,
/// so the count may end below it.
pub fn verify_and_tell(dir: &Path, tell: &mut dyn FnMut(u64, u64)) -> Result<Report, Error> {
    // The files beside the journal are read first, so that they cannot be ahead of it.
    let beside = Beside { known: known(dir)?, index: Index::look(&dir.join(INDEX_FILE)) };
    check(dir.join(FILE), beside, tell)
}

/// The files beside the journal.
#[derive(Default)]
struct Beside {
    /// The last position that was known to be stored.
    known: Option<RecordedEnd>,
    index: Index,
}

/// A snapshot of the index.
#[derive(Default)]
enum Index {
    /// The index can be rebuilt, so a missing one is not a problem.
    #[default]
    None,
    Unreadable(String),
    There {
        conn: Connection,
        listed: IndexContents,
    },
}

/// Checks a journal without an index.
pub(crate) fn verify_copy(path: &Path) -> Result<Report, Error> {
    check(path.to_owned(), Beside::default(), &mut |_, _| {})
}

fn check(path: PathBuf, beside: Beside, tell: &mut dyn FnMut(u64, u64)) -> Result<Report, Error> {
    let of = |source| Error::of(&path, source);
    let conn = open_to_read(&path).map_err(of)?;
    conn.execute_batch("BEGIN").map_err(of)?;
    let format = meta(&conn, "format").map_err(of)?.and_then(|format| u32::try_from(format).ok()).unwrap_or(0);
    if format > FORMAT {
        return Err(Error::TooNew { path, found: format, ours: FORMAT });
    }
    let mut report = Report { path: path.clone(), format, ..Report::default() };
    check_file(&conn, &mut report).map_err(of)?;
    if !report.is_good() {
        return Ok(report);
    }
    let identity = meta(&conn, "identity").map_err(of)?.unwrap_or(0).cast_unsigned();
    if let Some(known) = beside.known {
        check_end(&conn, known, identity, &mut report).map_err(of)?;
    }
    let up_to = beside.index.up_to();
    let has_its_end = report.is_good();
    let mut replayed = replay(&conn, &mut report, up_to, tell).map_err(of)?;
    replayed.ahead.extend(forgotten_since(&conn, up_to).map_err(of)?);
    match beside.index {
        // The index knows of the lost entries; comparing it would report them again.
        _ if !has_its_end => {}
        Index::None => {}
        Index::Unreadable(why) => report.add(Problem::IndexFile(why)),
        Index::There { listed, .. } if listed.journal != identity => {
            report.add(Problem::IndexFile("it is of another journal".to_owned()));
        }
        Index::There { conn: index, listed } => {
            check_index(&mut report, listed, replayed);
            check_rows(&index, &conn, up_to, &mut report);
        }
    }
    if has_its_end {
        check_forgotten(&conn, &mut report).map_err(of)?;
    }
    Ok(report)
}

/// Does the journal have every entry that is known to have been stored?
fn check_end(conn: &Connection, known: RecordedEnd, identity: u64, report: &mut Report) -> rusqlite::Result<()> {
    let newest = last_position(conn)?.max(meta(conn, "newest_forgotten")?.unwrap_or(0).cast_unsigned());
    match known.check(&report.path, Some(Mark { identity, newest })) {
        Ok(()) => {}
        Err(Error::Lost { found, known, .. }) => report.add(Problem::Lost { found, known }),
        Err(_) => report.add(Problem::Replaced),
    }
    Ok(())
}

/// Compares the index with the journal. An index that cannot be read to its end differs.
fn check_rows(index: &Connection, journal: &Connection, up_to: u64, report: &mut Report) {
    let lines = whole(index, "PRAGMA integrity_check").unwrap_or_else(|error| vec![error.to_string()]);
    if !lines.is_empty() {
        lines.into_iter().for_each(|line| report.add(Problem::IndexFile(line)));
        return;
    }
    let compared = compare(index, journal, up_to, &mut |difference| {
        let Difference { table, at, how } = difference;
        report.add(Problem::Row { table, at, how });
    });
    match compared {
        // `replay` has already reported entries that cannot be read.
        Ok(_) => {}
        Err(error) => report.add(Problem::IndexFile(error.to_string())),
    }
}

impl Index {
    fn look(path: &Path) -> Self {
        if !path.exists() {
            return Self::None;
        }
        match listed(path) {
            Ok((conn, listed)) => Self::There { conn, listed },
            // It has no cursor.
            Err(rusqlite::Error::InvalidQuery) => Self::Unreadable("it is not one of this release".to_owned()),
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// The last position in the index.
    fn up_to(&self) -> u64 {
        match self {
            Self::There { listed, .. } => listed.up_to,
            Self::None | Self::Unreadable(_) => 0,
        }
    }
}

fn check_file(conn: &Connection, report: &mut Report) -> rusqlite::Result<()> {
    whole(conn, "PRAGMA quick_check")?.into_iter().for_each(|line| report.add(Problem::File(line)));
    Ok(())
}

/// Runs one of SQLite's integrity checks. Returns its complaints.
fn whole(conn: &Connection, pragma: &str) -> rusqlite::Result<Vec<String>> {
    let mut check = conn.prepare(pragma)?;
    let lines = check.query_map((), |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// What the index says.
struct IndexContents {
    /// The id of the journal that it was made from.
    journal: u64,
    open: HashSet<AskId>,
    /// The last position in the index.
    up_to: u64,
}

/// What the journal says.
#[derive(Default)]
struct Replayed {
    open: HashSet<AskId>,
    /// Sessions with entries, or forgotten, after the index's last position.
    ahead: HashSet<SessionId>,
}

/// Reads the index. The connection stays in that snapshot.
fn listed(path: &Path) -> rusqlite::Result<(Connection, IndexContents)> {
    let conn = open_to_read(path)?;
    conn.execute_batch("BEGIN")?;
    let cursor = load_cursor(&conn)?.ok_or(rusqlite::Error::InvalidQuery)?;
    let (journal, up_to) = (cursor.journal(), cursor.places()[0]);
    let ask = |row: &rusqlite::Row<'_>| {
        Ok(AskId { session: SessionId(u128::from_be_bytes(row.get(0)?)), number: row.get(1)? })
    };
    let open = {
        let mut query = conn.prepare("SELECT session, number FROM asks WHERE state <= 1")?;
        query.query_map((), ask)?.collect::<rusqlite::Result<_>>()?
    };
    Ok((conn, IndexContents { journal, open, up_to }))
}

/// Folds every session, one at a time.
fn replay(
    conn: &Connection,
    report: &mut Report,
    up_to: u64,
    tell: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<Replayed> {
    let last = last_position(conn)?;
    let sql = format!("SELECT {COLUMNS} FROM entries ORDER BY session, pos");
    let mut query = conn.prepare(&sql)?;
    let mut rows = query.query(())?;
    let mut replayed = Replayed::default();
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
        if stored.position.0 > up_to {
            replayed.ahead.insert(session);
        }
        if folded.as_ref().is_none_or(|(folded, _)| folded.id != session) {
            finish(folded.take(), &mut replayed);
            report.sessions += 1;
            folded = Some((Session::new(session), Digest::ZERO));
        }
        if let Some((session, prev)) = &mut folded {
            fold(session, prev, &stored, report);
        }
    }
    finish(folded, &mut replayed);
    report.open_asks = replayed.open.len() as u64;
    Ok(replayed)
}

fn forgotten_since(conn: &Connection, up_to: u64) -> rusqlite::Result<Vec<SessionId>> {
    let mut query = conn.prepare("SELECT session FROM forgotten WHERE pos >= ?1")?;
    let sessions = query.query_map([up_to.cast_signed()], |row| Ok(SessionId(u128::from_be_bytes(row.get(0)?))))?;
    sessions.collect()
}

/// Returns the last position. Unlike a count of the entries, it is quick to find.
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

fn finish(folded: Option<(Session, Digest)>, replayed: &mut Replayed) {
    if let Some((session, _)) = folded {
        replayed.open.extend(session.open().map(|live| live.ask.id));
    }
}

fn check_index(report: &mut Report, listed: IndexContents, replayed: Replayed) {
    let wrong: BTreeSet<AskId> = listed.open.symmetric_difference(&replayed.open).copied().collect();
    for ask in wrong.into_iter().filter(|ask| !replayed.ahead.contains(&ask.session)) {
        let (index, journal) = if listed.open.contains(&ask) { ("open", "over") } else { ("over", "open") };
        report.add(Problem::Index { ask, index, journal });
    }
}

/// Checks the chain of forgettings, and that they explain every gap in the positions.
fn check_forgotten(conn: &Connection, report: &mut Report) -> rusqlite::Result<()> {
    let known = "SELECT count(*) FROM sqlite_schema WHERE name = 'forgettings'";
    let is_kept = conn.query_row::<i64, _, _>(known, (), |row| row.get(0))? > 0;
    let mut sessions = HashSet::new();
    if is_kept {
        let mut query = conn.prepare("SELECT number, body FROM forgettings ORDER BY number")?;
        let mut rows = query.query(())?;
        let mut prev = Digest::ZERO;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(1)?.as_bytes()?;
            match Forgetting::decode(body) {
                Some(forgetting) if forgetting.prev == prev => {
                    report.forgotten += forgetting.sum();
                    let first = report.forgotten_between.map_or(forgetting.at, |(first, _)| first);
                    report.forgotten_between = Some((first, forgetting.at));
                    sessions.extend(forgetting.gone.iter().map(|gone| gone.session));
                }
                _ => report.add(Problem::Forgetting { number: row.get(0)? }),
            }
            prev = Digest::of(body);
        }
    }
    // Forgettings from before the chain existed were not counted.
    let mut query = conn.prepare("SELECT session FROM forgotten")?;
    let all = query.query_map((), |row| Ok(SessionId(u128::from_be_bytes(row.get(0)?))))?;
    let all = all.collect::<rusqlite::Result<HashSet<_>>>()?;
    let newest = meta(conn, "newest_forgotten")?.unwrap_or(0).cast_unsigned();
    let (found, forgotten, made) = (report.entries, report.forgotten.entries, last_position(conn)?.max(newest));
    if all.is_subset(&sessions) && found + forgotten != made {
        report.add(Problem::Missing { found, forgotten, made });
    }
    Ok(())
}
