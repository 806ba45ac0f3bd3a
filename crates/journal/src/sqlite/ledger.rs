//! Applies queued jobs in one transaction.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use askbridge_core::event::Lane;
use askbridge_core::ids::{EntryId, Position, SessionId, Timestamp};
use foldhash::HashMap;
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;

use super::error::{Error, is_full};
use super::forget;
use super::projector::Projector;
use super::recent::Recent;
use super::rows;
use super::schema::meta;
use super::shelves::{self, Change, Changed};
use super::space;
use super::watch::ShelfFeed;
use super::watermark::Watermark;
use crate::entry::{Entry, Stored, lane_number};
use crate::fault::Fault;
use crate::forgetting::Forgotten;
use crate::index::{self, Gists, IndexWriter, RankCache};
use crate::journal::{AppendError, ForgetError, Guard};
use crate::meter::Meter;
use crate::shelf::{ShelfChange, ShelfError};

/// A write, and where to send its result.
#[derive(Debug)]
pub(crate) enum Job {
    /// The caller encodes `body`, so that the writer has less to do.
    Append {
        entry: Arc<Entry>,
        body: String,
        guard: Guard,
        reply: oneshot::Sender<Result<Position, AppendError>>,
    },
    Forget {
        sessions: Vec<SessionId>,
        at: Timestamp,
        by: String,
        reply: oneshot::Sender<Result<Forgotten, ForgetError>>,
    },
    /// Returns free pages to the disk, at most `pages`. Replies with how many are left.
    Shrink {
        pages: u32,
        reply: oneshot::Sender<Result<u64, Fault>>,
    },
    Change {
        change: Change,
        reply: oneshot::Sender<Result<Changed, ShelfError>>,
    },
}

/// The writing side of a store. There is exactly one.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    /// The newest position. There is no other writer, so it need not be queried.
    newest: u64,
    /// Cached positions of sessions' last decisions.
    heads: HashMap<SessionId, Option<Position>>,
    indexed: Indexed,
    /// Records the last position in a file beside the journal.
    watermark: Option<Watermark>,
    recent: Arc<Recent>,
    feed: Arc<ShelfFeed>,
    meter: Arc<Meter>,
}

/// Where the index is.
#[derive(Debug)]
enum Indexed {
    /// In the same database, updated in the same transaction.
    Here(RankCache),
    Beside(Arc<Projector>),
}

/// Heads that are cached. Beyond: the cache is cleared.
const HEADS_MAX: usize = 65_536;

/// The result of a job, sent after the commit.
enum Done {
    Append(Result<Position, AppendError>, oneshot::Sender<Result<Position, AppendError>>),
    Forget(Vec<SessionId>, Result<Forgotten, ForgetError>, oneshot::Sender<Result<Forgotten, ForgetError>>),
    Shrink(u64, oneshot::Sender<Result<u64, Fault>>),
    Change(Result<Changed, ShelfError>, oneshot::Sender<Result<Changed, ShelfError>>),
}

impl Ledger {
    pub(crate) fn new(conn: &Connection, path: &Path) -> rusqlite::Result<Self> {
        let newest: i64 = conn.query_row("SELECT coalesce(max(pos), 0) FROM entries", (), |row| row.get(0))?;
        let newest = newest.max(meta(conn, "newest_forgotten")?.unwrap_or(0)).cast_unsigned();
        let recent = Arc::new(Recent::new(newest));
        let indexed = Indexed::Here(RankCache::default());
        let (path, heads, feed, meter) = (path.to_owned(), HashMap::default(), Arc::default(), Arc::default());
        Ok(Self { path, newest, heads, indexed, watermark: None, recent, feed, meter })
    }

    /// Records the last position from now on.
    pub(super) fn marked(mut self, watermark: Watermark) -> Self {
        self.watermark = Some(watermark);
        self
    }

    /// Leaves the index to `projector`.
    pub(super) fn indexed_beside(mut self, projector: Arc<Projector>) -> Self {
        self.indexed = Indexed::Beside(projector);
        self
    }

    pub(crate) fn recent(&self) -> &Arc<Recent> {
        &self.recent
    }

    pub(crate) fn feed(&self) -> &Arc<ShelfFeed> {
        &self.feed
    }

    pub(crate) fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Applies all `jobs` in one transaction, and sends each its result.
    ///
    /// A refused job changes nothing and does not affect the others. If the transaction fails, every job gets the
    /// error; if the commit itself fails, it is unknown whether the entries are stored, unless the disk is full.
    pub(crate) fn commit(&mut self, conn: &Connection, jobs: &mut Vec<Job>) {
        let newest = self.newest;
        let (begun, changes) = (Instant::now(), conn.total_changes());
        if self.heads.len() >= HEADS_MAX {
            self.heads.clear();
        }
        let mut fresh = Vec::with_capacity(jobs.len());
        let mut done = Vec::with_capacity(jobs.len());
        let mut told = Vec::new();
        let outcome =
            self.apply(conn, jobs, &mut fresh, &mut done, &mut told).map_err(|error| (error, FailurePhase::Before));
        let applied = Instant::now();
        let outcome = outcome.and_then(|()| {
            let commit = conn.prepare_cached("COMMIT").and_then(|mut commit| commit.execute(()));
            commit.map(|_| ()).map_err(|error| (error, FailurePhase::During))
        });
        match outcome {
            Ok(()) => {
                if let Some(watermark) = self.watermark.as_ref().filter(|_| self.newest > newest) {
                    watermark.note(self.newest);
                }
                let wrote = conn.total_changes() != changes;
                self.meter.committed(begun.elapsed(), applied.elapsed(), fresh.len(), wrote);
                self.recent.push(&fresh);
                self.feed.tell(told);
                done.into_iter().for_each(|done| self.tell(done));
                if let Indexed::Beside(projector) = &self.indexed {
                    projector.nudge();
                }
            }
            Err((error, stage)) => {
                self.meter.failed();
                self.newest = newest;
                self.heads.clear();
                if let Indexed::Here(ranks) = &mut self.indexed {
                    ranks.clear();
                }
                if !conn.is_autocommit() {
                    // If even this fails, the next BEGIN reports it.
                    let _ = conn.execute_batch("ROLLBACK");
                }
                let unknown = stage == FailurePhase::During && !is_full(&error);
                let fault = Fault::new(Error::of(&self.path, error));
                tracing::error!(jobs = jobs.len() + done.len(), error = %fault, "Could not write to the journal");
                done.into_iter().for_each(|done| fail(done, &fault, unknown));
                jobs.drain(..).for_each(|job| fail(job.refused(), &fault, unknown));
            }
        }
    }

    fn apply(
        &mut self,
        conn: &Connection,
        jobs: &mut Vec<Job>,
        fresh: &mut Vec<Arc<Stored>>,
        done: &mut Vec<Done>,
        told: &mut Vec<ShelfChange>,
    ) -> rusqlite::Result<()> {
        conn.prepare_cached("BEGIN IMMEDIATE")?.execute(())?;
        // On an error, the caller fails the jobs that are still in `jobs`.
        jobs.reverse();
        while let Some(job) = jobs.last() {
            let made = match job {
                Job::Append { entry, body, guard, .. } => {
                    JobResult::Append(self.append(conn, entry, body, *guard, fresh)?)
                }
                Job::Forget { sessions, at, by, .. } => JobResult::Forget(self.forget(conn, sessions, *at, by, fresh)?),
                Job::Shrink { pages, .. } => JobResult::Shrunk(space::give_back(conn, "main", *pages)?),
                Job::Change { change, .. } => JobResult::Change(shelves::change(conn, change, told)?),
            };
            match (made, jobs.pop()) {
                (JobResult::Append(result), Some(Job::Append { reply, .. })) => done.push(Done::Append(result, reply)),
                (JobResult::Forget(result), Some(Job::Forget { sessions, reply, .. })) => {
                    done.push(Done::Forget(sessions, result, reply));
                }
                (JobResult::Shrunk(left), Some(Job::Shrink { reply, .. })) => done.push(Done::Shrink(left, reply)),
                (JobResult::Change(result), Some(Job::Change { reply, .. })) => done.push(Done::Change(result, reply)),
                _ => {}
            }
        }
        Ok(())
    }

    fn append(
        &mut self,
        conn: &Connection,
        entry: &Arc<Entry>,
        body: &str,
        guard: Guard,
        fresh: &mut Vec<Arc<Stored>>,
    ) -> rusqlite::Result<Result<Position, AppendError>> {
        if let Guard::Head(expected) = guard {
            match self.head(conn, entry.session) {
                Ok(head) if head == expected => {}
                Ok(_) => {
                    let found = self.find_after(conn, entry, expected)?;
                    return Ok(found.and_then(|found| found.ok_or(AppendError::Conflict)));
                }
                Err(fault) => return Ok(Err(AppendError::Down(fault))),
            }
        }
        let position = Position(self.newest + 1);
        if !insert(conn, position, entry, body)? {
            return Ok(find_content(conn, entry.id)?.ok_or(AppendError::Conflict));
        }
        self.newest = position.0;
        if entry.lane == Lane::Decisions {
            self.heads.insert(entry.session, Some(position));
        }
        if let Indexed::Here(ranks) = &mut self.indexed {
            let mut gists = Gists::default();
            gists.add(position.0, entry);
            let mut writer = IndexWriter::new(conn, ranks);
            writer.take_in(&gists)?;
            writer.finish()?;
        }
        fresh.push(Arc::new(Stored { position, entry: Arc::clone(entry) }));
        Ok(Ok(position))
    }

    fn head(&self, conn: &Connection, session: SessionId) -> Result<Option<Position>, Fault> {
        match (self.heads.get(&session), &self.indexed) {
            (Some(head), _) => Ok(*head),
            (None, Indexed::Beside(projector)) => projector.head(session),
            (None, Indexed::Here(_)) => {
                rows::head(conn, session).map_err(|source| Fault::new(Error::of(&self.path, source)))
            }
        }
    }

    /// Returns the positions of a session's entries that were committed before this transaction.
    fn positions(&self, conn: &Connection, session: SessionId) -> Result<Vec<Position>, Fault> {
        match &self.indexed {
            Indexed::Beside(projector) => projector.positions(session),
            Indexed::Here(_) => {
                rows::positions(conn, session).map_err(|source| Fault::new(Error::of(&self.path, source)))
            }
        }
    }

    /// Looks for an entry that may have been appended before.
    fn find_after(
        &self,
        conn: &Connection,
        entry: &Entry,
        after: Option<Position>,
    ) -> rusqlite::Result<Result<Option<Position>, AppendError>> {
        let places = match self.positions(conn, entry.session) {
            Ok(places) => places,
            Err(fault) => return Ok(Err(AppendError::Down(fault))),
        };
        let mut query = conn.prepare_cached("SELECT 1 FROM entries WHERE pos = ?1 AND id = ?2 AND lane = ?3")?;
        for position in places.into_iter().filter(|position| after.is_none_or(|after| *position > after)) {
            let key = params![position.0.cast_signed(), entry.id.0.to_be_bytes(), lane_number(entry.lane)];
            if query.exists(key)? {
                return Ok(Ok(Some(position)));
            }
        }
        Ok(Ok(None))
    }

    fn forget(
        &mut self,
        conn: &Connection,
        sessions: &[SessionId],
        at: Timestamp,
        by: &str,
        fresh: &[Arc<Stored>],
    ) -> rusqlite::Result<Result<Forgotten, ForgetError>> {
        // All entries are found before the first is removed, so an error here has changed nothing.
        let mut found = Vec::with_capacity(sessions.len());
        for session in sessions {
            let mut places = match self.positions(conn, *session) {
                Ok(places) => places,
                Err(fault) => return Ok(Err(ForgetError(fault))),
            };
            let just_made = fresh.iter().filter(|stored| stored.entry.session == *session);
            places.extend(just_made.map(|stored| stored.position));
            places.sort_unstable();
            found.push((*session, places));
        }
        let forgotten = forget::forget(conn, found, at, by, self.newest)?;
        for session in sessions {
            self.heads.remove(session);
        }
        if let Indexed::Here(ranks) = &mut self.indexed {
            ranks.clear();
            sessions.iter().try_for_each(|session| index::forget(conn, *session))?;
        }
        Ok(Ok(forgotten))
    }

    fn tell(&self, done: Done) {
        // A caller that no longer waits for the reply is ignored; its entry is stored.
        match done {
            Done::Append(result, reply) => drop(reply.send(result)),
            Done::Change(result, reply) => drop(reply.send(result)),
            Done::Forget(sessions, result, reply) => {
                sessions.iter().for_each(|session| self.recent.forget(*session));
                // If the index fails now, it catches up with the forgetting when it is opened again.
                let beside = match &self.indexed {
                    Indexed::Beside(projector) => projector.forget(&sessions),
                    Indexed::Here(_) => Ok(()),
                };
                drop(reply.send(result.and_then(|forgotten| beside.map(|()| forgotten).map_err(ForgetError))));
            }
            Done::Shrink(left, reply) => drop(reply.send(Ok(left))),
        }
    }
}

/// When a transaction failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FailurePhase {
    Before,
    /// During the commit: its last frame may have reached the disk and may be recovered after a crash.
    During,
}

enum JobResult {
    Append(Result<Position, AppendError>),
    Forget(Result<Forgotten, ForgetError>),
    Shrunk(u64),
    Change(Result<Changed, ShelfError>),
}

impl Job {
    fn refused(self) -> Done {
        match self {
            Self::Append { reply, .. } => Done::Append(Err(AppendError::Unknown), reply),
            Self::Forget { sessions, reply, .. } => Done::Forget(sessions, Ok(Forgotten::default()), reply),
            Self::Shrink { reply, .. } => Done::Shrink(0, reply),
            Self::Change { change, reply } => {
                let (Change::Put { key, .. } | Change::Delete { key, .. } | Change::Take { key, .. }) = change else {
                    return Done::Change(Ok(Changed::Swept(0)), reply);
                };
                Done::Change(Err(ShelfError::Conflict { key }), reply)
            }
        }
    }
}

fn fail(done: Done, fault: &Fault, unknown: bool) {
    match done {
        Done::Append(_, reply) => {
            let error = if unknown { AppendError::Unknown } else { AppendError::Down(fault.clone()) };
            drop(reply.send(Err(error)));
        }
        Done::Forget(_, _, reply) => drop(reply.send(Err(ForgetError(fault.clone())))),
        Done::Shrink(_, reply) => drop(reply.send(Err(fault.clone()))),
        Done::Change(_, reply) => drop(reply.send(Err(ShelfError::Down(fault.clone())))),
    }
}

/// Inserts a row. Returns whether it did: content with an id that is already stored is left as it is.
fn insert(conn: &Connection, position: Position, entry: &Entry, body: &str) -> rusqlite::Result<bool> {
    let sql = match entry.lane {
        Lane::Decisions => "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        Lane::Content => "INSERT OR IGNORE INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    };
    let rows = conn.prepare_cached(sql)?.execute(params![
        position.0.cast_signed(),
        entry.id.0.to_be_bytes(),
        entry.session.0.to_be_bytes(),
        lane_number(entry.lane),
        entry.at.0,
        entry.node.0.cast_signed(),
        entry.epoch.0,
        entry.prev.0,
        body,
    ])?;
    Ok(rows == 1)
}

fn find_content(conn: &Connection, id: EntryId) -> rusqlite::Result<Option<Position>> {
    let mut query = conn.prepare_cached("SELECT pos FROM entries WHERE id = ?1 AND lane = 1")?;
    query.query_row([id.0.to_be_bytes()], |row| Ok(Position(row.get::<_, i64>(0)?.cast_unsigned()))).optional()
}
