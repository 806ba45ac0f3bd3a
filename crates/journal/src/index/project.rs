//! How events change the tables. Follows `askbridge_core::evolve`.
//!
//! Rows are changed in memory and written when the batch is through: an ask that is made, answered and delivered within
//! one batch is written once.

use std::collections::hash_map::Entry as MapEntry;
use std::fmt::Write as _;

use askbridge_core::ask::Ask;
use askbridge_core::event::{Audience, Event, Lane, Parcel, Settings, Started};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::intent::Due;
use askbridge_core::session::Ending;
use foldhash::HashMap;
use rusqlite::{Connection, OptionalExtension, Statement, params};

use super::ranks::Ranks;
use super::rows::{ASK_COLUMNS, AskRow, State, ask_row};
use super::tables::{OF_SESSION, STARTED};
use crate::entry::{Entry, lane_number};

/// Characters of a headline that are kept for lists.
const HEADLINE_CHARS_MAX: usize = 200;

/// Is this an event that a list is made from, so that an index of its own has to keep it?
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
    // These lead to the others, so they go last.
    conn.prepare_cached("DELETE FROM runs WHERE session = ?1")?.execute([session])?;
    Ok(())
}

/// Writes entries into the tables. Nothing of it counts before [`Scribe::finish`].
pub(crate) struct Scribe<'a> {
    conn: &'a Connection,
    ranks: &'a mut Ranks,
    /// Asks that were made or changed, by their rank.
    rows: HashMap<i64, AskRow>,
    /// The ranks of asks that were made.
    made: HashMap<AskId, i64>,
    /// Where sessions were started.
    started: HashMap<SessionId, i64>,
    /// Where entries were found, by session and lane.
    runs: HashMap<(SessionId, u8), Run>,
}

/// The places of some entries of a session, in order.
struct Run {
    first: i64,
    last: i64,
    /// All of them, as a JSON array that is still open.
    places: String,
}

impl<'a> Scribe<'a> {
    pub(crate) fn new(conn: &'a Connection, ranks: &'a mut Ranks) -> Self {
        Self {
            conn,
            ranks,
            rows: HashMap::default(),
            made: HashMap::default(),
            started: HashMap::default(),
            runs: HashMap::default(),
        }
    }

    /// Takes in an entry that stands at `place`.
    pub(crate) fn take_in(&mut self, place: u64, entry: &Entry) -> rusqlite::Result<()> {
        let at = place.cast_signed();
        match self.runs.entry((entry.session, lane_number(entry.lane))) {
            MapEntry::Vacant(vacant) => {
                vacant.insert(Run { first: at, last: at, places: format!("[{at}") });
            }
            MapEntry::Occupied(mut run) => run.get_mut().add(at),
        }
        match entry.lane {
            Lane::Decisions => self.project(place, entry),
            Lane::Content => Ok(()),
        }
    }

    /// Applies an entry of decisions that stands at `place`.
    pub(super) fn project(&mut self, place: u64, entry: &Entry) -> rusqlite::Result<()> {
        let place = place.cast_signed();
        let mut events = entry.events.iter().enumerate();
        events.try_for_each(|(within, written)| self.apply(entry.session, place, within, &written.event))
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

    fn apply(&mut self, session: SessionId, place: i64, within: usize, event: &Event) -> rusqlite::Result<()> {
        match event {
            Event::Started(started) => self.start(session, place, started),
            Event::Closed { .. } => self.end(session, 1),
            Event::Continued { .. } => self.end(session, 2),
            Event::Configured(settings) => self.configure(session, settings),
            Event::Asked(ask) => self.asked(place, within, ask),
            Event::Proposed { ask, until, .. } => self.change(*ask, |row| {
                row.state = State::Proposed;
                row.wakes = Some((*until, Due::Commit));
                row.ended_place = Some(place);
            }),
            Event::Undone { ask, .. } => self.change(*ask, |row| {
                row.state = State::Open;
                row.wakes = row.deadline.map(|at| (at, Due::Expire));
                row.ended_place = None;
                row.settled_at = None;
            }),
            Event::Extended { ask, deadline, .. } => self.change(*ask, |row| {
                row.deadline = *deadline;
                if row.state == State::Open {
                    row.wakes = deadline.map(|at| (at, Due::Expire));
                }
            }),
            Event::Settled(settled) => {
                self.close(settled.ask, State::ended(settled.outcome.ending()), settled.at, place)
            }
            Event::Withdrawn { ask, at, .. } => self.close(*ask, State::Withdrawn, *at, place),
            Event::Overtaken { ask, at, .. } => self.close(*ask, State::Overtaken, *at, place),
            Event::Parked { ask } => self.change(*ask, |row| row.parked = true),
            Event::Stranded { ask } => self.change(*ask, |row| row.stranded = true),
            Event::LateAnswered { ask, .. } => self.change(*ask, |row| row.late_place = Some(place)),
            Event::Delivered { parcel: Parcel::Verdict(ask), at, .. } => {
                self.change(*ask, |row| {
                    row.delivered_at = Some(*at);
                    row.parked = false;
                })?;
                self.ranks.forget(*ask);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn asked(&mut self, place: i64, within: usize, ask: &Ask) -> rusqlite::Result<()> {
        if let Some(old) = ask.instead_of {
            self.change(old, |row| {
                row.state = State::Expired;
                row.moved_to = Some(ask.id.number);
                row.wakes = None;
                row.settled_at = row.settled_at.or(Some(ask.at));
            })?;
        }
        let headline = ask.body.headline();
        let cut = headline.char_indices().nth(HEADLINE_CHARS_MAX).map_or(headline.len(), |(at, _)| at);
        let rank = self.ranks.give(ask.id, place, within);
        let row = AskRow {
            id: ask.id,
            asked_at: ask.at,
            state: State::Open,
            wakes: ask.terms.deadline.map(|at| (at, Due::Expire)),
            deadline: ask.terms.deadline,
            settled_at: None,
            delivered_at: None,
            parked: false,
            stranded: false,
            kind: ask.body.kind(),
            headline: headline[..cut].to_owned(),
            agent: ask.asker.agent.clone(),
            door: ask.asker.door.clone(),
            party: ask.asker.party.clone(),
            moved_to: None,
            rank,
            ended_place: None,
            late_place: None,
        };
        self.made.insert(ask.id, rank);
        self.rows.insert(rank, row);
        Ok(())
    }

    fn close(&mut self, ask: AskId, state: State, at: Timestamp, place: i64) -> rusqlite::Result<()> {
        self.change(ask, |row| {
            row.state = state;
            row.settled_at = Some(at);
            row.ended_place = Some(place);
            row.wakes = None;
        })
    }

    /// Changes one ask, if it is live.
    fn change(&mut self, ask: AskId, change: impl FnOnce(&mut AskRow)) -> rusqlite::Result<()> {
        let rank = match self.made.get(&ask) {
            Some(rank) => Some(*rank),
            None => self.ranks.find(self.conn, ask)?,
        };
        let Some(rank) = rank else { return Ok(()) };
        if !self.rows.contains_key(&rank) {
            let Some(row) = read(self.conn, rank)? else { return Ok(()) };
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

    /// Returns where the row of a session stands.
    fn place_of(&self, session: SessionId) -> rusqlite::Result<Option<i64>> {
        if let Some(place) = self.started.get(&session) {
            return Ok(Some(*place));
        }
        let sql = format!("SELECT {STARTED}");
        self.conn.prepare_cached(&sql)?.query_row([session.0.to_be_bytes()], |row| row.get(0))
    }
}

fn read(conn: &Connection, rank: i64) -> rusqlite::Result<Option<AskRow>> {
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
    fn ended(ending: Ending) -> Self {
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
