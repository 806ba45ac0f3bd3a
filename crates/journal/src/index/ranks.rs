//! Where the rows of asks stand.

use askbridge_core::ids::AskId;
use foldhash::HashMap;
use rusqlite::{Connection, OptionalExtension, params};

use super::tables::{OF_SESSION, RANKS};

/// Asks whose rank is remembered. Beyond: all are forgotten and looked up again.
const REMEMBERED_MAX: usize = 65_536;

/// Leads from an ask to its row. An ask changes soon after it was made, so that the database is seldom asked.
#[derive(Debug, Default)]
pub(crate) struct Ranks(HashMap<AskId, i64>);

impl Ranks {
    /// Remembers an ask that was made by the event number `within` of the entry at `place`. Returns its rank.
    pub(super) fn give(&mut self, ask: AskId, place: i64, within: usize) -> i64 {
        if self.0.len() >= REMEMBERED_MAX {
            self.0.clear();
        }
        let rank = place * RANKS + i64::try_from(within).unwrap_or(0);
        self.0.insert(ask, rank);
        rank
    }

    pub(super) fn find(&mut self, conn: &Connection, ask: AskId) -> rusqlite::Result<Option<i64>> {
        if let Some(rank) = self.0.get(&ask) {
            return Ok(Some(*rank));
        }
        let sql = format!("SELECT a.rank FROM {OF_SESSION} WHERE a.number = ?2");
        let mut query = conn.prepare_cached(&sql)?;
        query.query_row(params![ask.session.0.to_be_bytes(), ask.number], |row| row.get(0)).optional()
    }

    /// Forgets an ask that is over.
    pub(super) fn forget(&mut self, ask: AskId) {
        self.0.remove(&ask);
    }

    /// Forgets everything, because a transaction was undone or rows were removed.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
