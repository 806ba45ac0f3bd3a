//! The tables of the index.

/// `asked_pos` and the like are places: the position, made unique over all streams of a journal.
///
/// `asks_in_order` only ever grows at its end, which costs next to nothing; the partial indexes hold few rows.
pub(crate) const TABLES: &str = "
CREATE TABLE asks (
    session BLOB NOT NULL, number INTEGER NOT NULL, asked_pos INTEGER NOT NULL, asked_at INTEGER NOT NULL,
    state INTEGER NOT NULL, wake_at INTEGER, due INTEGER, deadline INTEGER, settled_at INTEGER, delivered_at INTEGER,
    parked INTEGER NOT NULL DEFAULT 0, stranded INTEGER NOT NULL DEFAULT 0, kind INTEGER NOT NULL,
    headline TEXT NOT NULL, agent TEXT NOT NULL, door TEXT NOT NULL, party TEXT NOT NULL,
    ended_pos INTEGER, late_pos INTEGER, moved_to INTEGER,
    PRIMARY KEY (session, number)) WITHOUT ROWID;
CREATE INDEX asks_in_order ON asks (asked_pos, number);
CREATE INDEX asks_open ON asks (asked_pos, number) WHERE state <= 1;
CREATE INDEX asks_late ON asks (asked_pos, number) WHERE state IN (4, 5) AND late_pos IS NULL AND moved_to IS NULL;
CREATE INDEX asks_due ON asks (wake_at) WHERE wake_at IS NOT NULL;
CREATE TABLE sessions (
    session BLOB PRIMARY KEY, started_pos INTEGER NOT NULL, started_at INTEGER NOT NULL, agent TEXT NOT NULL,
    door TEXT NOT NULL, owner TEXT NOT NULL, audience TEXT, title TEXT, folder TEXT, branch TEXT,
    state INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX sessions_in_order ON sessions (started_pos);
";
