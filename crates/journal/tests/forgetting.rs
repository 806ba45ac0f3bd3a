//! What forgetting leaves behind, what `verify` says about it, and whether the space is returned.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::fs;
use std::path::Path;

use askbridge_core::event::Audience;
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_journal::backup::Existing;
use askbridge_journal::index::SessionFilter;
use askbridge_journal::sqlite::Options;
use askbridge_journal::{Forgotten, Journal, Sqlite, backup, restore, verify};
use rusqlite::Connection;

use given::{Talk, started};

const DB: &str = "askbridge.db";

fn open(dir: &Path) -> Sqlite {
    Sqlite::open(&Options::new(dir, 7)).unwrap()
}

/// Writes sessions with these numbers, each with one ask that was answered and delivered.
async fn write(store: &Sqlite, numbers: std::ops::Range<u128>, text: &str) -> Vec<SessionId> {
    let mut sessions = Vec::new();
    for number in numbers {
        let mut talk = Talk::new(store, number);
        talk.append(vec![started(Audience::Everyone), talk.asked(1, text)]).await;
        talk.append(vec![talk.answered(1), talk.delivered(1)]).await;
        sessions.push(talk.session);
    }
    sessions
}

fn problems(dir: &Path) -> Vec<String> {
    verify(dir).unwrap().problems.iter().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verify_holds_after_forgetting_and_says_what_went() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let sessions = write(&store, 1..7, "?").await;
    store.forget(&sessions[..2], Timestamp(50), "retention").await.unwrap();
    store.forget(&sessions[3..4], Timestamp(60), "mira").await.unwrap();
    let report = verify(dir.path()).unwrap();
    assert_eq!(report.problems, []);
    assert_eq!((report.sessions, report.entries), (3, 6));
    let Forgotten { sessions: gone, entries, bytes } = report.forgotten;
    assert!((gone, entries) == (3, 6) && bytes > 0, "{:?}", report.forgotten);
    assert_eq!(report.forgotten_between, Some((Timestamp(50), Timestamp(60))));
    let left = store.index().sessions(&SessionFilter::default(), None, 10).unwrap();
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [sessions[5], sessions[4], sessions[2]]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_removed_by_hand_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let sessions = write(&store, 1..5, "?").await;
    for (number, session) in sessions[..3].iter().enumerate() {
        store.forget(&[*session], Timestamp(number as i64), "retention").await.unwrap();
    }
    drop(store);
    assert_eq!(problems(dir.path()), [] as [&str; 0]);
    let whole = fs::read(dir.path().join(DB)).unwrap();
    let after = |sql: &str| {
        fs::write(dir.path().join(DB), &whole).unwrap();
        Connection::open(dir.path().join(DB)).unwrap().execute_batch(sql).unwrap();
        problems(dir.path())
    };
    let missing = |found, forgotten| {
        format!(
            "there are {found} entries, and {forgotten} were forgotten, but 8 were made; something was removed or put in"
        )
    };
    // A whole session: its own chain would not show it.
    assert!(after("DELETE FROM entries").contains(&missing(0, 6)));
    // The records of forgotten sessions: the last of the chain, then one in the middle.
    assert_eq!(after("DELETE FROM forgettings WHERE number = 3"), [] as [&str; 0], "then nothing is compared");
    assert_eq!(after("DELETE FROM forgettings WHERE number = 3; DELETE FROM forgotten"), [missing(2, 4)]);
    let broken = "record 3 of what was forgotten does not follow the one before it; something was changed";
    assert_eq!(after("DELETE FROM forgettings WHERE number = 2; DELETE FROM forgotten"), [broken, &*missing(2, 2)]);
    assert_eq!(
        after("UPDATE forgettings SET body = (SELECT body FROM forgettings WHERE number = 1) WHERE number = 2")[0],
        { "record 2 of what was forgotten does not follow the one before it; something was changed" }
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn room_is_given_back_in_small_steps_while_others_write() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let sessions = write(&store, 1..101, &"long ".repeat(8000)).await;
    let kept = write(&store, 200..203, "?").await;
    let full = store.space().await.unwrap();
    assert!(full.shrinks && full.journal > 4_000_000, "{full:?}");
    store.forget(&sessions, Timestamp(9), "retention").await.unwrap();
    let emptied = store.space().await.unwrap();
    assert!(emptied.journal >= full.journal && emptied.free > 3_900_000, "{emptied:?}");
    let mut steps = 0;
    while store.shrink(64).await.unwrap() {
        steps += 1;
        write(&store, 1000 + steps..1001 + steps, "in between").await;
        assert!(steps < 1000, "it has an end");
    }
    assert!(steps > 10, "{steps} steps");
    let shrunk = store.space().await.unwrap();
    assert!(shrunk.free == 0 && shrunk.journal < full.journal / 4, "{shrunk:?}");
    drop(store);
    assert!(fs::metadata(dir.path().join(DB)).unwrap().len() < full.journal / 4);
    let report = verify(dir.path()).unwrap();
    assert_eq!((report.problems.len(), report.sessions), (0, 3 + steps as u64), "{:?}", report.problems);
    assert_eq!(open(dir.path()).read(kept[0], None, None, 10).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_of_an_earlier_release_learns_to_forget_and_to_shrink() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let sessions = write(&store, 1..4, "?").await;
    drop(store);
    // As earlier releases created it.
    let conn = Connection::open(dir.path().join(DB)).unwrap();
    conn.execute_batch("PRAGMA journal_mode = DELETE; DROP TABLE forgettings; PRAGMA auto_vacuum = 0; VACUUM").unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    let mode: i64 = conn.query_row("PRAGMA auto_vacuum", (), |row| row.get(0)).unwrap();
    drop(conn);
    assert_eq!((mode, problems(dir.path())), (0, vec![]), "it is read as it is");
    let store = open(dir.path());
    assert!(store.space().await.unwrap().shrinks);
    assert_eq!(store.read(sessions[1], None, None, 10).await.unwrap().len(), 2);
    store.forget(&sessions[..1], Timestamp(9), "mira").await.unwrap();
    assert_eq!(store.forgettings(0, 10).await.unwrap().len(), 1);
    drop(store);
    assert_eq!(problems(dir.path()), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_brings_back_what_was_forgotten_since() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let sessions = write(&store, 1..4, "?").await;
    store.forget(&sessions[..1], Timestamp(5), "mira").await.unwrap();
    let copy = dir.path().join("copy.db");
    assert!(backup(dir.path(), &copy, |_| {}).unwrap().is_good());
    store.forget(&sessions[1..2], Timestamp(9), "mira").await.unwrap();
    drop(store);
    let restored = restore(&copy, dir.path(), 9, Existing::SetAside, |_| {}).unwrap();
    assert_eq!((restored.report.sessions, restored.report.forgotten.sessions), (2, 1));
    let store = open(dir.path());
    let left = store.index().sessions(&SessionFilter::default(), None, 10).unwrap();
    assert_eq!(left.iter().map(|row| row.id).collect::<Vec<_>>(), [sessions[2], sessions[1]]);
    store.forget(&sessions[1..2], Timestamp(12), "retention").await.unwrap();
    drop(store);
    assert_eq!(problems(dir.path()), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_from_before_a_session_was_forgotten_is_no_alarm() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut talk = Talk::new(&store, 1);
    talk.append(vec![started(Audience::Everyone), talk.asked(1, "?")]).await;
    assert_eq!(store.index().sessions(&SessionFilter::default(), None, 10).unwrap().len(), 1);
    let (index, then) = (dir.path().join("index.db"), dir.path().join("then.db"));
    let conn = Connection::open(&index).unwrap();
    conn.execute("VACUUM INTO ?1", [then.to_str().unwrap()]).unwrap();
    drop(conn);
    talk.append(vec![talk.answered(1), talk.delivered(1)]).await;
    store.forget(&[talk.session], Timestamp(9), "mira").await.unwrap();
    drop(talk);
    drop(store);
    // As after a kill: the journal is synced at every commit, the index is not.
    fs::rename(&then, &index).unwrap();
    let _ = fs::remove_file(dir.path().join("index.db.seal"));
    assert_eq!(problems(dir.path()), [] as [&str; 0]);
}
