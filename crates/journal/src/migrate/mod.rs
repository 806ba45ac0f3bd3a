//! Moves a journal from SQLite to NATS or back: the entries of all sessions, what is left of forgotten ones, and the
//! shared items of the shelf.
//!
//! **It can be interrupted and begun again.** A session in the target is always the beginning of the one in the source,
//! because its entries are appended one after the other; what is there already is skipped after its digest was compared.
//!
//! **It is verified.** Afterwards the target is read once more, and each session's entries and digest are compared. A
//! digest covers every byte of every entry and the chain of digests in it, so the audit chains are the same.
//!
//! Entries are moved in the order of the source, give or take `AT_ONCE` neighbours of different sessions, because lists
//! show asks in that order. NATS has no order between streams; there the entries' own times decide.

mod error;
mod place;
mod shelf;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use futures_util::{StreamExt, TryStreamExt, stream};

pub use error::MigrateError;
pub use place::Place;
pub use shelf::copy_shelf;

use crate::entry::{Entry, Stored};
use crate::forgetting::{Forgetting, Going, Gone};
use crate::journal::{AppendError, Guard};
use place::Opened;

/// Entries that are appended at the same time, each of another session.
const AT_ONCE: usize = 256;
/// How often an append with an unknown outcome is repeated. Each takes up to 20 seconds on NATS.
const TRIES_MAX: usize = 10;
const PAUSE: Duration = Duration::from_millis(200);

/// What a migration is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reads what an earlier attempt has moved.
    Resuming,
    Entries,
    Shelf,
    /// Reads the target once more and compares.
    Verifying,
}

/// How far a migration is, for a progress line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moving {
    pub phase: Phase,
    pub done: u64,
    /// About how many there are.
    pub of: u64,
}

/// What a migration moved, or found in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Migrated {
    pub sessions: u64,
    pub entries: u64,
    /// Entries that an earlier attempt had moved.
    pub resumed: u64,
    /// Sessions that were forgotten before.
    pub forgotten: u64,
    /// Items of the shelf.
    pub items: u64,
}

/// What one session has on both sides.
struct Moved {
    /// What the target had when this attempt began.
    there: Option<Gone>,
    /// The source's entries so far.
    read: Going,
    count: u32,
    /// The position of the last decision in the target.
    head: Option<Position>,
}

impl Moved {
    fn new(session: SessionId) -> Self {
        Self { there: None, read: Going::new(session), count: 0, head: None }
    }
}

/// Moves a journal. No server may use either side: SQLite is locked, on NATS the caller stops the nodes.
///
/// `is_shared` says which items of the shelf belong to all nodes; the others stay (see [`copy_shelf`]).
pub async fn migrate(
    from: Place<'_>,
    to: Place<'_>,
    is_shared: &(dyn Fn(&str) -> bool + Sync),
    now: Timestamp,
    tell: &mut (dyn FnMut(Moving) + Send),
) -> Result<Migrated, MigrateError> {
    let source = Opened::open(&from)?;
    let forgotten = source.forgettings().await?;
    // SQLite stores them before the first entry, when nothing else is open.
    to.import_to_sqlite(&forgotten)?;
    let target = Opened::open(&to)?;
    let mut sessions = what_is_there(&target, tell).await?;
    target.import(&forgotten, sessions.is_empty()).await?;

    let mut migrated = Migrated { resumed: sessions.values().map(there).sum(), ..Migrated::default() };
    migrated.forgotten = forgotten.iter().map(|forgetting| forgetting.gone.len() as u64).sum();
    migrated.entries = move_entries(&source, &target, &mut sessions, tell).await?;
    migrated.sessions = sessions.len() as u64;

    tell(Moving { phase: Phase::Shelf, done: 0, of: 0 });
    migrated.items = copy_shelf(source.shelf(), target.shelf(), now, is_shared).await?;
    compare(&target, sessions, migrated.entries, tell).await?;
    target.compare_forgettings(&forgotten).await?;
    Ok(migrated)
}

fn there(moved: &Moved) -> u64 {
    moved.there.as_ref().map_or(0, |there| u64::from(there.entries))
}

/// Reads what an earlier attempt has left in the target.
async fn what_is_there(
    target: &Opened,
    tell: &mut (dyn FnMut(Moving) + Send),
) -> Result<HashMap<SessionId, Moved>, MigrateError> {
    let mut sessions: HashMap<SessionId, (Going, Option<Position>)> = HashMap::new();
    let mut all = target.everything().await?;
    let (mut done, of) = (0, target.entries().await?);
    while let Some(stored) = all.try_next().await? {
        let session = stored.entry.session;
        let (going, head) = sessions.entry(session).or_insert_with(|| (Going::new(session), None));
        going.add(&stored.entry);
        if stored.entry.lane == Lane::Decisions {
            *head = Some(stored.position);
        }
        done += 1;
        tell(Moving { phase: Phase::Resuming, done, of });
    }
    let moved = |(session, (going, head)): (_, (Going, _))| {
        (session, Moved { there: going.done(), head, ..Moved::new(session) })
    };
    Ok(sessions.into_iter().map(moved).collect())
}

/// Moves all entries that the target does not have. Returns how many there are.
async fn move_entries(
    source: &Opened,
    target: &Opened,
    sessions: &mut HashMap<SessionId, Moved>,
    tell: &mut (dyn FnMut(Moving) + Send),
) -> Result<u64, MigrateError> {
    let (mut done, of) = (0, source.entries().await?);
    let mut batches = source.everything().await?.ready_chunks(AT_ONCE);
    while let Some(batch) = batches.next().await {
        let mut groups: Vec<(SessionId, Option<Position>, Vec<Arc<Entry>>)> = Vec::new();
        for stored in batch {
            let Stored { entry, .. } = &*stored?;
            done += 1;
            let session = entry.session;
            let moved = sessions.entry(session).or_insert_with(|| Moved::new(session));
            moved.read.add(entry);
            moved.count += 1;
            if let Some(there) = &moved.there
                && moved.count <= there.entries
            {
                // The whole of what is there has been read: it has to be the same.
                if moved.count == there.entries && moved.read.so_far().as_ref() != Some(there) {
                    return Err(MigrateError::Different { session });
                }
                continue;
            }
            match groups.iter_mut().find(|(of, ..)| *of == session) {
                Some((.., entries)) => entries.push(Arc::clone(entry)),
                None => groups.push((session, moved.head, vec![Arc::clone(entry)])),
            }
        }
        let appended = groups.into_iter().map(|(session, head, entries)| append(target, session, head, entries));
        let heads: Vec<_> = stream::iter(appended.collect::<Vec<_>>()).buffer_unordered(AT_ONCE).try_collect().await?;
        for (session, head) in heads {
            sessions.entry(session).and_modify(|moved| moved.head = head);
        }
        tell(Moving { phase: Phase::Entries, done, of });
    }
    let longer = |moved: &&Moved| u64::from(moved.count) < there(moved);
    match sessions.values().find(longer) {
        Some(moved) => Err(MigrateError::Different { session: moved.read.session() }),
        None => Ok(done),
    }
}

/// Appends entries of one session, one after the other. Returns the position of its last decision.
async fn append(
    target: &Opened,
    session: SessionId,
    mut head: Option<Position>,
    entries: Vec<Arc<Entry>>,
) -> Result<(SessionId, Option<Position>), MigrateError> {
    for entry in entries {
        let is_decision = entry.lane == Lane::Decisions;
        let guard = if is_decision { Guard::Head(head) } else { Guard::Unguarded };
        let mut tries = 0;
        let position = loop {
            match target.append(Arc::clone(&entry), guard).await {
                Ok(position) => break position,
                Err(AppendError::Unknown) if tries < TRIES_MAX => {
                    tries += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                Err(source) => return Err(MigrateError::Append { session, source }),
            }
        };
        if is_decision {
            head = Some(position);
        }
    }
    Ok((session, head))
}

/// Reads the target once more, and compares each session with what was read from the source.
async fn compare(
    target: &Opened,
    sessions: HashMap<SessionId, Moved>,
    of: u64,
    tell: &mut (dyn FnMut(Moving) + Send),
) -> Result<(), MigrateError> {
    let mut found: HashMap<SessionId, Going> = HashMap::with_capacity(sessions.len());
    let mut all = target.everything().await?;
    let mut done = 0;
    while let Some(stored) = all.try_next().await? {
        let session = stored.entry.session;
        found.entry(session).or_insert_with(|| Going::new(session)).add(&stored.entry);
        done += 1;
        tell(Moving { phase: Phase::Verifying, done, of });
    }
    for (session, moved) in sessions {
        if found.remove(&session).and_then(Going::done) != moved.read.done() {
            return Err(MigrateError::Different { session });
        }
    }
    match found.into_keys().next() {
        Some(session) => Err(MigrateError::Different { session }),
        None => Ok(()),
    }
}

/// One forgotten session, with when and by whom: chains differ between backends, these do not.
fn flat(forgettings: &[Forgetting]) -> Vec<(Timestamp, &str, Gone)> {
    let mut all: Vec<_> = forgettings
        .iter()
        .flat_map(|forgetting| forgetting.gone.iter().map(|gone| (forgetting.at, &*forgetting.by, *gone)))
        .collect();
    all.sort_by(|(at, by, gone), (at2, by2, gone2)| {
        (at, by, gone.session, gone.digest.0).cmp(&(at2, by2, gone2.session, gone2.digest.0))
    });
    all
}
