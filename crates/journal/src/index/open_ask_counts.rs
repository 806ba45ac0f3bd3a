//! Counts open asks, and how long they have waited.

use std::time::Duration;

use askbridge_core::ids::{PartyId, Timestamp};
use rusqlite::{Connection, Row};

use super::query::{Index, IndexError};
use super::tables::RANKS;

/// The open asks at one moment. Each ask is counted in one state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenAskCounts {
    /// Not answered yet.
    pub open: u64,
    /// Answered, and the answer can still be undone.
    pub proposed: u64,
    /// Open, and parked.
    pub parked: u64,
    /// Open, and the way back to the agent is gone.
    pub stranded: u64,
    pub oldest: Option<Timestamp>,
    /// How many of all of them have waited at least as long as the span with the same index.
    pub at_least: Vec<u64>,
}

impl Index {
    /// Counts open asks. Reads each of them: a million take in the order of a second.
    pub fn waiting(&self, now: Timestamp, spans: &[Duration]) -> Result<OpenAskCounts, IndexError> {
        self.look(|conn| count(conn, now, spans)).map_err(IndexError::Down)
    }

    /// Returns the bytes of the entries that made open asks, by the token that asked: of all, or of one. Reads each
    /// open ask's row, but not its entry.
    pub fn open_bytes(&self, party: Option<&PartyId>) -> Result<Vec<(PartyId, u64)>, IndexError> {
        let of_one = if party.is_some() { "AND a.party = ?1" } else { "AND ?1 IS NULL" };
        // One entry may have made several asks.
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

    /// Returns how many entries of the journal are not in the index yet. A query adds them.
    pub fn lag(&self) -> u64 {
        self.projector.as_ref().map_or(0, |projector| projector.lag())
    }
}

fn count(conn: &Connection, now: Timestamp, spans: &[Duration]) -> rusqlite::Result<OpenAskCounts> {
    let mut waiting = OpenAskCounts { at_least: vec![0; spans.len()], ..OpenAskCounts::default() };
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
