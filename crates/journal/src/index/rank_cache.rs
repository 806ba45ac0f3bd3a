//! A cache of the ranks of asks, which are the keys of their rows.

use askbridge_core::ids::AskId;
use foldhash::HashMap;
use rusqlite::{Connection, OptionalExtension, params};

use super::tables::{OF_SESSION, RANKS};

/// Ranks that are cached. Beyond: the cache is cleared.
const REMEMBERED_MAX: usize = 65_536;

/// Maps an ask to its row. An ask changes soon after it was made, so the database is rarely queried.
#[derive(Debug, Default)]
pub(crate) struct RankCache(HashMap<AskId, i64>);

impl RankCache {
    /// Caches the rank of an ask that was made by the event number `within` of the entry at `place`. Returns its rank.
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

    /// Removes an ask that is over.
    pub(super) fn forget(&mut self, ask: AskId) {
        self.0.remove(&ask);
    }

    /// Clears the cache, because a transaction was rolled back or rows were removed.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
