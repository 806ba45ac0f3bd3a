//! A store whose file is torn, full, locked, foreign or from a newer release.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::fs;
use std::path::Path;

use askbridge_core::event::{Audience, Lane};
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::index::AskFilter;
use askbridge_journal::sqlite::{Error, Options};
use askbridge_journal::{AppendError, Digest, Journal, Sqlite, Stored, accept, export, record, verify};
use rusqlite::{Connection, OpenFlags};
use std::sync::Arc;

use given::{Talk, started};

const DB: &str = "askbridge.db";
const WAL: &str = "askbridge.db-wal";

fn open(dir: &Path) -> Result<Sqlite, Error> {
    Sqlite::open(&Options::new(dir, 7))
}

/// Writes an error with its causes.
fn spoken(error: &dyn std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {}", spoken(source)));
    format!("{error}{}", source.unwrap_or_default())
}

/// Writes a small log and returns its entries.
async fn write_log(store: &Sqlite, entries: u32) -> Vec<Arc<Stored>> {
    write_session(store, 7, entries).await
}

async fn write_session(store: &Sqlite, number: u128, entries: u32) -> Vec<Arc<Stored>> {
    let mut talk = Talk::new(store, number);
    talk.append(vec![started(Audience::Everyone)]).await;
    for number in 1..entries {
        talk.append(vec![talk.asked(number, &format!("Question {number}?"))]).await;
    }
    store.read(talk.session, None, None, 500).await.unwrap()
}

/// Opens what is left of a store. It has a prefix of the acknowledged entries, or is refused with a message.
async fn recover(dir: &Path, acknowledged: &[Arc<Stored>]) -> Result<usize, String> {
    let store = open(dir).map_err(|error| spoken(&error))?;
    let read = store.read(SessionId(7), None, None, 500).await.map_err(|error| spoken(&error))?;
    assert_eq!(read[..], acknowledged[..read.len()], "what is read is what was written");
    let mut prev = Digest::ZERO;
    for stored in &read {
        assert_eq!(stored.entry.prev, prev);
        prev = stored.entry.digest();
    }
    let counts = store.index().counts().map_err(|error| spoken(&error))?;
    assert_eq!(counts.open as usize, read.len().saturating_sub(1), "the index is as old as the journal");
    Ok(read.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_cut_anywhere_keeps_what_came_before() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let acknowledged = write_log(&store, 12).await;
    // Copied while it is open, as after a power failure.
    let (db, wal) = (fs::read(dir.path().join(DB)).unwrap(), fs::read(dir.path().join(WAL)).unwrap());
    let frame = 24 + 4096;
    assert_eq!((wal.len() - 32) % frame, 0, "the log consists of whole frames");
    let mut kept = Vec::new();
    let copy = tempfile::tempdir().unwrap();
    for cut in (wal.len() - 3 * frame..=wal.len()).filter(|cut| is_telling(*cut, frame)) {
        fs::write(copy.path().join(DB), &db).unwrap();
        fs::write(copy.path().join(WAL), &wal[..cut]).unwrap();
        let _ = fs::remove_file(copy.path().join("askbridge.db-shm"));
        kept.push(recover(copy.path(), &acknowledged).await.unwrap());
    }
    assert!(kept.is_sorted(), "cutting later never loses more: {kept:?}");
    assert_eq!(kept.last(), Some(&acknowledged.len()));
    assert!(kept[0] < acknowledged.len(), "the cut reaches into the last entries");
    cut_at_every_byte(copy.path(), &db, &wal, frame, &acknowledged);
}

/// Cuts the log shorter, byte by byte, and reads it with SQLite alone, which takes a thousandth of the time.
fn cut_at_every_byte(dir: &Path, db: &[u8], wal: &[u8], frame: usize, acknowledged: &[Arc<Stored>]) {
    fs::write(dir.join(DB), db).unwrap();
    fs::write(dir.join(WAL), wal).unwrap();
    let log = fs::OpenOptions::new().write(true).open(dir.join(WAL)).unwrap();
    let mut before = acknowledged.len();
    for cut in (wal.len() - 3 * frame..=wal.len()).rev() {
        log.set_len(cut as u64).unwrap();
        let conn = Connection::open_with_flags(dir.join(DB), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let mut query = conn.prepare("SELECT pos, prev, body FROM entries ORDER BY pos").unwrap();
        let mut rows = query.query(()).unwrap();
        let mut kept = 0;
        while let Some(row) = rows.next().unwrap() {
            let Stored { position, entry } = &*acknowledged[kept];
            assert_eq!(row.get::<_, i64>(0).unwrap(), position.0.cast_signed());
            assert_eq!(row.get::<_, [u8; 32]>(1).unwrap(), entry.prev.0);
            assert_eq!(row.get::<_, String>(2).unwrap(), format!("[{}]", entry.events[0].json));
            kept += 1;
        }
        assert!(kept <= before, "cutting shorter never brings anything back");
        before = kept;
    }
    assert!(before < acknowledged.len());
}

/// Every byte of a frame's header, every 64th of its page, and those at the ends.
fn is_telling(cut: usize, frame: usize) -> bool {
    let within = (cut - 32) % frame;
    within <= 26 || within.is_multiple_of(64) || within >= frame - 2
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_cut_at_a_page_is_refused_or_keeps_what_came_before() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let acknowledged = write_log(&store, 80).await;
    drop(store);
    let db = fs::read(dir.path().join(DB)).unwrap();
    assert!(!dir.path().join(WAL).exists(), "closing folds the log into the file");
    assert!(db.len() > 12 * 4096, "{}", db.len());
    for cut in (0..=db.len()).step_by(4096) {
        let copy = tempfile::tempdir().unwrap();
        fs::write(copy.path().join(DB), &db[..cut]).unwrap();
        match recover(copy.path(), &acknowledged).await {
            Ok(kept) if cut == db.len() => assert_eq!(kept, acknowledged.len()),
            Ok(kept) => assert_eq!((kept, cut), (0, 0), "only an empty file is a new store"),
            Err(words) => assert!(words.contains(DB) && words.contains("damaged"), "{words}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_was_changed_is_found_by_verify() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    write_log(&store, 10).await;
    drop(store);
    let mut report = verify(dir.path()).unwrap();
    assert_eq!((report.entries, report.sessions, report.open_asks), (10, 1, 9));
    assert_eq!(report.problems, []);
    // A past entry is rewritten.
    let conn = Connection::open(dir.path().join(DB)).unwrap();
    conn.execute("UPDATE entries SET body = replace(body, 'Question 3?', 'Question 4?')", ()).unwrap();
    report = verify(dir.path()).unwrap();
    let words = report.problems[0].to_string();
    assert!(words.contains("position 5") && words.contains("something was changed"), "{words}");
    assert_eq!(report.problems.len(), 2, "the index still says what was there before: {:?}", report.problems);
    // And the index.
    let index = Connection::open(dir.path().join("index.db")).unwrap();
    index.execute("UPDATE asks SET state = 2 WHERE number = 7", ()).unwrap();
    let words = verify(dir.path()).unwrap().problems[1].to_string();
    assert!(words.contains("_7 is over, the journal that it is open"), "{words}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verify_and_export_work_beside_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let entries = write_log(&store, 5).await;
    assert!(verify(dir.path()).unwrap().is_good());
    let mut out = Vec::new();
    assert_eq!(export(dir.path(), &mut out).unwrap(), 5);
    let text = String::from_utf8(out).unwrap();
    let lines = text.lines().map(|line| record::read_line(line).unwrap());
    assert!(lines.eq(entries.iter().map(|stored| (*stored.entry).clone())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_and_can_be_emptied() {
    let dir = tempfile::tempdir().unwrap();
    let small = Options { pages_max: Some(40), ..Options::new(dir.path(), 7) };
    let store = Sqlite::open(&small).unwrap();
    let mut talk = Talk::new(&store, 7);
    let mut acknowledged = 0;
    let error = loop {
        match talk.try_append(vec![talk.asked(acknowledged + 1, &"long ".repeat(200))]).await {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
    };
    let words = spoken(&error);
    assert!(matches!(error, AppendError::Down(_)), "{words}");
    assert!(words.contains("no space is left") && words.contains(DB), "{words}");
    let read = store.read(talk.session, None, None, 500).await.unwrap();
    assert_eq!(read.len(), acknowledged as usize, "nothing is stored that was not acknowledged");
    drop((store, talk.journal));
    // There is space again.
    let store = open(dir.path()).unwrap();
    let mut again = Talk::new(&store, 7);
    again.head = talk.head;
    let position = again.append(vec![again.asked(acknowledged + 1, "?")]).await;
    assert_eq!(position, Position(u64::from(acknowledged) + 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_full_disk_smaller_entries_still_fit() {
    let dir = tempfile::tempdir().unwrap();
    let small = Options { pages_max: Some(64), ..Options::new(dir.path(), 7) };
    let store = Sqlite::open(&small).unwrap();
    let mut talk = Talk::new(&store, 7);
    talk.append(vec![talk.asked(1, "?")]).await;
    let refused = talk.try_append(vec![talk.asked(2, &"x".repeat(400_000))]).await;
    assert!(matches!(refused, Err(AppendError::Down(_))), "{refused:?}");
    talk.append(vec![talk.asked(2, "?")]).await;
    assert_eq!(store.read(talk.session, None, None, 500).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_is_told_who_holds_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let words = open(dir.path()).unwrap_err().to_string();
    let lock = dir.path().join("lock");
    let pid = std::process::id();
    assert_eq!(words, format!("`{}` is held by process {pid}; stop it, or choose another folder", lock.display()));
    drop(store);
    open(dir.path()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_from_the_future_can_be_read_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let entries = write_log(&store, 3).await;
    drop(store);
    let conn = Connection::open(dir.path().join(DB)).unwrap();
    conn.execute("UPDATE meta SET value = 2 WHERE key = 'format'", ()).unwrap();
    drop(conn);
    let store = open(dir.path()).unwrap();
    assert_eq!(store.read(SessionId(7), Some(Lane::Decisions), None, 10).await.unwrap(), entries);
    let mut talk = Talk::new(&store, 8);
    let error = talk.try_append(vec![started(Audience::Everyone)]).await.unwrap_err();
    let words = spoken(&error);
    assert!(matches!(error, AppendError::ReadOnly(_)), "{words}");
    assert!(words.ends_with("was written by a newer release (format 2, this one writes 1)"), "{words}");
    assert!(store.read_only().is_some());
}

#[test]
fn what_is_not_a_journal_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(DB), "this is a shopping list, and a rather long one at that: ".repeat(100)).unwrap();
    let words = spoken(&open(dir.path()).unwrap_err());
    assert!(words.contains(DB) && words.contains("damaged"), "{words}");
    let dir = tempfile::tempdir().unwrap();
    Connection::open(dir.path().join(DB)).unwrap().execute_batch("CREATE TABLE shopping (item)").unwrap();
    let words = open(dir.path()).unwrap_err().to_string();
    assert!(words.ends_with("is not a journal of askbridge; choose another folder"), "{words}");
}

#[test]
fn a_folder_that_cannot_be_made_or_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let words = open(&file.join("store")).unwrap_err().to_string();
    assert!(words.contains("could not make the folder") && words.contains("file/store"), "{words}");
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).unwrap();
    let mut mode = fs::metadata(&closed).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(&closed, mode).unwrap();
    // The superuser may write everywhere, so there is nothing to report.
    if fs::write(closed.join("probe"), "").is_err() {
        let words = open(&closed).unwrap_err().to_string();
        assert!(words.contains("could not open") && words.contains("check the permissions"), "{words}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_store() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    let _store = open(&folder).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(DB)), 0o600);
    assert_eq!(mode(&folder.join(WAL)), 0o600);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_goes_on_where_it_was_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let entries = write_log(&store, 4).await;
    let now = store.now();
    store.forget(&[SessionId(7)], Timestamp(9), "mira").await.unwrap();
    drop(store);
    // Another id is offered, but the one it was created with counts.
    let store = Sqlite::open(&Options::new(dir.path(), 8)).unwrap();
    assert_eq!(store.now(), now);
    let mut talk = Talk::new(&store, 7);
    let position = talk.append(vec![started(Audience::Everyone)]).await;
    assert!(position > entries.last().unwrap().position, "positions are never used twice");
}

/// Counts the open asks of a store, as a list would.
fn open_asks(store: &Sqlite) -> usize {
    store.index().asks(&AskFilter::default(), None, 100).unwrap().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_is_missing_torn_or_of_another_journal_is_built_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    write_log(&store, 10).await;
    assert_eq!(open_asks(&store), 9);
    drop(store);
    let index = dir.path().join("index.db");
    let whole = fs::read(&index).unwrap();

    fs::remove_file(&index).unwrap();
    assert_eq!(open_asks(&open(dir.path()).unwrap()), 9, "missing");

    fs::write(&index, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(open_asks(&open(dir.path()).unwrap()), 9, "torn");

    fs::write(&index, b"not a database, and never was one. ".repeat(200)).unwrap();
    assert_eq!(open_asks(&open(dir.path()).unwrap()), 9, "of somebody else");

    let other = tempfile::tempdir().unwrap();
    let options = Options::new(other.path(), 99);
    let elsewhere = Sqlite::open(&options).unwrap();
    write_log(&elsewhere, 3).await;
    drop(elsewhere);
    fs::copy(other.path().join("index.db"), &index).unwrap();
    assert_eq!(open_asks(&open(dir.path()).unwrap()), 9, "of another journal");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_is_built_again_has_large_asks_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let mut talk = Talk::new(&store, 7);
    talk.append(vec![started(Audience::Everyone)]).await;
    // More bytes than one read returns, several times over.
    let large = "x".repeat(limits::READ_BYTES_MAX / 3);
    for number in 1..=12 {
        talk.append(vec![talk.asked(number, &large)]).await;
    }
    assert_eq!(open_asks(&store), 12);
    drop((talk, store));
    fs::remove_file(dir.path().join("index.db")).unwrap();

    let store = open(dir.path()).unwrap();
    assert_eq!(open_asks(&store), 12);
    drop(store);
    assert_eq!(verify(dir.path()).unwrap().problems, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_fell_behind_or_ran_ahead_agrees_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    write_log(&store, 4).await;
    drop(store);
    let (db, index) = (dir.path().join(DB), dir.path().join("index.db"));
    let (early_db, early_index) = (fs::read(&db).unwrap(), fs::read(&index).unwrap());
    let store = open(dir.path()).unwrap();
    write_session(&store, 8, 7).await;
    drop(store);

    // A crash undid the index's last changes.
    fs::write(&index, early_index).unwrap();
    assert_eq!(open_asks(&open(dir.path()).unwrap()), 9);
    assert!(verify(dir.path()).unwrap().is_good());

    // An older journal was put back. Only the operator can say whether on purpose.
    fs::write(&db, early_db).unwrap();
    assert!(matches!(open(dir.path()), Err(Error::Lost { found: 4, known: 11, .. })));
    assert!(!verify(dir.path()).unwrap().is_good());
    accept(dir.path(), 8).unwrap();
    assert_eq!(open_asks(&open(dir.path()).unwrap()), 3);
    assert!(verify(dir.path()).unwrap().is_good());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forgotten_session_stays_forgotten_when_the_index_forgets_that() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let session = write_log(&store, 4).await[0].entry.session;
    assert_eq!(open_asks(&store), 3);
    drop(store);
    let before = fs::read(dir.path().join("index.db")).unwrap();
    let store = open(dir.path()).unwrap();
    store.forget(&[session], Timestamp(9), "mira").await.unwrap();
    drop(store);
    fs::write(dir.path().join("index.db"), before).unwrap();
    let store = open(dir.path()).unwrap();
    assert_eq!(open_asks(&store), 0);
    assert!(store.read(session, None, None, 10).await.unwrap().is_empty());
}
