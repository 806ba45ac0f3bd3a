//! Backups: made under load, restored elsewhere, refused when they would do harm.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use askbridge_core::event::Audience;
use askbridge_journal::backup::{BackupError, Existing, Restored};
use askbridge_journal::sqlite::{Error, Options};
use askbridge_journal::{Followed, Journal, Sqlite, Stored, backup, restore, verify};
use futures_util::StreamExt;

use given::{Talk, started};

fn open(dir: &Path) -> Sqlite {
    Sqlite::open(&Options::new(dir, 7)).unwrap()
}

async fn write(store: &Sqlite, session: u128, asks: u32) -> Vec<Arc<Stored>> {
    let mut talk = Talk::new(store, session);
    talk.append(vec![started(Audience::Everyone)]).await;
    for number in 1..=asks {
        talk.append(vec![talk.asked(number, "Deploy now?")]).await;
    }
    store.read(talk.session, None, None, 500).await.unwrap()
}

fn put(copy: &Path, dir: &Path, existing: Existing) -> Result<Restored, BackupError> {
    restore(copy, dir, 8, existing, |_| {})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_made_under_load_holds_all_that_was_acknowledged_before_it() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(from.path());
    let before = write(&store, 1, 59).await;
    // Large enough that copying takes several steps, with appends in between.
    futures_util::future::join_all((100..150).map(|session| write(&store, session, 59))).await;
    let stop = Arc::new(AtomicBool::new(false));
    let (busy, stopping) = (store.clone(), Arc::clone(&stop));
    let writer = tokio::spawn(async move {
        let mut session = 1_000;
        while !stopping.load(Ordering::Relaxed) {
            session += 1;
            write(&busy, session, 3).await;
        }
        session
    });
    let (dir, copy) = (from.path().to_owned(), to.path().join("copy.db"));
    let path = copy.clone();
    let made = tokio::task::spawn_blocking(move || {
        let mut steps = Vec::new();
        let report = backup(&dir, &path, |progress| steps.push(progress)).unwrap();
        (report, steps)
    });
    let (report, steps) = made.await.unwrap();
    stop.store(true, Ordering::Relaxed);
    assert!(writer.await.unwrap() > 1_000, "somebody wrote meanwhile");
    assert!(report.is_good(), "{:?}", report.problems);
    assert!(steps.len() > 1, "it was copied in several steps");
    assert!(steps.windows(2).all(|two| two[0].pages < two[1].pages), "it never started over: {steps:?}");
    assert_eq!(fs::read_dir(to.path()).unwrap().count(), 1, "a copy is one file");

    let restored = put(&copy, &to.path().join("data"), Existing::Refuse).unwrap();
    assert_eq!((restored.report.entries, restored.aside), (report.entries, None));
    let again = open(&to.path().join("data"));
    assert_eq!(again.read(before[0].entry.session, None, None, 500).await.unwrap(), before);
    assert_eq!(u64::from(again.index().counts().unwrap().open), report.open_asks);
    let mut talk = Talk::new(&again, 2);
    talk.append(vec![started(Audience::Everyone)]).await;
}

#[tokio::test]
async fn a_store_that_is_there_is_replaced_only_when_told_so_and_is_kept() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let copy = other.path().join("copy.db");
    let store = open(dir.path());
    let copied = write(&store, 1, 3).await;
    backup(dir.path(), &copy, |_| {}).unwrap();
    let newer = write(&store, 2, 3).await;
    let cursor = store.now();

    let held = put(&copy, dir.path(), Existing::SetAside);
    assert!(matches!(held, Err(BackupError::Store(Error::InUse { .. }))), "{held:?}");
    drop(store);
    let refused = put(&copy, dir.path(), Existing::Refuse);
    assert!(matches!(refused, Err(BackupError::StoreExists { .. })), "{refused:?}");

    let restored = put(&copy, dir.path(), Existing::SetAside).unwrap();
    let aside = open(&restored.aside.unwrap());
    assert_eq!(aside.read(newer[0].entry.session, None, None, 500).await.unwrap(), newer);
    let store = open(dir.path());
    assert_eq!(store.read(copied[0].entry.session, None, None, 500).await.unwrap(), copied);
    assert_eq!(store.read(newer[0].entry.session, None, None, 500).await.unwrap(), []);
    assert_eq!(store.index().counts().unwrap().open, 3, "the index is that of the copy");
    // The same positions will be reused: a client that was further gets a snapshot, even later.
    write(&store, 3, 20).await;
    let first = Box::pin(store.follow(cursor)).next().await;
    assert!(matches!(first, Some(Ok(Followed::Gone(_)))), "{first:?}");
    drop(store);
    assert!(verify(dir.path()).unwrap().is_good());
}

#[tokio::test]
async fn what_was_only_in_the_log_is_kept_aside_as_well() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let copy = other.path().join("copy.db");
    let store = open(dir.path());
    write(&store, 1, 1).await;
    backup(dir.path(), &copy, |_| {}).unwrap();
    let newer = write(&store, 2, 3).await;
    // As after a kill: the newest entries are in the log.
    let killed = tempfile::tempdir().unwrap();
    for file in ["askbridge.db", "askbridge.db-wal"] {
        fs::copy(dir.path().join(file), killed.path().join(file)).unwrap();
    }
    assert!(fs::metadata(killed.path().join("askbridge.db-wal")).unwrap().len() > 0);
    let restored = put(&copy, killed.path(), Existing::SetAside).unwrap();
    let aside = open(&restored.aside.unwrap());
    assert_eq!(aside.read(newer[0].entry.session, None, None, 500).await.unwrap(), newer);
}

#[tokio::test]
async fn a_copy_that_was_changed_is_refused_and_nothing_else_is_touched() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let copy = other.path().join("copy.db");
    let store = open(dir.path());
    let written = write(&store, 1, 3).await;
    backup(dir.path(), &copy, |_| {}).unwrap();
    drop(store);
    let conn = rusqlite::Connection::open(&copy).unwrap();
    conn.execute("UPDATE entries SET body = replace(body, 'Deploy', 'Delete') WHERE pos = 2", ()).unwrap();
    drop(conn);
    let refused = put(&copy, dir.path(), Existing::SetAside);
    assert!(matches!(refused, Err(BackupError::NotGood { .. })), "{refused:?}");
    fs::write(&copy, "no journal at all").unwrap();
    assert!(put(&copy, dir.path(), Existing::SetAside).is_err());
    let store = open(dir.path());
    assert_eq!(store.read(written[0].entry.session, None, None, 500).await.unwrap(), written);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("restor")), "{left:?}");
}

#[tokio::test]
async fn a_file_that_is_there_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    write(&store, 1, 1).await;
    let copy = dir.path().join("copy.db");
    fs::write(&copy, "mine").unwrap();
    assert!(matches!(backup(dir.path(), &copy, |_| {}), Err(BackupError::Exists { .. })));
    assert_eq!(fs::read_to_string(&copy).unwrap(), "mine");
}
