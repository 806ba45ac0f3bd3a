//! The tables of the index.

/// Rows are in the order of the journal and found through it, never by a key of their own.
///
/// Session ids are random. A table sorted by them dirties another page for every ask; `runs`, which has the places of a
/// session's entries, already does that, and once is enough. So the key of an ask's row is its `rank`: the place of its
/// entry times [`RANKS`], plus its number within the entry. The key of a session's row is the place of the entry that
/// started it. [`OF_SESSION`] finds the asks by the session's id, and [`STARTED`] the session.
///
/// A run is what one transaction found in one lane of a session: the places of its entries, as a sorted JSON array, and
/// the first and last of them as columns. Busy sessions have long runs, so that an entry costs a number and not a row.
///
/// A place is a position, made unique over all streams of a journal; `ended_pos` and `late_pos` are places as well.
pub(crate) const TABLES: &str = "
CREATE TABLE index_meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE runs (session BLOB NOT NULL, lane INTEGER NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL,
    places TEXT NOT NULL, PRIMARY KEY (session, lane, last)) WITHOUT ROWID;
CREATE TABLE asks (
    rank INTEGER PRIMARY KEY, session BLOB NOT NULL, number INTEGER NOT NULL, asked_at INTEGER NOT NULL,
    state INTEGER NOT NULL, wake_at INTEGER, due INTEGER, deadline INTEGER, settled_at INTEGER, delivered_at INTEGER,
    parked INTEGER NOT NULL DEFAULT 0, stranded INTEGER NOT NULL DEFAULT 0, kind INTEGER NOT NULL,
    headline TEXT NOT NULL, agent TEXT NOT NULL, door TEXT NOT NULL, party TEXT NOT NULL,
    ended_pos INTEGER, late_pos INTEGER, moved_to INTEGER);
CREATE INDEX asks_open ON asks (rank) WHERE state <= 1;
CREATE INDEX asks_late ON asks (rank) WHERE state IN (4, 5) AND late_pos IS NULL AND moved_to IS NULL;
CREATE INDEX asks_due ON asks (wake_at) WHERE wake_at IS NOT NULL;
CREATE TABLE sessions (
    place INTEGER PRIMARY KEY, session BLOB NOT NULL, started_at INTEGER NOT NULL, agent TEXT NOT NULL,
    door TEXT NOT NULL, owner TEXT NOT NULL, audience TEXT, title TEXT, folder TEXT, branch TEXT,
    state INTEGER NOT NULL DEFAULT 0);
CREATE INDEX sessions_running ON sessions (door, place) WHERE state = 0;
";

/// How many asks one entry can make.
pub(super) const RANKS: i64 = 64;
const _: () = assert!(RANKS as usize == askbridge_core::limits::ENTRY_EVENTS_MAX);

/// The asks `a` of the session `?1`. Written for [`RANKS`] of 64.
pub(super) const OF_SESSION: &str = "runs r CROSS JOIN json_each(r.places) e CROSS JOIN asks a
    ON a.rank >= e.value * 64 AND a.rank < e.value * 64 + 64 AND r.session = ?1 AND r.lane = 0";

/// The place of the row of the session `?1`: its start is its first decision. The first run has it; `min` would read
/// all of them.
pub(super) const STARTED: &str = "(SELECT first FROM runs WHERE session = ?1 AND lane = 0 ORDER BY last LIMIT 1)";

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, StatementStatus, params};

    use super::*;

    #[test]
    fn where_a_session_started_is_found_at_once_however_long_it_is() {
        let steps = |runs: i64| {
            let conn = Connection::open_in_memory().unwrap();
            conn.execute_batch(TABLES).unwrap();
            for run in 1..=runs {
                let sql = "INSERT INTO runs VALUES (x'07', 0, ?1, ?2, '[]')";
                conn.prepare_cached(sql).unwrap().execute(params![run * 10 + 9, run * 10]).unwrap();
            }
            let mut query = conn.prepare(&format!("SELECT {STARTED}")).unwrap();
            assert_eq!(query.query_row([[7_u8]], |row| row.get::<_, i64>(0)), Ok(10));
            query.get_status(StatementStatus::VmStep)
        };
        assert_eq!(steps(1000), steps(2));
    }
}
