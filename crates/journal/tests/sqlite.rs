//! The embedded journal passes the conformance suite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use askbridge_core::ids::{Position, Timestamp};
use askbridge_core::limits;
use askbridge_journal::conformance::{self, Names};
use askbridge_journal::sqlite::{Error, Options, OwnShelf};
use askbridge_journal::{Expect, Followed, Guard, Journal, Revision, Shelf, Sqlite, WatchShelf, Watched};
use futures_util::StreamExt;

askbridge_journal::conformance_tests!({
    let dir = tempfile::tempdir().unwrap();
    (Sqlite::open(&Options::new(dir.path(), 7)).unwrap(), dir)
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_index_shows_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&Options::new(dir.path(), 7)).unwrap();
    conformance::all_of_the_index(&store, &store.index(), &store.index(), &Names::new(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_ends_with_its_store() {
    let dir = tempfile::tempdir().unwrap();
    conformance::a_watch_ends_with_its_store(Sqlite::open(&Options::new(dir.path(), 7)).unwrap()).await;
    conformance::a_watch_ends_with_its_store(OwnShelf::open(dir.path()).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_watcher_reads_the_shelf_again_and_misses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = OwnShelf::open(dir.path()).unwrap();
    let now = Timestamp(0);
    shelf.put("removed", b"x", Expect::Any, None, now).await.unwrap();
    let mut watch = shelf.watch("", Revision(0)).boxed();
    assert!(matches!(watch.next().await, Some(Watched::Changed(_))));
    assert!(matches!(watch.next().await, Some(Watched::CaughtUp)));
    shelf.delete("removed", Expect::Any).await.unwrap();
    for number in 0..limits::SHELF_CHANGES_MAX + 10 {
        shelf.put(&format!("{}", number % 7), &number.to_be_bytes(), Expect::Any, None, now).await.unwrap();
    }
    let told = watch.take_while(|told| std::future::ready(!matches!(told, Watched::CaughtUp)));
    let told: Vec<_> = told.collect().await;
    let told: Vec<_> = told
        .into_iter()
        .map(|told| match told {
            Watched::Changed(change) => (change.key, change.item),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told[0], ("removed".to_owned(), None));
    let there: Vec<_> = told[1..].iter().map(|(_, item)| item.clone().unwrap()).collect();
    let mut listed = shelf.list("", now).await.unwrap();
    listed.sort_by_key(|item| item.revision);
    assert_eq!(there, listed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shelf_without_a_journal_is_a_shelf_and_locks_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = OwnShelf::open(dir.path()).unwrap();
    conformance::all_of_the_shelf(&shelf, &Names::new(1)).await;
    let now = Timestamp(0);
    shelf.put("kept", b"x", Expect::Any, None, now).await.unwrap();
    // Neither another node nor a server with an embedded journal may use the folder.
    assert!(matches!(OwnShelf::open(dir.path()), Err(Error::InUse { .. })));
    assert!(matches!(Sqlite::open(&Options::new(dir.path(), 7)), Err(Error::InUse { leaving: false, .. })));
    shelf.leaving();
    assert!(matches!(OwnShelf::open(dir.path()), Err(Error::InUse { leaving: true, .. })));
    drop(shelf);
    let shelf = OwnShelf::open(dir.path()).unwrap();
    assert!(shelf.get("kept", now).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_read_while_any_number_of_lookups_take_long() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&Options::new(dir.path(), 7)).unwrap();
    let names = Names::new(1);
    let session = names.session();
    store.append(names.noticed(session, "x"), Guard::Unguarded).await.unwrap();
    let (done, _) = tokio::sync::broadcast::channel::<()>(1);
    let lookups: Vec<_> = (0..50)
        .map(|_| {
            let (index, mut end) = (store.index(), done.subscribe());
            tokio::spawn(async move {
                index
                    .look_up(move |index| {
                        let _ = end.blocking_recv();
                        index.counts()
                    })
                    .await
                    .unwrap()
            })
        })
        .collect();
    assert_eq!(store.read(session, None, None, 10).await.unwrap().len(), 1);
    assert!(lookups.iter().all(|lookup| !lookup.is_finished()));
    done.send(()).unwrap();
    for lookup in lookups {
        assert_eq!(lookup.await.unwrap().sessions, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_goes_from_disk_into_memory_without_gap_or_repeat() {
    let dir = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&Options::new(dir.path(), 7)).unwrap();
    let total = limits::RECENT_ENTRIES_MAX + 1_500;
    let writers = (0..50_u64).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            let names = Names::new(writer + 1);
            let session = names.session();
            for _ in 0..total / 50 + 1 {
                store.append(names.noticed(session, "x"), Guard::Unguarded).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    // One starts late: the writers are done, and the first entries have left memory.
    for writer in writers {
        writer.await.unwrap();
    }
    let mut stream = std::pin::pin!(store.follow(store.start()));
    let mut next = 1;
    while let Some(Ok(Followed::Entry(stored))) = stream.next().await {
        assert_eq!(stored.position, Position(next));
        next += 1;
    }
    assert!(next > total as u64, "it was told everything before it had caught up");
    let names = Names::new(99);
    let position = store.append(names.noticed(names.session(), "now"), Guard::Unguarded).await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(Followed::Entry(stored))) if stored.position == position));
}
