//! Applies events to the tables of the index. Follows `askbridge_core::evolve`, and does not go through it: a row has a
//! few columns, and a batch would have to load the session of every ask that it touches. A test compares both on random
//! events (`tests/index.rs`).
//!
//! Rows are changed in memory and written at the end of the batch: an ask that is made, answered and delivered within
//! one batch is written once.

use std::collections::hash_map::Entry as MapEntry;
use std::fmt::Write as _;

use askbridge_core::event::{Audience, Event, Settings, Started};
use askbridge_core::ids::{AskId, PartyId, SessionId};
use askbridge_core::intent::Due;
use askbridge_core::session::Ending;
use foldhash::HashMap;
use rusqlite::{Connection, OptionalExtension, Statement, params};

use super::gist::{AskedGist, Change, EntryGist, Gist, Gists};
use super::rank_cache::RankCache;
use super::rows::{ASK_COLUMNS, AskRow, State, ask_row};
use super::tables::{OF_SESSION, STARTED};

/// Is this an event that lists show, so that an index in a file of its own must keep a copy?
pub(crate) fn keeps(event: &Event) -> bool {
    matches!(
        event,
        Event::Started(_)
            | Event::Asked(_)
            | Event::Proposed { .. }
            | Event::Settled(_)
            | Event::Withdrawn { .. }
            | Event::Overtaken { .. }
            | Event::LateAnswered { .. }
    )
}

/// Removes a session.
pub(crate) fn forget(conn: &Connection, session: SessionId) -> rusqlite::Result<()> {
    let session = session.0.to_be_bytes();
    let asks = format!("DELETE FROM asks WHERE rank IN (SELECT a.rank FROM {OF_SESSION})");
    conn.prepare_cached(&asks)?.execute([session])?;
    let started = format!("DELETE FROM sessions WHERE place = {STARTED}");
    conn.prepare_cached(&started)?.execute([session])?;
    // The others are found through these, so they go last.
    conn.prepare_cached("DELETE FROM runs WHERE session = ?1")?.execute([session])?;
    Ok(())
}

/// Applies entries to the tables. Nothing is written before [`IndexWriter::finish`].
pub(crate) struct IndexWriter<'a> {
    conn: &'a Connection,
    ranks: &'a mut RankCache,
    /// Asks that were made or changed, by rank.
    rows: HashMap<i64, AskRow>,
    /// The ranks of asks that were made.
    made: HashMap<AskId, i64>,
    /// Places of the entries that started sessions.
    started: HashMap<SessionId, i64>,
    /// Places of entries, by session and lane.
    runs: HashMap<(SessionId, u8), Run>,
}

/// The places of some entries of one session and lane, in order.
struct Run {
    first: i64,
    last: i64,
    /// All of them, as a JSON array that is not closed yet.
    places: String,
}

impl<'a> IndexWriter<'a> {
    pub(crate) fn new(conn: &'a Connection, ranks: &'a mut RankCache) -> Self {
        Self {
            conn,
            ranks,
            rows: HashMap::default(),
            made: HashMap::default(),
            started: HashMap::default(),
            runs: HashMap::default(),
        }
    }

    pub(crate) fn take_in(&mut self, gists: &Gists) -> rusqlite::Result<()> {
        for (entry, events) in gists.entries() {
            if entry.is_listed {
                self.list(entry);
            }
            events.iter().try_for_each(|event| self.apply(&entry, event, gists))?;
        }
        Ok(())
    }

    fn list(&mut self, entry: EntryGist) {
        let at = entry.place;
        match self.runs.entry((entry.session, entry.lane)) {
            MapEntry::Vacant(vacant) => {
                vacant.insert(Run { first: at, last: at, places: format!("[{at}") });
            }
            MapEntry::Occupied(mut run) => run.get_mut().add(at),
        }
    }

    /// Writes the rows.
    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        let mut runs: Vec<_> = self.runs.into_iter().collect();
        runs.sort_unstable_by_key(|(of, _)| *of);
        let mut insert = self.conn.prepare_cached("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for ((session, lane), mut run) in runs {
            run.places.push(']');
            insert.execute(params![session.0.to_be_bytes(), lane, run.last, run.first, run.places])?;
        }
        let mut rows: Vec<_> = self.rows.into_values().collect();
        rows.sort_unstable_by_key(|row| row.rank);
        let mut replace = self.conn.prepare_cached(REPLACE)?;
        rows.iter().try_for_each(|row| write(&mut replace, row))
    }

    fn apply(&mut self, entry: &EntryGist, event: &Gist, gists: &Gists) -> rusqlite::Result<()> {
        let EntryGist { session, place, .. } = *entry;
        match event {
            Gist::Session(event) => match &**event {
                Event::Started(started) => self.start(session, place, started),
                Event::Configured(settings) => self.configure(session, settings),
                _ => Ok(()),
            },
            Gist::SessionEnded(state) => self.end(session, *state as u8),
            Gist::Asked(asked) => self.asked(entry, asked, gists),
            Gist::Changed { number, change } => {
                let ask = AskId { session, number: *number };
                self.change(ask, |row| apply(row, *change, place))?;
                if let Change::Delivered(_) = change {
                    self.ranks.forget(ask);
                }
                Ok(())
            }
        }
    }

    fn asked(&mut self, entry: &EntryGist, asked: &AskedGist, gists: &Gists) -> rusqlite::Result<()> {
        let id = AskId { session: entry.session, number: asked.number };
        if let Some(old) = asked.instead_of {
            self.change(AskId { number: old, ..id }, |row| {
                row.state = State::Expired;
                row.moved_to = Some(id.number);
                row.wakes = None;
                row.settled_at = row.settled_at.or(Some(asked.at));
            })?;
        }
        let rank = self.ranks.give(id, entry.place, usize::from(asked.within));
        let row = AskRow {
            id,
            asked_at: asked.at,
            state: State::Open,
            wakes: asked.deadline.map(|at| (at, Due::Expire)),
            deadline: asked.deadline,
            settled_at: None,
            delivered_at: None,
            parked: false,
            stranded: false,
            kind: asked.kind,
            headline: gists.text(asked.headline).to_owned(),
            agent: gists.text(asked.agent).to_owned(),
            door: gists.text(asked.door).to_owned(),
            party: PartyId::from(gists.text(asked.party)),
            moved_to: None,
            rank,
            ended_place: None,
            late_place: None,
        };
        self.made.insert(id, rank);
        self.rows.insert(rank, row);
        Ok(())
    }

    /// Changes one ask, if it is live.
    fn change(&mut self, ask: AskId, change: impl FnOnce(&mut AskRow)) -> rusqlite::Result<()> {
        let rank = match self.made.get(&ask) {
            Some(rank) => Some(*rank),
            None => self.ranks.find(self.conn, ask)?,
        };
        let Some(rank) = rank else { return Ok(()) };
        if !self.rows.contains_key(&rank) {
            let Some(row) = read_row(self.conn, rank)? else { return Ok(()) };
            self.rows.insert(rank, row);
        }
        if let Some(row) = self.rows.get_mut(&rank)
            && row.is_live()
        {
            change(row);
        }
        Ok(())
    }

    fn start(&mut self, session: SessionId, place: i64, started: &Started) -> rusqlite::Result<()> {
        self.started.insert(session, place);
        let audience = match &started.audience {
            Audience::Everyone => None,
            Audience::Only(people) => {
                let names: Vec<_> = people.iter().map(|person| person.as_str()).collect();
                Some(serde_json::to_string(&names).expect("names always serialize"))
            }
        };
        let mut insert = self.conn.prepare_cached(
            "INSERT OR REPLACE INTO sessions (place, session, started_at, agent, door, owner, audience, title, folder,
                 branch)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        insert.execute(params![
            place,
            session.0.to_be_bytes(),
            started.at.0,
            started.agent,
            started.door,
            started.owner.as_str(),
            audience,
            started.settings.title,
            started.settings.folder,
            started.settings.branch,
        ])?;
        Ok(())
    }

    fn configure(&self, session: SessionId, settings: &Settings) -> rusqlite::Result<()> {
        let sql = "UPDATE sessions SET title = coalesce(?2, title), folder = coalesce(?3, folder),
                 branch = coalesce(?4, branch)
             WHERE place = ?1";
        let Settings { title, folder, branch, .. } = settings;
        self.conn.prepare_cached(sql)?.execute(params![self.place_of(session)?, title, folder, branch])?;
        Ok(())
    }

    fn end(&self, session: SessionId, state: u8) -> rusqlite::Result<()> {
        let sql = "UPDATE sessions SET state = ?2 WHERE place = ?1";
        self.conn.prepare_cached(sql)?.execute(params![self.place_of(session)?, state])?;
        Ok(())
    }

    /// Returns the place of a session's row.
    fn place_of(&self, session: SessionId) -> rusqlite::Result<Option<i64>> {
        if let Some(place) = self.started.get(&session) {
            return Ok(Some(*place));
        }
        let sql = format!("SELECT {STARTED}");
        self.conn.prepare_cached(&sql)?.query_row([session.0.to_be_bytes()], |row| row.get(0))
    }
}

/// Applies a change of an ask by the entry at `place`.
fn apply(row: &mut AskRow, change: Change, place: i64) {
    match change {
        Change::Proposed { until } => {
            row.state = State::Proposed;
            row.wakes = Some((until, Due::Commit));
            row.ended_place = Some(place);
        }
        Change::Undone => {
            row.state = State::Open;
            row.wakes = row.deadline.map(|at| (at, Due::Expire));
            row.ended_place = None;
            row.settled_at = None;
        }
        Change::Extended { deadline } => {
            row.deadline = deadline;
            if row.state == State::Open {
                row.wakes = deadline.map(|at| (at, Due::Expire));
            }
        }
        Change::Over(state, at) => {
            row.state = state;
            row.settled_at = Some(at);
            row.ended_place = Some(place);
            row.wakes = None;
        }
        Change::Parked => row.parked = true,
        Change::Stranded => row.stranded = true,
        Change::LateAnswered => row.late_place = Some(place),
        Change::Delivered(at) => {
            row.delivered_at = Some(at);
            row.parked = false;
        }
    }
}

pub(super) fn read_row(conn: &Connection, rank: i64) -> rusqlite::Result<Option<AskRow>> {
    let sql = format!("SELECT {ASK_COLUMNS} FROM asks a WHERE a.rank = ?1");
    conn.prepare_cached(&sql)?.query_row([rank], ask_row).optional()
}

const REPLACE: &str = "
    INSERT OR REPLACE INTO asks (rank, session, number, asked_at, state, wake_at, due, deadline, settled_at,
        delivered_at, parked, stranded, kind, headline, agent, door, party, ended_pos, late_pos, moved_to)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";

fn write(replace: &mut Statement<'_>, row: &AskRow) -> rusqlite::Result<()> {
    replace.execute(params![
        row.rank,
        row.id.session.0.to_be_bytes(),
        row.id.number,
        row.asked_at.0,
        row.state as u8,
        row.wakes.map(|(at, _)| at.0),
        row.wakes.map(|(_, due)| u8::from(due == Due::Commit)),
        row.deadline.map(|at| at.0),
        row.settled_at.map(|at| at.0),
        row.delivered_at.map(|at| at.0),
        row.parked,
        row.stranded,
        row.kind as u8,
        row.headline,
        row.agent,
        row.door,
        row.party.as_str(),
        row.ended_place,
        row.late_place,
        row.moved_to,
    ])?;
    Ok(())
}

impl Run {
    fn add(&mut self, place: i64) {
        self.last = place;
        // Writing to a string cannot fail.
        let _ = write!(self.places, ",{place}");
    }
}

impl AskRow {
    /// Do the rules still remember this ask in full: open, undelivered, or answerable late?
    fn is_live(&self) -> bool {
        match self.state {
            State::Open | State::Proposed => true,
            State::Answered | State::Dismissed => self.delivered_at.is_none(),
            State::Expired | State::Ruled => self.moved_to.is_none(),
            State::Withdrawn | State::Overtaken => false,
        }
    }
}

impl State {
    pub(super) fn ended(ending: Ending) -> Self {
        match ending {
            Ending::Answered => Self::Answered,
            Ending::Dismissed => Self::Dismissed,
            Ending::Expired => Self::Expired,
            Ending::Ruled => Self::Ruled,
            Ending::Withdrawn => Self::Withdrawn,
            Ending::Overtaken => Self::Overtaken,
        }
    }
}
