//! How much waits for people, and for how long it has.

use std::time::Duration;

use askbridge_core::ids::{PartyId, Timestamp};
use rusqlite::{Connection, Row};

use super::query::{Index, IndexError};
use super::tables::RANKS;

/// What is open at one moment. Each ask is counted in one state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Nobody has said anything yet.
    pub open: u64,
    /// Answered, and the answer can still be taken back.
    pub proposed: u64,
    /// Open, while no process of the agent is kept for it.
    pub parked: u64,
    /// Open, and the way back to the agent is gone.
    pub stranded: u64,
    pub oldest: Option<Timestamp>,
    /// How many of all of them have waited at least as long as the span at the same place.
    pub at_least: Vec<u64>,
}

impl Index {
    /// Counts what is open. Looks at each open ask: a million of them take in the order of a second.
    pub fn waiting(&self, now: Timestamp, spans: &[Duration]) -> Result<Waiting, IndexError> {
        self.look(|conn| count(conn, now, spans)).map_err(IndexError::Down)
    }

    /// Returns how many bytes the entries have that made what is open, by who asked: all, or one of them. Looks at each open
    /// ask, and not at the bodies.
    pub fn open_bytes(&self, party: Option<&PartyId>) -> Result<Vec<(PartyId, u64)>, IndexError> {
        let of_one = if party.is_some() { "AND a.party = ?1" } else { "AND ?1 IS NULL" };
        // Several asks may have been made by one entry.
        let sql = format!(
            "SELECT o.party, sum(octet_length(e.body))
             FROM (SELECT DISTINCT a.party, a.rank / {RANKS} AS place FROM asks a INDEXED BY asks_open
                   WHERE a.state <= 1 {of_one}) o
             CROSS JOIN entries e ON e.pos = o.place GROUP BY o.party"
        );
        let open = self.look(|conn| {
            let mut query = conn.prepare_cached(&sql)?;
            let row =
                |row: &Row<'_>| Ok((PartyId::from(row.get::<_, String>(0)?), row.get::<_, i64>(1)?.cast_unsigned()));
            query.query_map([party.map(PartyId::as_str)], row)?.collect()
        });
        open.map_err(IndexError::Down)
    }

    /// Returns how many entries the journal has that the index has not taken in yet. Looking takes them in.
    pub fn lag(&self) -> u64 {
        self.projector.as_ref().map_or(0, |projector| projector.lag())
    }
}

fn count(conn: &Connection, now: Timestamp, spans: &[Duration]) -> rusqlite::Result<Waiting> {
    let mut waiting = Waiting { at_least: vec![0; spans.len()], ..Waiting::default() };
    let sql = "SELECT asked_at, state, parked, stranded FROM asks INDEXED BY asks_open WHERE state <= 1";
    let mut query = conn.prepare_cached(sql)?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let asked_at = Timestamp(row.get(0)?);
        let (state, parked, stranded): (u8, bool, bool) = (row.get(1)?, row.get(2)?, row.get(3)?);
        *match (stranded, parked, state) {
            (true, _, _) => &mut waiting.stranded,
            (_, true, _) => &mut waiting.parked,
            (_, _, 1) => &mut waiting.proposed,
            _ => &mut waiting.open,
        } += 1;
        let age = now.since(asked_at);
        for (count, span) in waiting.at_least.iter_mut().zip(spans) {
            *count += u64::from(age >= *span);
        }
        waiting.oldest = Some(waiting.oldest.map_or(asked_at, |oldest| oldest.min(asked_at)));
    }
    Ok(waiting)
}
