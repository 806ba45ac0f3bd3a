//! Conformance of watching a shelf.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::time::timeout;

use super::names::Names;
use crate::shelf::{Expect, Revision, Shelf, ShelfChange, ShelfError, WatchShelf, Watched};

const NOW: Timestamp = Timestamp(1_000);
/// Timeout of an expected change. Long, because servers may die meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

async fn next(watch: &mut BoxStream<'static, Watched>) -> Watched {
    timeout(PATIENCE, watch.next()).await.expect("something has to come").expect("the store is open")
}

/// Returns the next change.
async fn change(watch: &mut BoxStream<'static, Watched>) -> ShelfChange {
    loop {
        if let Watched::Changed(change) = next(watch).await {
            return change;
        }
    }
}

/// Returns what is told until the watch has caught up: for each key its value, `None` if it was removed.
async fn until_caught_up(watch: &mut BoxStream<'static, Watched>) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut told = BTreeMap::new();
    loop {
        match next(watch).await {
            Watched::Changed(change) => drop(told.insert(change.key, change.item.map(|item| item.value.to_vec()))),
            Watched::CaughtUp => return told,
            Watched::Interrupted(_) => {}
        }
    }
}

fn watch<S: WatchShelf>(shelf: &S, prefix: &str, after: Revision) -> BoxStream<'static, Watched> {
    let watch: BoxStream<'static, Watched> = shelf.watch(prefix, after).boxed();
    watch
}

async fn put<S: Shelf>(shelf: &S, key: &str, value: &str) -> Revision {
    retried(|| shelf.put(key, value.as_bytes(), Expect::Any, None, NOW)).await
}

/// Repeats a change that does no harm when it is made twice: servers may die meanwhile.
async fn retried<T, F: Future<Output = Result<T, ShelfError>>>(mut change: impl FnMut() -> F) -> T {
    for _ in 0..5 {
        match change().await {
            Err(ShelfError::Down(_)) => {}
            result => return result.expect("the shelf can be written"),
        }
    }
    panic!("the shelf stays down");
}

pub async fn a_watcher_is_told_what_is_there_and_every_change<S: WatchShelf>(shelf: &S, names: &Names) {
    let root = names.key("tokens");
    let key = |name: &str| format!("{root}/{name}");
    put(shelf, &key("a"), "1").await;
    put(shelf, &key("b/c"), "2").await;
    put(shelf, &format!("{root}x"), "not one of them").await;
    put(shelf, &key("gone"), "3").await;
    let gone = key("gone");
    retried(|| shelf.delete(&gone, Expect::Any)).await;
    let mut watched = watch(shelf, &key(""), Revision(0));
    let mut there = until_caught_up(&mut watched).await;
    // A removal from before the watch may be told; it changes nothing.
    there.retain(|_, value| value.is_some());
    let expected = [(key("a"), Some(b"1".to_vec())), (key("b/c"), Some(b"2".to_vec()))];
    assert_eq!(there, BTreeMap::from(expected));

    let changed = put(shelf, &key("a"), "4").await;
    let told = change(&mut watched).await;
    let item = told.item.expect("it is there");
    assert_eq!((told.key, told.revision, &*item.value), (key("a"), changed, &b"4"[..]));
    assert_eq!((item.revision, item.key, item.expires_at), (changed, key("a"), None));
    put(shelf, &format!("{root}x"), "still not").await;
    let taken = key("b/c");
    retried(|| shelf.take(&taken, NOW)).await;
    let told = change(&mut watched).await;
    assert!(told.revision > changed && told.item.is_none() && told.key == key("b/c"), "{told:?}");
    let until = Some(Timestamp(2_000));
    shelf.put(&key("link"), b"5", Expect::Absent, until, NOW).await.expect("nothing is there");
    let told = change(&mut watched).await;
    assert_eq!((told.key, told.item.map(|item| item.expires_at)), (key("link"), Some(until)));
    retried(|| shelf.sweep(Timestamp(2_000))).await;
    let told = change(&mut watched).await;
    assert_eq!((told.key, told.item), (key("link"), None));
}

pub async fn a_watcher_from_a_revision_is_told_only_what_it_missed<S: WatchShelf>(shelf: &S, names: &Names) {
    let root = names.key("drafts");
    let key = |name: &str| format!("{root}/{name}");
    put(shelf, &key("old"), "1").await;
    put(shelf, &key("gone"), "2").await;
    let seen = put(shelf, &key("changed"), "3").await;
    put(shelf, &key("changed"), "4").await;
    put(shelf, &key("new"), "5").await;
    let gone = key("gone");
    retried(|| shelf.delete(&gone, Expect::Any)).await;
    let told = until_caught_up(&mut watch(shelf, &key(""), seen)).await;
    let expected = [(key("changed"), Some(b"4".to_vec())), (key("gone"), None), (key("new"), Some(b"5".to_vec()))];
    assert_eq!(told, BTreeMap::from(expected));
    let nothing = until_caught_up(&mut watch(shelf, &names.key("empty"), Revision(0))).await;
    assert_eq!(nothing, BTreeMap::new());
}

/// Many writers change few keys; what the watcher was told last of each is what is there.
pub async fn a_watcher_ends_with_what_is_there<S: WatchShelf>(shelf: &S, names: &Names) {
    const EACH: usize = 40;
    let root: Arc<str> = format!("{}/", names.key("seats")).into();
    let mut watched = watch(shelf, &root, Revision(0));
    until_caught_up(&mut watched).await;
    let writers = (0..4).map(|writer| {
        let (shelf, root) = (shelf.clone(), Arc::clone(&root));
        tokio::spawn(async move {
            for number in 0..EACH {
                let key = format!("{root}{}", (writer + number) % 3);
                if number % 4 == 3 {
                    retried(|| shelf.delete(&key, Expect::Any)).await;
                } else {
                    put(&shelf, &key, &format!("{writer} {number}")).await;
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for writer in writers {
        writer.await.expect("no writer panics");
    }
    // The last of all, so that the watcher knows when it has been told everything.
    let last = format!("{root}last");
    put(shelf, &last, "end").await;
    let mut there: BTreeMap<String, (Revision, Arc<[u8]>)> = BTreeMap::new();
    let mut newest: BTreeMap<String, Revision> = BTreeMap::new();
    while !there.contains_key(&last) {
        let ShelfChange { key, revision, item } = change(&mut watched).await;
        let before = newest.insert(key.clone(), revision);
        assert!(before.is_none_or(|before| before <= revision), "{key} goes back from {before:?} to {revision:?}");
        match item {
            Some(item) => drop(there.insert(key, (revision, item.value))),
            None => drop(there.remove(&key)),
        }
    }
    let listed = shelf.list(&root, NOW).await.expect("the shelf can be read");
    let listed: BTreeMap<_, _> = listed.into_iter().map(|item| (item.key, (item.revision, item.value))).collect();
    assert_eq!(there, listed);
}

/// Ends when the store is dropped: for stores on one machine.
pub async fn a_watch_ends_with_its_store<S: WatchShelf>(shelf: S) {
    let mut watched = watch(&shelf, "", Revision(0));
    until_caught_up(&mut watched).await;
    drop(shelf);
    let rest: Vec<_> = timeout(PATIENCE, watched.collect()).await.expect("it ends");
    assert_eq!(rest.len(), 0, "{rest:?}");
}
