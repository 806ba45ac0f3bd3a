//! The queries of the index.

use std::ops::ControlFlow;
use std::sync::Arc;

use askbridge_core::ask::Ask;
use askbridge_core::event::{Event, Started};
use askbridge_core::ids::{AskId, Position, SessionId, Timestamp};
use askbridge_core::intent::Due;
use askbridge_core::limits;
use askbridge_core::view::AskView;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::filter::{AskFilter, Order, PageKey, SessionFilter};
use super::following::{Following, NotCaughtUp};
use super::progress::load_cursor;
use super::project::read_row;
use super::rows::{ASK_COLUMNS, AskRow, SESSION_COLUMNS, SessionRow, ask_row, numbered_due, session_row};
use super::tables::{OF_SESSION, RANKS, STARTED};
use crate::cursor::Cursor;
use crate::entry::read_kinds;
use crate::fault::Fault;
use crate::record::DecodeError;
use crate::sqlite::{Db, Projector, meta};

/// A handle to the index. Cheap to clone; its methods block on the disk, briefly.
#[derive(Debug, Clone)]
pub struct Index {
    db: Db,
    /// Number of the journal's streams: places are positions, made unique over them.
    streams: u64,
    pub(super) projector: Option<Arc<Projector>>,
    /// If it follows a journal that other nodes write to.
    pub(super) following: Option<Arc<Following>>,
}

/// An ask with its events in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct AskWithEvents {
    pub row: AskRow,
    pub ask: Arc<Ask>,
    /// Bytes of the entry that recorded it.
    pub bytes: usize,
    /// `Proposed`, `Settled`, `Withdrawn` or `Overtaken`.
    pub ended: Option<Event>,
    /// `LateAnswered`.
    pub late: Option<Event>,
}

impl AskWithEvents {
    /// Returns the view of the ask, as [`AskView::of`] makes it while the session still holds the ask: without the votes,
    /// which only the session has.
    pub fn view(&self) -> AskView {
        let AskRow { id, deadline, parked, stranded, delivered_at, moved_to, .. } = self.row;
        let mut view = AskView::fresh(Arc::clone(&self.ask));
        self.ended.iter().chain(&self.late).for_each(|event| view.apply(event));
        let moved_to = moved_to.map(|number| AskId { number, ..id });
        AskView { deadline, parked, stranded, delivered_at, moved_to, ..view }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Open asks, proposed ones included.
    pub open: u32,
    /// Expired or ruled, and not answered late.
    pub late: u32,
    /// All asks, ever.
    pub asks: u32,
    pub sessions: u32,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum IndexError {
    #[error("could not look into the index")]
    Down(#[source] Fault),
    #[error("could not read what the journal says of {ask}")]
    Record {
        ask: AskId,
        #[source]
        source: DecodeError,
    },
    /// The index does not agree with the journal.
    #[error(
        "the journal does not have the entry that the index names for {ask}; stop the server, delete `index.db` and start it again: the index is built anew"
    )]
    Missing { ask: AskId },
}

/// A row with the bodies of its entries.
struct RowWithEntries {
    row: AskRow,
    asked: Option<String>,
    ended: Option<String>,
    late: Option<String>,
}

/// One page of asks, as SQL.
struct Page {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Page {
    fn of(filter: &AskFilter, after: Option<PageKey>, max: usize) -> Self {
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut sql = format!("SELECT {ASK_COLUMNS} FROM ");
        match filter.session {
            Some(session) => {
                values.push(Box::new(session.0.to_be_bytes()));
                sql.push_str(OF_SESSION);
            }
            None => {
                sql.push_str("asks a");
                sql.push_str(filter.states.indexed());
            }
        }
        if filter.person.is_some() {
            sql.push_str(&format!(" CROSS JOIN sessions s ON s.place = {}", STARTED.replace("?1", "a.session")));
        }
        sql.push_str(" WHERE ");
        sql.push_str(&filter.states.sql());
        let mut and = |condition: &str, value: Box<dyn ToSql>| {
            values.push(value);
            sql.push_str(&format!(" AND {}", condition.replace('?', &format!("?{}", values.len()))));
        };
        if let Some(party) = &filter.party {
            and("a.party = ?", Box::new(party.as_str().to_owned()));
        }
        if let Some(person) = &filter.person {
            and(IN_AUDIENCE, Box::new(person.as_str().to_owned()));
        }
        if let Some(words) = &filter.search {
            and("a.headline LIKE ? ESCAPE '\\'", Box::new(pattern(words)));
        }
        let (compare, order) = match filter.order {
            Order::NewestFirst => ("<", "DESC"),
            Order::LongestWaitingFirst => (">", "ASC"),
        };
        if let Some(after) = after {
            and(&format!("a.rank {compare} ?"), Box::new(after.place));
        }
        // Bound and not in the text: otherwise SQLite would compile a statement for each page.
        values.push(Box::new(max.min(limits::PAGE_MAX + 1) as u32));
        sql.push_str(&format!(" ORDER BY a.rank {order} LIMIT ?{}", values.len()));
        Self { sql, values }
    }

    fn find(&self, conn: &Connection) -> rusqlite::Result<Vec<AskRow>> {
        let mut query = conn.prepare_cached(&self.sql)?;
        let params: Vec<&dyn ToSql> = self.values.iter().map(|value| &**value).collect();
        query.query_map(&params[..], ask_row)?.collect()
    }
}

impl Index {
    pub(crate) fn over(db: Db, streams: u64) -> Self {
        Self { db, streams, projector: None, following: None }
    }

    /// An index that follows a remote journal.
    pub(crate) fn that_follows(db: Db, streams: u64, following: Arc<Following>) -> Self {
        Self { following: Some(following), ..Self::over(db, streams) }
    }

    /// An index that is brought up to date before each query.
    pub(crate) fn kept_by(projector: Arc<Projector>, db: Db) -> Self {
        Self { db, streams: 1, projector: Some(projector), following: None }
    }

    /// Waits until the index shows everything that this node was acknowledged, at most
    /// [`limits::INDEX_WAIT_MAX`]. An index of a journal on this machine does so always.
    pub async fn caught_up_with_own_writes(&self) -> Result<(), NotCaughtUp> {
        match &self.following {
            Some(following) => following.with_own_writes().await,
            None => Ok(()),
        }
    }

    /// Waits until the index shows everything up to a cursor that a client has brought, perhaps from another node, at
    /// most [`limits::INDEX_WAIT_MAX`]. An index of a journal on this machine does so always.
    pub async fn caught_up_to(&self, cursor: &Cursor) -> Result<(), NotCaughtUp> {
        match &self.following {
            Some(following) => following.with(cursor).await,
            None => Ok(()),
        }
    }

    pub(super) fn look<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Fault> {
        if let Some(projector) = &self.projector {
            projector.catch_up()?;
        }
        self.db.read(query)
    }

    /// Runs a query that may take long, such as a filter that few of very many rows pass, on a thread that no short
    /// read waits for.
    pub async fn look_up<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Self) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        let index = self.clone();
        self.db.look_up(move || look(&index)).await.map_err(IndexError::Down)?
    }

    /// Finds a page of asks. [`Index::read`] reads their content.
    pub fn rows(&self, filter: &AskFilter, after: Option<PageKey>, max: usize) -> Result<Vec<AskRow>, IndexError> {
        let page = Page::of(filter, after, max);
        self.look(|conn| page.find(conn)).map_err(IndexError::Down)
    }

    /// Finds the first page of asks, and the cursor that it reflects: both from one snapshot, so that a client that
    /// follows from there misses nothing and gets nothing twice.
    pub fn rows_and_cursor(&self, filter: &AskFilter, max: usize) -> Result<(Vec<AskRow>, Cursor), IndexError> {
        let page = Page::of(filter, None, max);
        let found = self.look(|conn| {
            let moment = conn.unchecked_transaction()?;
            let (cursor, rows) = (cursor(&moment)?, page.find(&moment)?);
            moment.finish()?;
            Ok((rows, cursor))
        });
        found.map_err(IndexError::Down)
    }

    /// Reads the entries of asks that were found, in order and one at a time, until `take` has enough. They are as they
    /// were when they were found, however long ago; sessions that were forgotten since are skipped.
    pub fn read(
        &self,
        rows: &[AskRow],
        mut take: impl FnMut(AskWithEvents) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        let read = self.look(|conn| {
            // One transaction for all rows: otherwise each read would check again whether the database has changed.
            let moment = conn.unchecked_transaction()?;
            for row in rows {
                let found = find(&moment, row.clone())?;
                if found.asked.is_none() && read_row(&moment, row.rank)?.is_none() {
                    continue;
                }
                match found.read().map(&mut take) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => break,
                    Err(error) => return Ok(Err(error)),
                }
            }
            moment.finish()?;
            Ok(Ok(()))
        });
        read.map_err(IndexError::Down)?
    }

    /// Returns a page of asks, all of them in memory at once.
    pub fn asks(
        &self,
        filter: &AskFilter,
        after: Option<PageKey>,
        max: usize,
    ) -> Result<Vec<AskWithEvents>, IndexError> {
        let mut asks = Vec::new();
        self.read(&self.rows(filter, after, max)?, |known| {
            asks.push(known);
            ControlFlow::Continue(())
        })?;
        Ok(asks)
    }

    pub fn ask(&self, id: AskId) -> Result<Option<AskWithEvents>, IndexError> {
        let sql = format!("SELECT {ASK_COLUMNS} FROM {OF_SESSION} WHERE a.number = ?2");
        let found = self.look(|conn| {
            let mut query = conn.prepare_cached(&sql)?;
            let row = query.query_row(params![id.session.0.to_be_bytes(), id.number], ask_row).optional()?;
            row.map(|row| find(conn, row)).transpose()
        });
        found.map_err(IndexError::Down)?.map(RowWithEntries::read).transpose()
    }

    /// Returns a page of sessions, newest first.
    pub fn sessions(
        &self,
        filter: &SessionFilter,
        after: Option<PageKey>,
        max: usize,
    ) -> Result<Vec<SessionRow>, IndexError> {
        let mut sql = format!("SELECT {SESSION_COLUMNS} FROM sessions s WHERE s.place < ?1");
        let mut values: Vec<Box<dyn ToSql>> = vec![Box::new(after.map_or(i64::MAX, |after| after.place))];
        // Only conditions in use are in the text: SQLite plans by the text alone.
        let mut and = |condition: &str, value: Box<dyn ToSql>| {
            values.push(value);
            sql.push_str(&format!(" AND {}", condition.replace('?', &format!("?{}", values.len()))));
        };
        if let Some(owner) = &filter.owner {
            and("s.owner = ?", Box::new(owner.as_str().to_owned()));
        }
        if let Some(person) = &filter.person {
            and(IN_AUDIENCE, Box::new(person.as_str().to_owned()));
        }
        if let Some(door) = filter.door {
            and("s.door = ?", Box::new(door));
        }
        if let Some(state) = filter.state {
            // One of our own numbers, in the text, so that SQLite can choose a partial index.
            sql.push_str(&format!(" AND s.state = {}", state as u8));
        }
        sql.push_str(&format!(" ORDER BY s.place DESC LIMIT {}", max.min(limits::PAGE_MAX + 1)));
        let rows = self.look(|conn| {
            let mut query = conn.prepare_cached(&sql)?;
            let params: Vec<&dyn ToSql> = values.iter().map(|value| &**value).collect();
            query.query_map(&params[..], session_row)?.collect()
        });
        rows.map_err(IndexError::Down)
    }

    pub fn session(&self, id: SessionId) -> Result<Option<SessionRow>, IndexError> {
        let sql = format!("SELECT {SESSION_COLUMNS} FROM sessions s WHERE s.place = {STARTED}");
        let row = self.look(|conn| conn.prepare_cached(&sql)?.query_row([id.0.to_be_bytes()], session_row).optional());
        row.map_err(IndexError::Down)
    }

    /// Returns how a session began.
    pub fn started(&self, id: SessionId) -> Result<Option<Box<Started>>, IndexError> {
        let sql = format!("SELECT body FROM entries WHERE pos = {STARTED}");
        let body = self.look(|conn| {
            conn.prepare_cached(&sql)?.query_row([id.0.to_be_bytes()], |row| row.get::<_, String>(0)).optional()
        });
        let Some(body) = body.map_err(IndexError::Down)? else { return Ok(None) };
        let ask = AskId { session: id, number: 0 };
        let events = read_kinds(&body, &["started"]).map_err(|source| IndexError::Record { ask, source })?;
        Ok(events.into_iter().find_map(|event| match event {
            Event::Started(started) => Some(started),
            _ => None,
        }))
    }

    /// Returns asks whose timers are due, the most overdue first.
    pub fn due(&self, before: Timestamp, max: usize) -> Result<Vec<(AskId, Timestamp, Due)>, IndexError> {
        let sql = "SELECT session, number, wake_at, due FROM asks
                   WHERE wake_at IS NOT NULL AND wake_at <= ?1 ORDER BY wake_at LIMIT ?2";
        let due = self.look(|conn| {
            let mut query = conn.prepare_cached(sql)?;
            let row = |row: &rusqlite::Row<'_>| {
                let session = SessionId(u128::from_be_bytes(row.get(0)?));
                let ask = AskId { session, number: row.get(1)? };
                Ok((ask, Timestamp(row.get(2)?), numbered_due(row.get(3)?)))
            };
            query.query_map(params![before.0, max.min(limits::PAGE_MAX) as u32], row)?.collect()
        });
        due.map_err(IndexError::Down)
    }

    /// Returns the time of the next timer.
    pub fn next_due(&self) -> Result<Option<Timestamp>, IndexError> {
        let sql = "SELECT min(wake_at) FROM asks WHERE wake_at IS NOT NULL";
        let at = self.look(|conn| conn.prepare_cached(sql)?.query_row((), |row| row.get::<_, Option<i64>>(0)));
        Ok(at.map_err(IndexError::Down)?.map(Timestamp))
    }

    pub fn counts(&self) -> Result<Counts, IndexError> {
        let sql = "SELECT (SELECT count(*) FROM asks WHERE state <= 1),
                   (SELECT count(*) FROM asks WHERE state IN (4, 5) AND late_pos IS NULL AND moved_to IS NULL),
                   (SELECT count(*) FROM asks), (SELECT count(*) FROM sessions)";
        let counts = self.look(|conn| {
            conn.prepare_cached(sql)?.query_row((), |row| {
                Ok(Counts { open: row.get(0)?, late: row.get(1)?, asks: row.get(2)?, sessions: row.get(3)? })
            })
        });
        counts.map_err(IndexError::Down)
    }

    /// Returns the position of the entry that recorded this ask.
    pub fn asked_position(&self, row: &AskRow) -> Position {
        Position((row.rank / RANKS).cast_unsigned() / self.streams)
    }
}

/// A person is searched for among the names; no names mean everyone.
const IN_AUDIENCE: &str =
    "(s.audience IS NULL OR EXISTS (SELECT 1 FROM json_each(s.audience) WHERE json_each.value = ?))";

/// An index in a file of its own stores its cursor; one in the journal's database is always up to date.
fn cursor(conn: &Connection) -> rusqlite::Result<Cursor> {
    if let Some(cursor) = load_cursor(conn)? {
        return Ok(cursor);
    }
    let newest: i64 = conn.query_row("SELECT coalesce(max(pos), 0) FROM entries", (), |row| row.get(0))?;
    let newest = newest.max(meta(conn, "newest_forgotten")?.unwrap_or(0)).cast_unsigned();
    Ok(Cursor::new(meta(conn, "identity")?.unwrap_or(0).cast_unsigned(), vec![newest]))
}

fn pattern(words: &str) -> String {
    let mut pattern = String::from("%");
    for letter in words.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

fn find(conn: &Connection, row: AskRow) -> rusqlite::Result<RowWithEntries> {
    let mut query = conn.prepare_cached("SELECT body FROM entries WHERE pos = ?1")?;
    let mut body = |place: i64| query.query_row([place], |row| row.get(0)).optional();
    Ok(RowWithEntries {
        asked: body(row.rank / RANKS)?,
        ended: row.ended_place.map(&mut body).transpose()?.flatten(),
        late: row.late_place.map(&mut body).transpose()?.flatten(),
        row,
    })
}

impl RowWithEntries {
    /// Finds the ask's events among those of its entries.
    fn read(self) -> Result<AskWithEvents, IndexError> {
        let (id, bytes) = (self.row.id, self.asked.as_ref().map_or(0, String::len));
        let events = |body: Option<String>, kinds: &[&str]| -> Result<Vec<Event>, IndexError> {
            let body = body.ok_or(IndexError::Missing { ask: id })?;
            let mut events = read_kinds(&body, kinds).map_err(|source| IndexError::Record { ask: id, source })?;
            events.retain(|event| event.ask() == Some(id));
            Ok(events)
        };
        let ask = events(self.asked, &["asked"])?.into_iter().find_map(|event| match event {
            Event::Asked(ask) => Some(ask),
            _ => None,
        });
        let ended = match self.row.ended_place {
            // The last one counts: an answer without undo time is proposed and settled in one entry.
            Some(_) => events(self.ended, &["proposed", "settled", "withdrawn", "overtaken"])?.pop(),
            None => None,
        };
        let late = match self.row.late_place {
            Some(_) => events(self.late, &["late_answered"])?.pop(),
            None => None,
        };
        let ask = ask.ok_or(IndexError::Missing { ask: id })?;
        Ok(AskWithEvents { row: self.row, ask, bytes, ended, late })
    }
}

impl AskRow {
    /// Returns the key after which the next page begins.
    pub fn page_key(&self) -> PageKey {
        PageKey { place: self.rank }
    }
}

impl SessionRow {
    /// Returns the key after which the next page begins.
    pub fn page_key(&self) -> PageKey {
        PageKey { place: self.place }
    }
}
