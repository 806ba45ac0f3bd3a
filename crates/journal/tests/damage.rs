//! Files that were changed, cut or deleted while the store was closed: the damage is reported, and what can be rebuilt
//! is.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use askbridge_core::event::Audience;
use askbridge_journal::sqlite::{Error, Options};
use askbridge_journal::{Journal, Sqlite, Stored, accept, verify};
use rusqlite::Connection;
use tempfile::TempDir;

use given::{Talk, started};

const SESSIONS: u128 = 30;
const ASKS: u32 = 4;

fn open(dir: &Path) -> Result<Sqlite, Error> {
    Sqlite::open(&Options::new(dir, 7))
}

/// Sessions with an ask that was answered and delivered, and others with an open one.
async fn write(store: &Sqlite) -> Vec<Vec<Arc<Stored>>> {
    let mut written = Vec::new();
    for session in 1..=SESSIONS {
        let mut talk = Talk::new(store, session);
        talk.append(vec![started(Audience::Everyone)]).await;
        for number in 1..=ASKS {
            talk.append(vec![talk.asked(number, &format!("Question {number} of {session}?"))]).await;
        }
        talk.append(vec![talk.answered(1)]).await;
        talk.append(vec![talk.delivered(1)]).await;
        written.push(store.read(talk.session, None, None, 500).await.unwrap());
    }
    written
}

/// Every entry is there, and the lists agree.
async fn is_whole(store: &Sqlite, written: &[Vec<Arc<Stored>>]) {
    for session in written {
        let read = store.read(session[0].entry.session, None, None, 500).await.unwrap();
        assert_eq!(read, *session);
    }
    assert_eq!(u128::from(store.index().counts().unwrap().open), SESSIONS * u128::from(ASKS - 1));
}

/// Copies a folder as a kill would leave it.
fn copied(dir: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        // SQLite recreates it; a copy made while it is in use would be inconsistent.
        if !file.to_string_lossy().ends_with("-shm") {
            fs::copy(&file, copy.path().join(file.file_name().unwrap())).unwrap();
        }
    }
    copy
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_of_the_index_that_were_changed_do_not_hide_a_single_ask() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let written = write(&store).await;
    drop(store);
    let (index, seal) = (dir.path().join("index.db"), dir.path().join("index.db.seal"));
    let whole = fs::read(&index).unwrap();
    let (mut place, mut found) = (12_345_usize, 0);
    for round in 0..60 {
        place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // At a place with data: most of a page is empty.
        let at = (place >> 17) % (whole.len() - 8);
        let at = (at..whole.len() - 8).find(|at| whole[*at] != 0 && whole[at + 4] != 0).unwrap_or(100);
        let mut changed = whole.clone();
        changed[at..at + 8].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(&index, &changed).unwrap();
        // Both closed in order and after a crash.
        if round % 2 == 0 {
            fs::remove_file(&seal).unwrap();
        }
        let said = verify(dir.path()).unwrap();
        found += usize::from(!said.is_good());
        let store = open(dir.path()).unwrap_or_else(|error| panic!("byte {at}: {error}"));
        is_whole(&store, &written).await;
        drop(store);
        assert_eq!(verify(dir.path()).unwrap().problems, [], "byte {at}");
    }
    assert!(found > 10, "only {found} of 60 changes were told");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_cell_of_the_index_is_compared_with_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    write(&store).await;
    drop(store);
    let index = dir.path().join("index.db");
    let whole = fs::read(&index).unwrap();
    for table in ["asks", "sessions", "runs"] {
        let columns: Vec<String> = {
            let conn = Connection::open(&index).unwrap();
            let mut query = conn.prepare(&format!("SELECT name FROM pragma_table_info('{table}')")).unwrap();
            query.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert!(columns.len() > 4, "{table}: {columns:?}");
        for column in columns {
            let conn = Connection::open(&index).unwrap();
            let value = match column.as_str() {
                "session" => "zeroblob(16)".to_owned(),
                "places" => "'[' || (last + 1000000) || ']'".to_owned(),
                _ => format!(
                    "CASE typeof({column}) WHEN 'text' THEN {column} || 'x' ELSE coalesce({column}, 0) + 1000000 END"
                ),
            };
            let key = if table == "runs" { "last" } else { "rowid" };
            let sql = format!("UPDATE {table} SET {column} = {value} WHERE {key} = (SELECT max({key}) FROM {table})");
            assert!(conn.execute(&sql, ()).unwrap() >= 1, "{sql}");
            drop(conn);
            let said = verify(dir.path()).unwrap();
            assert!(!said.is_good(), "nothing is said about `{table}.{column}`");
            fs::write(&index, &whole).unwrap();
        }
        let conn = Connection::open(&index).unwrap();
        conn.execute(&format!("DELETE FROM {table} WHERE session = (SELECT max(session) FROM {table})"), ()).unwrap();
        drop(conn);
        assert!(verify(dir.path()).unwrap().problems.iter().any(|problem| problem.to_string().contains("missing")));
        fs::write(&index, &whole).unwrap();
    }
    assert_eq!(verify(dir.path()).unwrap().problems, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_was_taken_away_or_cut_is_missed_and_can_be_put_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let written = write(&store).await;
    let killed = copied(dir.path());
    let log = killed.path().join("askbridge.db-wal");
    let whole = fs::read(&log).unwrap();
    assert!(whole.len() > 100_000, "the newest entries are in the log");
    for left in [None, Some(0), Some(whole.len() / 2), Some(whole.len() - 1)] {
        match left {
            None => fs::remove_file(&log).unwrap(),
            Some(bytes) => fs::write(&log, &whole[..bytes]).unwrap(),
        }
        let _ = fs::remove_file(killed.path().join("askbridge.db-shm"));
        let files = || fs::read(killed.path().join("askbridge.db")).unwrap();
        let before = files();
        let Err(Error::Lost { found, known, .. }) = open(killed.path()) else { panic!("{left:?} was not missed") };
        assert!(found < known && known == 7 * SESSIONS as u64, "{found} {known}");
        assert_eq!(files(), before, "nothing is made in its place");
        fs::write(&log, &whole).unwrap();
        let _ = fs::remove_file(killed.path().join("askbridge.db-shm"));
    }
    let store = open(killed.path()).unwrap();
    is_whole(&store, &written).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_journal_beside_what_knows_better_is_no_new_one() {
    for has_mark in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path()).unwrap();
        write(&store).await;
        drop(store);
        fs::remove_file(dir.path().join("askbridge.db")).unwrap();
        // A release without a watermark left only the index.
        if !has_mark {
            fs::remove_file(dir.path().join("watermark")).unwrap();
        }
        let refused = open(dir.path());
        assert!(matches!(refused, Err(Error::Lost { found: 0, known: 210, .. })), "{refused:?}");
        let refused = open(dir.path());
        assert!(matches!(refused, Err(Error::Lost { .. })), "also when it is tried again: {refused:?}");
        accept(dir.path(), 9).unwrap();
        let store = open(dir.path()).unwrap();
        assert_eq!(store.index().counts().unwrap().open, 0, "somebody said that this is meant");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_journal_in_its_place_is_noticed() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(dir.path()).unwrap();
    write(&store).await;
    drop(store);
    let elsewhere = Sqlite::open(&Options::new(other.path(), 99)).unwrap();
    let written = write(&elsewhere).await;
    drop(elsewhere);
    fs::copy(other.path().join("askbridge.db"), dir.path().join("askbridge.db")).unwrap();
    let refused = open(dir.path());
    assert!(matches!(refused, Err(Error::Replaced { .. })), "{refused:?}");
    assert!(!verify(dir.path()).unwrap().is_good());
    accept(dir.path(), 100).unwrap();
    let store = open(dir.path()).unwrap();
    is_whole(&store, &written).await;
}
