//! How an event changes the tables: one statement for most, none for many. Follows `askbridge_core::evolve`.

use askbridge_core::ask::Ask;
use askbridge_core::event::{Audience, Event, Lane, Parcel, Settings, Started};
use askbridge_core::ids::{AskId, SessionId, Timestamp};
use askbridge_core::session::Ending;
use rusqlite::{Connection, ToSql, params};

use super::ranks::Ranks;
use super::rows::State;
use super::tables::{OF_SESSION, STARTED};
use crate::entry::{Entry, lane_number};

/// Characters of a headline that are kept for lists.
const HEADLINE_CHARS_MAX: usize = 200;

/// An ask that the rules still remember in full: open, undelivered, or answerable late.
const LIVE: &str =
    "(state <= 1 OR (state <= 3 AND delivered_at IS NULL) OR (state <= 5 AND state > 3 AND moved_to IS NULL))";

const REOPENED: &str = "state = 0, wake_at = deadline, due = iif(deadline IS NULL, NULL, 0), ended_pos = NULL, \
     settled_at = NULL";
const EXTENDED: &str = "deadline = ?2, wake_at = iif(state = 0, ?2, wake_at), \
     due = iif(state = 0, iif(?2 IS NULL, NULL, 0), due)";
const MOVED: &str = "state = 4, moved_to = ?2, wake_at = NULL, due = NULL, settled_at = coalesce(settled_at, ?3)";

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

/// Takes in an entry that stands at `place`.
pub(crate) fn take_in(conn: &Connection, ranks: &mut Ranks, place: u64, entry: &Entry) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT OR IGNORE INTO places VALUES (?1, ?2, ?3)")?;
    insert.execute(params![entry.session.0.to_be_bytes(), lane_number(entry.lane), place.cast_signed()])?;
    match entry.lane {
        Lane::Decisions => project(conn, ranks, place, entry),
        Lane::Content => Ok(()),
    }
}

/// Applies an entry of decisions that stands at `place`.
pub(super) fn project(conn: &Connection, ranks: &mut Ranks, place: u64, entry: &Entry) -> rusqlite::Result<()> {
    let mut scribe = Scribe { conn, ranks, session: entry.session, place: place.cast_signed() };
    entry.events.iter().enumerate().try_for_each(|(within, written)| scribe.apply(within, &written.event))
}

/// Removes a session.
pub(crate) fn forget(conn: &Connection, session: SessionId) -> rusqlite::Result<()> {
    let session = session.0.to_be_bytes();
    let asks = format!("DELETE FROM asks WHERE rank IN (SELECT a.rank FROM {OF_SESSION})");
    conn.prepare_cached(&asks)?.execute([session])?;
    let started = format!("DELETE FROM sessions WHERE place = {STARTED}");
    conn.prepare_cached(&started)?.execute([session])?;
    // These lead to the others, so they go last.
    conn.prepare_cached("DELETE FROM places WHERE session = ?1")?.execute([session])?;
    Ok(())
}

/// Writes one entry into the tables.
struct Scribe<'a> {
    conn: &'a Connection,
    ranks: &'a mut Ranks,
    session: SessionId,
    place: i64,
}

impl Scribe<'_> {
    fn apply(&mut self, within: usize, event: &Event) -> rusqlite::Result<()> {
        let place = self.place;
        match event {
            Event::Started(started) => self.start(started),
            Event::Closed { .. } => self.end(1),
            Event::Continued { .. } => self.end(2),
            Event::Configured(settings) => self.configure(settings),
            Event::Asked(ask) => self.asked(within, ask),
            Event::Proposed { ask, until, .. } => {
                self.change(*ask, "state = 1, wake_at = ?2, due = 1, ended_pos = ?3", &[&until.0, &place])
            }
            Event::Undone { ask, .. } => self.change(*ask, REOPENED, &[]),
            Event::Extended { ask, deadline, .. } => self.change(*ask, EXTENDED, &[&deadline.map(|at| at.0)]),
            Event::Settled(settled) => self.close(settled.ask, State::ended(settled.outcome.ending()), settled.at),
            Event::Withdrawn { ask, at, .. } => self.close(*ask, State::Withdrawn, *at),
            Event::Overtaken { ask, at, .. } => self.close(*ask, State::Overtaken, *at),
            Event::Parked { ask } => self.change(*ask, "parked = 1", &[]),
            Event::Stranded { ask } => self.change(*ask, "stranded = 1", &[]),
            Event::LateAnswered { ask, .. } => self.change(*ask, "late_pos = ?2", &[&place]),
            Event::Delivered { parcel: Parcel::Verdict(ask), at, .. } => {
                self.change(*ask, "delivered_at = ?2, parked = 0", &[&at.0])?;
                self.ranks.forget(*ask);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn asked(&mut self, within: usize, ask: &Ask) -> rusqlite::Result<()> {
        if let Some(old) = ask.instead_of {
            self.change(old, MOVED, &[&ask.id.number, &ask.at.0])?;
        }
        let headline = ask.body.headline();
        let cut = headline.char_indices().nth(HEADLINE_CHARS_MAX).map_or(headline.len(), |(at, _)| at);
        let deadline = ask.terms.deadline.map(|at| at.0);
        let mut insert = self.conn.prepare_cached(
            "INSERT INTO asks (rank, session, number, asked_at, state, wake_at, due, deadline, kind, headline, agent,
                 door, party)
             VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?5, ?7, ?8, ?9, ?10, ?11)",
        )?;
        insert.execute(params![
            self.ranks.give(ask.id, self.place, within),
            ask.id.session.0.to_be_bytes(),
            ask.id.number,
            ask.at.0,
            deadline,
            deadline.map(|_| 0),
            ask.body.kind() as u8,
            &headline[..cut],
            ask.asker.agent,
            ask.asker.door,
            ask.asker.party.as_str(),
        ])?;
        Ok(())
    }

    fn close(&mut self, ask: AskId, state: State, at: Timestamp) -> rusqlite::Result<()> {
        let place = self.place;
        let set = "state = ?2, settled_at = ?3, ended_pos = ?4, wake_at = NULL, due = NULL";
        self.change(ask, set, &[&(state as u8), &at.0, &place])
    }

    /// Updates one ask, if it is live. `more` begins with `?2`.
    fn change(&mut self, ask: AskId, set: &str, more: &[&dyn ToSql]) -> rusqlite::Result<()> {
        let Some(rank) = self.ranks.find(self.conn, ask)? else { return Ok(()) };
        let sql = format!("UPDATE asks SET {set} WHERE rank = ?1 AND {LIVE}");
        let mut all: Vec<&dyn ToSql> = vec![&rank];
        all.extend_from_slice(more);
        self.conn.prepare_cached(&sql)?.execute(&all[..])?;
        Ok(())
    }

    fn start(&self, started: &Started) -> rusqlite::Result<()> {
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
            self.place,
            self.session.0.to_be_bytes(),
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

    fn configure(&self, settings: &Settings) -> rusqlite::Result<()> {
        let sql = format!(
            "UPDATE sessions SET title = coalesce(?2, title), folder = coalesce(?3, folder),
                 branch = coalesce(?4, branch)
             WHERE place = {STARTED}"
        );
        let Settings { title, folder, branch, .. } = settings;
        self.conn.prepare_cached(&sql)?.execute(params![self.session.0.to_be_bytes(), title, folder, branch])?;
        Ok(())
    }

    fn end(&self, state: u8) -> rusqlite::Result<()> {
        let sql = format!("UPDATE sessions SET state = ?2 WHERE place = {STARTED}");
        self.conn.prepare_cached(&sql)?.execute(params![self.session.0.to_be_bytes(), state])?;
        Ok(())
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
