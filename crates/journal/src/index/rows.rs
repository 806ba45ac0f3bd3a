//! The rows of the index as other crates see them.

use askbridge_core::ask::Kind;
use askbridge_core::ids::{AskId, PartyId, PersonId, SessionId, Timestamp};
use askbridge_core::intent::Due;
use rusqlite::Row;

/// The state of an ask. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    Open = 0,
    /// Answered, and the answer can still be taken back.
    Proposed = 1,
    Answered = 2,
    Dismissed = 3,
    Expired = 4,
    Ruled = 5,
    Withdrawn = 6,
    Overtaken = 7,
}

/// An ask as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRow {
    pub id: AskId,
    pub asked_at: Timestamp,
    pub state: State,
    /// The time of its next timer, and which.
    pub wakes: Option<(Timestamp, Due)>,
    /// The ask's own deadline, or the one that a person extended it to.
    pub deadline: Option<Timestamp>,
    /// When it ended, however it did.
    pub settled_at: Option<Timestamp>,
    pub delivered_at: Option<Timestamp>,
    pub parked: bool,
    pub stranded: bool,
    pub kind: Kind,
    /// The beginning of it.
    pub headline: String,
    pub agent: String,
    pub door: String,
    pub party: PartyId,
    /// The later ask that replaced this one.
    pub moved_to: Option<u32>,
    pub(super) rank: i64,
    pub(super) ended_place: Option<i64>,
    pub(super) late_place: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SessionState {
    Running = 0,
    Closed = 1,
    /// It continues in another session.
    Continued = 2,
}

/// A session as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub id: SessionId,
    pub agent: String,
    pub door: String,
    pub owner: PartyId,
    /// `None`: everyone.
    pub audience: Option<Vec<PersonId>>,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub branch: Option<String>,
    pub started_at: Timestamp,
    pub state: SessionState,
    /// When it was started, or something was asked or settled in it.
    pub last_at: Timestamp,
    pub open_asks: u32,
    pub(super) place: i64,
}

pub(super) const ASK_COLUMNS: &str = "a.session, a.number, a.asked_at, a.state, a.wake_at, a.due, a.deadline, \
     a.settled_at, a.delivered_at, a.parked, a.stranded, a.kind, a.headline, a.agent, a.door, a.party, a.moved_to, \
     a.rank, a.ended_pos, a.late_pos";

pub(super) fn ask_row(row: &Row<'_>) -> rusqlite::Result<AskRow> {
    let time = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(Timestamp));
    Ok(AskRow {
        id: AskId { session: SessionId(u128::from_be_bytes(row.get(0)?)), number: row.get(1)? },
        asked_at: Timestamp(row.get(2)?),
        state: numbered_state(row.get(3)?),
        wakes: time(4)?.zip(row.get::<_, Option<u8>>(5)?.map(numbered_due)),
        deadline: time(6)?,
        settled_at: time(7)?,
        delivered_at: time(8)?,
        parked: row.get(9)?,
        stranded: row.get(10)?,
        kind: numbered_kind(row.get(11)?),
        headline: row.get(12)?,
        agent: row.get(13)?,
        door: row.get(14)?,
        party: PartyId::from(row.get::<_, String>(15)?),
        moved_to: row.get(16)?,
        rank: row.get(17)?,
        ended_place: row.get(18)?,
        late_place: row.get(19)?,
    })
}

/// The counts come from the asks, so that asking need not touch the session's row.
pub(super) const SESSION_COLUMNS: &str = "s.session, s.agent, s.door, s.owner, s.audience, s.title, s.folder, \
     s.branch, s.started_at, s.state, s.place, \
     (SELECT count(*) FROM runs r CROSS JOIN json_each(r.places) e CROSS JOIN asks a \
         ON a.rank >= e.value * 64 AND a.rank < e.value * 64 + 64 \
         WHERE r.session = s.session AND r.lane = 0 AND a.state <= 1), \
     max(s.started_at, coalesce((SELECT max(max(a.asked_at, coalesce(a.settled_at, a.asked_at))) FROM runs r \
         CROSS JOIN json_each(r.places) e \
         CROSS JOIN asks a ON a.rank >= e.value * 64 AND a.rank < e.value * 64 + 64 \
         WHERE r.session = s.session AND r.lane = 0), s.started_at))";

pub(super) fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let audience: Option<String> = row.get(4)?;
    let names = audience.map(|names| serde_json::from_str::<Vec<String>>(&names).unwrap_or_default());
    Ok(SessionRow {
        id: SessionId(u128::from_be_bytes(row.get(0)?)),
        agent: row.get(1)?,
        door: row.get(2)?,
        owner: PartyId::from(row.get::<_, String>(3)?),
        audience: names.map(|names| names.into_iter().map(PersonId::from).collect()),
        title: row.get(5)?,
        folder: row.get(6)?,
        branch: row.get(7)?,
        started_at: Timestamp(row.get(8)?),
        state: match row.get(9)? {
            0_u8 => SessionState::Running,
            1 => SessionState::Closed,
            _ => SessionState::Continued,
        },
        place: row.get(10)?,
        open_asks: row.get(11)?,
        last_at: Timestamp(row.get(12)?),
    })
}

fn numbered_state(number: u8) -> State {
    use State::*;
    let states = [Open, Proposed, Answered, Dismissed, Expired, Ruled, Withdrawn, Overtaken];
    states.get(usize::from(number)).copied().unwrap_or(Withdrawn)
}

pub(super) fn numbered_due(number: u8) -> Due {
    if number == 0 { Due::Expire } else { Due::Commit }
}

fn numbered_kind(number: u8) -> Kind {
    [Kind::Questions, Kind::Approval, Kind::Plan, Kind::Form][usize::from(number.min(3))]
}
