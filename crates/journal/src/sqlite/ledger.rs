//! What happens inside a transaction.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askbridge_core::event::Lane;
use askbridge_core::ids::{EntryId, Position, SessionId};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use tokio::sync::oneshot;

use super::error::Error;
use super::recent::Recent;
use super::schema::{meta, set_meta};
use super::shelves::{self, Change, Changed};
use crate::entry::{Entry, Stored, lane_number};
use crate::fault::Fault;
use crate::index::{self, Ranks};
use crate::journal::{AppendError, ForgetError, Guard};
use crate::shelf::ShelfError;

/// Something to write, and whom to tell.
#[derive(Debug)]
pub(crate) enum Job {
    /// `body` is made by the caller, so that the writer has less to do.
    Append {
        entry: Arc<Entry>,
        body: String,
        guard: Guard,
        reply: oneshot::Sender<Result<Position, AppendError>>,
    },
    Forget {
        session: SessionId,
        reply: oneshot::Sender<Result<(), ForgetError>>,
    },
    Change {
        change: Change,
        reply: oneshot::Sender<Result<Changed, ShelfError>>,
    },
}

/// The writing side of a store. There is one.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    /// The newest position. Nobody else writes, so nobody has to be asked.
    newest: u64,
    /// Positions of sessions' last decisions, as far as they were needed lately.
    heads: HashMap<SessionId, Option<Position>>,
    ranks: Ranks,
    recent: Arc<Recent>,
}

/// Heads that are remembered. Beyond: all are forgotten and looked up again.
const HEADS_MAX: usize = 65_536;

/// What came of a job, once the transaction is through.
enum Done {
    Append(Result<Position, AppendError>, oneshot::Sender<Result<Position, AppendError>>),
    Forget(SessionId, oneshot::Sender<Result<(), ForgetError>>),
    Change(Result<Changed, ShelfError>, oneshot::Sender<Result<Changed, ShelfError>>),
}

impl Ledger {
    pub(crate) fn new(conn: &Connection, path: &Path) -> rusqlite::Result<Self> {
        let newest: i64 = conn.query_row("SELECT coalesce(max(pos), 0) FROM entries", (), |row| row.get(0))?;
        let newest = newest.max(meta(conn, "newest_forgotten")?.unwrap_or(0)).cast_unsigned();
        let recent = Arc::new(Recent::new(newest));
        Ok(Self { path: path.to_owned(), newest, heads: HashMap::new(), ranks: Ranks::default(), recent })
    }

    pub(crate) fn recent(&self) -> &Arc<Recent> {
        &self.recent
    }

    /// Does all of `jobs` in one transaction, and tells everyone what came of it.
    ///
    /// A job that is refused changes nothing and disturbs no other. When the transaction itself fails, nothing of it
    /// has happened, and everyone hears that.
    pub(crate) fn commit(&mut self, conn: &Connection, jobs: &mut Vec<Job>) {
        let newest = self.newest;
        let mut fresh = Vec::with_capacity(jobs.len());
        let mut done = Vec::with_capacity(jobs.len());
        let outcome = self.apply(conn, jobs, &mut fresh, &mut done).map_err(|error| (error, Stage::Before));
        let outcome = outcome.and_then(|()| {
            let commit = conn.prepare_cached("COMMIT").and_then(|mut commit| commit.execute(()));
            commit.map(|_| ()).map_err(|error| (error, Stage::During))
        });
        match outcome {
            Ok(()) => {
                self.recent.push(&fresh);
                done.into_iter().for_each(|done| self.tell(done));
            }
            Err((error, stage)) => {
                self.newest = newest;
                self.heads.clear();
                self.ranks.clear();
                if !conn.is_autocommit() {
                    // Should even this fail, the next BEGIN will say so.
                    let _ = conn.execute_batch("ROLLBACK");
                }
                let unknown = stage == Stage::During && error.sqlite_error_code() != Some(ErrorCode::DiskFull);
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
    ) -> rusqlite::Result<()> {
        conn.prepare_cached("BEGIN IMMEDIATE")?.execute(())?;
        // What has not been taken out yet when an error comes is told of it by the caller.
        jobs.reverse();
        while let Some(job) = jobs.last() {
            let made = match job {
                Job::Append { entry, body, guard, .. } => Made::Append(self.append(conn, entry, body, *guard, fresh)?),
                Job::Forget { session, .. } => {
                    self.forget(conn, *session)?;
                    Made::Forget
                }
                Job::Change { change, .. } => Made::Change(shelves::change(conn, change)?),
            };
            match (made, jobs.pop()) {
                (Made::Append(result), Some(Job::Append { reply, .. })) => done.push(Done::Append(result, reply)),
                (Made::Forget, Some(Job::Forget { session, reply })) => done.push(Done::Forget(session, reply)),
                (Made::Change(result), Some(Job::Change { reply, .. })) => done.push(Done::Change(result, reply)),
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
        if let Guard::Head(expected) = guard
            && self.head(conn, entry.session)? != expected
        {
            let found = find_after(conn, entry, expected)?;
            return Ok(found.ok_or(AppendError::Conflict));
        }
        let position = Position(self.newest + 1);
        if !insert(conn, position, entry, body)? {
            return Ok(find_content(conn, entry.id)?.ok_or(AppendError::Conflict));
        }
        self.newest = position.0;
        if entry.lane == Lane::Decisions {
            if self.heads.len() >= HEADS_MAX {
                self.heads.clear();
            }
            self.heads.insert(entry.session, Some(position));
            index::project(conn, &mut self.ranks, position.0, entry)?;
        }
        fresh.push(Arc::new(Stored { position, entry: Arc::clone(entry) }));
        Ok(Ok(position))
    }

    fn head(&mut self, conn: &Connection, session: SessionId) -> rusqlite::Result<Option<Position>> {
        if let Some(head) = self.heads.get(&session) {
            return Ok(*head);
        }
        let mut query = conn.prepare_cached("SELECT max(pos) FROM entries WHERE session = ?1 AND lane = 0")?;
        let head: Option<i64> = query.query_row([session.0.to_be_bytes()], |row| row.get(0))?;
        Ok(head.map(|head| Position(head.cast_unsigned())))
    }

    fn forget(&mut self, conn: &Connection, session: SessionId) -> rusqlite::Result<()> {
        // Positions are never used twice: a cursor that lies behind would skip what takes their place.
        set_meta(conn, "newest_forgotten", self.newest.cast_signed())?;
        index::forget(conn, session)?;
        conn.prepare_cached("DELETE FROM entries WHERE session = ?1")?.execute([session.0.to_be_bytes()])?;
        self.heads.remove(&session);
        self.ranks.clear();
        Ok(())
    }

    fn tell(&self, done: Done) {
        // Whoever no longer waits for the reply has lost interest, not the entry.
        match done {
            Done::Append(result, reply) => drop(reply.send(result)),
            Done::Change(result, reply) => drop(reply.send(result)),
            Done::Forget(session, reply) => {
                self.recent.forget(session);
                drop(reply.send(Ok(())));
            }
        }
    }
}

/// When a transaction failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    /// While it was being committed: its last frame may have reached the disk and may be found after a crash.
    During,
}

enum Made {
    Append(Result<Position, AppendError>),
    Forget,
    Change(Result<Changed, ShelfError>),
}

impl Job {
    fn refused(self) -> Done {
        match self {
            Self::Append { reply, .. } => Done::Append(Err(AppendError::Unknown), reply),
            Self::Forget { session, reply } => Done::Forget(session, reply),
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
        Done::Forget(_, reply) => drop(reply.send(Err(ForgetError(fault.clone())))),
        Done::Change(_, reply) => drop(reply.send(Err(ShelfError::Down(fault.clone())))),
    }
}

/// Inserts a row. Returns whether it did: content with an id that is there already is left as it is.
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

fn find_after(conn: &Connection, entry: &Entry, after: Option<Position>) -> rusqlite::Result<Option<Position>> {
    let mut query =
        conn.prepare_cached("SELECT pos FROM entries WHERE session = ?1 AND lane = ?2 AND pos > ?3 AND id = ?4")?;
    let after = after.map_or(-1, |after| after.0.cast_signed());
    let key = params![entry.session.0.to_be_bytes(), lane_number(entry.lane), after, entry.id.0.to_be_bytes()];
    query.query_row(key, |row| Ok(Position(row.get::<_, i64>(0)?.cast_unsigned()))).optional()
}

fn find_content(conn: &Connection, id: EntryId) -> rusqlite::Result<Option<Position>> {
    let mut query = conn.prepare_cached("SELECT pos FROM entries WHERE id = ?1 AND lane = 1")?;
    query.query_row([id.0.to_be_bytes()], |row| Ok(Position(row.get::<_, i64>(0)?.cast_unsigned()))).optional()
}
