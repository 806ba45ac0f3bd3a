//! How an event changes the tables: one statement for most, none for many. Follows `askbridge_core::evolve`.

use askbridge_core::ask::Ask;
use askbridge_core::event::{Audience, Event, Parcel, Settings, Started};
use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::session::Ending;
use rusqlite::{Connection, ToSql, params};

use super::rows::State;
use crate::entry::Entry;

/// Characters of a headline that are kept for lists.
const HEADLINE_CHARS_MAX: usize = 200;

/// An ask that the rules still remember in full: open, undelivered, or answerable late.
const LIVE: &str =
    "(state <= 1 OR (state <= 3 AND delivered_at IS NULL) OR (state <= 5 AND state > 3 AND moved_to IS NULL))";

/// Is this an event that a list is made from, so that an index of its own has to keep it?
pub(crate) fn keeps(event: &Event) -> bool {
    matches!(
        event,
        Event::Asked(_)
            | Event::Proposed { .. }
            | Event::Settled(_)
            | Event::Withdrawn { .. }
            | Event::Overtaken { .. }
            | Event::LateAnswered { .. }
    )
}

/// Applies an entry of decisions that stands at `place`.
pub(crate) fn project(conn: &Connection, place: u64, entry: &Entry) -> rusqlite::Result<()> {
    let place = place.cast_signed();
    entry.events.iter().try_for_each(|written| apply(conn, entry.session, place, &written.event))
}

/// Removes a session.
pub(crate) fn forget(conn: &Connection, session: SessionId) -> rusqlite::Result<()> {
    let session = session.0.to_be_bytes();
    conn.prepare_cached("DELETE FROM asks WHERE session = ?1")?.execute([session])?;
    conn.prepare_cached("DELETE FROM sessions WHERE session = ?1")?.execute([session])?;
    Ok(())
}

fn apply(conn: &Connection, session: SessionId, place: i64, event: &Event) -> rusqlite::Result<()> {
    match event {
        Event::Started(started) => start(conn, session, place, started),
        Event::Closed { .. } => end(conn, session, 1),
        Event::Continued { .. } => end(conn, session, 2),
        Event::Configured(settings) => configure(conn, session, settings),
        Event::Asked(ask) => asked(conn, place, ask),
        Event::Proposed { ask, until, .. } => {
            change(conn, *ask, "state = 1, wake_at = ?3, due = 1, ended_pos = ?4", &[&until.0, &place])
        }
        Event::Undone { ask, .. } => change(
            conn,
            *ask,
            "state = 0, wake_at = deadline, due = iif(deadline IS NULL, NULL, 0), ended_pos = NULL, settled_at = NULL",
            &[],
        ),
        Event::Extended { ask, deadline, .. } => change(
            conn,
            *ask,
            "deadline = ?3, wake_at = iif(state = 0, ?3, wake_at),
             due = iif(state = 0, iif(?3 IS NULL, NULL, 0), due)",
            &[&deadline.map(|at| at.0)],
        ),
        Event::Settled(settled) => {
            let state = State::ended(settled.outcome.ending()) as u8;
            close(conn, settled.ask, state, settled.at.0, place)
        }
        Event::Withdrawn { ask, at, .. } => close(conn, *ask, State::Withdrawn as u8, at.0, place),
        Event::Overtaken { ask, at, .. } => close(conn, *ask, State::Overtaken as u8, at.0, place),
        Event::Parked { ask } => change(conn, *ask, "parked = 1", &[]),
        Event::Stranded { ask } => change(conn, *ask, "stranded = 1", &[]),
        Event::LateAnswered { ask, .. } => change(conn, *ask, "late_pos = ?3", &[&place]),
        Event::Delivered { parcel: Parcel::Verdict(ask), at, .. } => {
            change(conn, *ask, "delivered_at = ?3, parked = 0", &[&at.0])
        }
        _ => Ok(()),
    }
}

fn asked(conn: &Connection, place: i64, ask: &Ask) -> rusqlite::Result<()> {
    if let Some(old) = ask.instead_of {
        let moved = "state = 4, moved_to = ?3, wake_at = NULL, due = NULL, settled_at = coalesce(settled_at, ?4)";
        change(conn, old, moved, &[&ask.id.number, &ask.at.0])?;
    }
    let headline = ask.body.headline();
    let cut = headline.char_indices().nth(HEADLINE_CHARS_MAX).map_or(headline.len(), |(at, _)| at);
    let deadline = ask.terms.deadline.map(|at| at.0);
    conn.prepare_cached(
        "INSERT OR REPLACE INTO asks (session, number, asked_pos, asked_at, state, wake_at, due, deadline, kind,
             headline, agent, door, party)
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?5, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        ask.id.session.0.to_be_bytes(),
        ask.id.number,
        place,
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

fn close(conn: &Connection, ask: AskId, state: u8, at: i64, place: i64) -> rusqlite::Result<()> {
    let set = "state = ?3, settled_at = ?4, ended_pos = ?5, wake_at = NULL, due = NULL";
    change(conn, ask, set, &[&state, &at, &place])
}

/// Updates one ask, if it is live. The key is `?1` and `?2`, `more` begins with `?3`.
fn change(conn: &Connection, ask: AskId, set: &str, more: &[&dyn ToSql]) -> rusqlite::Result<()> {
    let sql = format!("UPDATE asks SET {set} WHERE session = ?1 AND number = ?2 AND {LIVE}");
    let session = ask.session.0.to_be_bytes();
    let mut all: Vec<&dyn ToSql> = vec![&session, &ask.number];
    all.extend_from_slice(more);
    conn.prepare_cached(&sql)?.execute(&all[..])?;
    Ok(())
}

fn start(conn: &Connection, session: SessionId, place: i64, started: &Started) -> rusqlite::Result<()> {
    let audience = match &started.audience {
        Audience::Everyone => None,
        Audience::Only(people) => {
            let names: Vec<_> = people.iter().map(|person| person.as_str()).collect();
            Some(serde_json::to_string(&names).expect("names always serialize"))
        }
    };
    conn.prepare_cached(
        "INSERT OR REPLACE INTO sessions (session, started_pos, started_at, agent, door, owner, audience, title, folder,
             branch)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        session.0.to_be_bytes(),
        place,
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

fn configure(conn: &Connection, session: SessionId, settings: &Settings) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "UPDATE sessions SET title = coalesce(?2, title), folder = coalesce(?3, folder), branch = coalesce(?4, branch)
         WHERE session = ?1",
    )?
    .execute(params![session.0.to_be_bytes(), settings.title, settings.folder, settings.branch])?;
    Ok(())
}

fn end(conn: &Connection, session: SessionId, state: u8) -> rusqlite::Result<()> {
    let mut update = conn.prepare_cached("UPDATE sessions SET state = ?2 WHERE session = ?1")?;
    update.execute(params![session.0.to_be_bytes(), state])?;
    Ok(())
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
