//! A journal is moved from SQLite to real NATS servers and back, also if it is interrupted.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cluster;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::event::Lane;
use askbridge_core::ids::{Position, SessionId, Timestamp};
use askbridge_journal::conformance::{self, Names};
use askbridge_journal::forgetting::Going;
use askbridge_journal::migrate::{MigrateError, Migrated, Moving, Phase, Place, copy_shelf, migrate};
use askbridge_journal::record::read_line;
use askbridge_journal::sqlite::{Options, OwnShelf};
use askbridge_journal::{Digest, Entry, Expect, Followed, Gone, Guard, Journal, Problem, Shelf, Sqlite, verify};
use futures_util::StreamExt;

use cluster::Cluster;

const NOW: Timestamp = Timestamp(50_000);
const SESSIONS: usize = 40;
const ROUNDS: i64 = 12;

/// Writes sessions with both lanes, one after the other, forgets some, and puts items on the shelf.
async fn fill(store: &Sqlite) -> Vec<SessionId> {
    let names = Names::new(1);
    let sessions: Vec<_> = (0..SESSIONS).map(|_| names.session()).collect();
    let mut ends: Vec<(Option<Position>, Digest)> = vec![(None, Digest::ZERO); SESSIONS];
    let mut at = 0;
    for round in 0..ROUNDS {
        for (session, (head, prev)) in sessions.iter().zip(&mut ends) {
            at += 1;
            let said = Entry { at: Timestamp(at), ..Entry::clone(&names.said(*session, round as u32 + 1, *prev)) };
            *prev = said.digest();
            *head = Some(store.append(said.into(), Guard::Head(*head)).await.unwrap());
            at += 1;
            let noticed = Entry { at: Timestamp(at), ..Entry::clone(&names.noticed(*session, "x")) };
            store.append(noticed.into(), Guard::Unguarded).await.unwrap();
        }
    }
    store.forget(&sessions[..3], Timestamp(7), "mira").await.unwrap();
    store.forget(&sessions[3..4], Timestamp(8), "keep.days").await.unwrap();
    // A forgotten session begins again.
    names.talk(store, sessions[0], 2).await;
    for (key, expires_at) in [("tokens/a", None), ("links/b", Some(Timestamp(60_000))), ("old/c", Some(Timestamp(1)))] {
        store.put(key, key.as_bytes(), Expect::Any, expires_at, Timestamp(0)).await.unwrap();
    }
    store.put("node/own", b"mine", Expect::Any, None, Timestamp(0)).await.unwrap();
    sessions
}

fn is_shared(key: &str) -> bool {
    !key.starts_with("node/")
}

/// What each session consists of.
async fn sums<J: Journal>(journal: &J) -> BTreeMap<SessionId, Gone> {
    let mut all: BTreeMap<SessionId, Going> = BTreeMap::new();
    let mut entries = Box::pin(journal.follow(journal.start()));
    loop {
        match entries.next().await.unwrap().unwrap() {
            Followed::Entry(stored) => {
                let session = stored.entry.session;
                all.entry(session).or_insert_with(|| Going::new(session)).add(&stored.entry);
            }
            Followed::CaughtUp => break,
            _ => {}
        }
    }
    all.into_iter().filter_map(|(session, going)| Some((session, going.done()?))).collect()
}

async fn shelved<S: Shelf>(shelf: &S) -> Vec<(String, Vec<u8>, Option<Timestamp>)> {
    let items = shelf.list("", NOW).await.unwrap();
    items.into_iter().map(|item| (item.key, item.value.to_vec(), item.expires_at)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_is_the_same_there_and_back_again() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, back) = (Options::new(first.path(), 7), Options::new(second.path(), 8));
    let store = Sqlite::open(&from).unwrap();
    let sessions = fill(&store).await;
    let (expected, forgettings) = (sums(&store).await, store.forgettings(0, 100).await.unwrap());
    drop(store);

    let cluster = Cluster::alone();
    let nats = cluster.node(1).await;
    // Interrupted in the middle: the process ends between two batches.
    let count = AtomicU64::new(0);
    let mut entries_moved = |moving: Moving| {
        if moving.phase == Phase::Entries {
            count.store(moving.done, Ordering::Relaxed);
        }
    };
    let all = (SESSIONS as u64 - 4) * 2 * ROUNDS as u64 + 2;
    {
        let moving = migrate(Place::Sqlite(&from), Place::Nats(&nats), &is_shared, NOW, &mut entries_moved);
        let mut moving = Box::pin(moving);
        while count.load(Ordering::Relaxed) == 0 {
            let step = tokio::time::timeout(std::time::Duration::from_millis(1), &mut moving).await;
            assert!(step.is_err(), "it takes more than one batch: {step:?}");
        }
    }
    assert!(count.load(Ordering::Relaxed) < all);

    let mut phases = Vec::new();
    let mut tell = |moving: Moving| {
        if phases.last() != Some(&moving.phase) {
            phases.push(moving.phase);
        }
        assert!(moving.phase != Phase::Entries || moving.done <= moving.of);
    };
    let moved = migrate(Place::Sqlite(&from), Place::Nats(&nats), &is_shared, NOW, &mut tell).await.unwrap();
    assert!(moved.resumed > 0 && moved.resumed < all, "{moved:?}");
    let whole = Migrated { sessions: SESSIONS as u64 - 3, entries: all, resumed: 0, forgotten: 4, items: 2 };
    assert_eq!(Migrated { resumed: 0, ..moved }, whole);
    assert_eq!(phases, [Phase::Resuming, Phase::Entries, Phase::Shelf, Phase::Verifying]);
    assert_eq!(sums(&nats).await, expected);
    // Once more changes nothing.
    let again = migrate(Place::Sqlite(&from), Place::Nats(&nats), &is_shared, NOW, &mut |_| {}).await.unwrap();
    assert_eq!(again, Migrated { resumed: all, ..whole });

    let returned = migrate(Place::Nats(&nats), Place::Sqlite(&back), &is_shared, NOW, &mut |_| {}).await.unwrap();
    assert_eq!(returned, whole);
    let store = Sqlite::open(&back).unwrap();
    assert_eq!(sums(&store).await, expected);
    let flat = |all: &[askbridge_journal::Forgetting]| {
        let mut all: Vec<_> =
            all.iter().flat_map(|one| one.gone.iter().map(|gone| (one.at, one.by.clone(), gone.session))).collect();
        all.sort();
        all
    };
    assert_eq!(flat(&store.forgettings(0, 100).await.unwrap()), flat(&forgettings));
    let links = ("links/b".to_owned(), b"links/b".to_vec(), Some(Timestamp(60_000)));
    assert_eq!(shelved(&store).await, [links, ("tokens/a".to_owned(), b"tokens/a".to_vec(), None)]);
    // The sessions go on where they were.
    let session = sessions[10];
    let last = store.read(session, Some(Lane::Decisions), None, 100).await.unwrap().pop().unwrap();
    let next = Names::new(2).said(session, 100, last.entry.digest());
    store.append(next, Guard::Head(Some(last.position))).await.unwrap();
    drop(store);
    let report = verify(second.path()).unwrap();
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.entries, report.forgotten.sessions), (all + 1, 4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_on_nats_is_verified_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let from = Options::new(folder.path(), 7);
    fill(&Sqlite::open(&from).unwrap()).await;
    let cluster = Cluster::alone();
    let nats = cluster.node(1).await;
    migrate(Place::Sqlite(&from), Place::Nats(&nats), &is_shared, NOW, &mut |_| {}).await.unwrap();
    let (index, scratch) = (folder.path().join("index-copy.db"), folder.path().join("scratch.db"));
    let names = Names::new(3);
    conformance::a_node_reads_its_own_writes(&nats, &nats.index(Some(&index)).await.unwrap(), &names).await;
    let report = nats.verify(Some(&index), &scratch, &mut |_, _| {}).await.unwrap();
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.open_asks, report.forgotten.sessions), (20, 4));
    assert!(!scratch.exists());

    let mut lines = Vec::new();
    assert_eq!(nats.export(&mut lines, &mut |_, _| {}).await.unwrap(), report.entries);
    let lines = String::from_utf8(lines).unwrap();
    let entries = lines.lines().map(|line| read_line(line).unwrap());
    let mut exported: BTreeMap<SessionId, Going> = BTreeMap::new();
    entries.for_each(|entry| {
        let session = entry.session;
        exported.entry(session).or_insert_with(|| Going::new(session)).add(&entry);
    });
    let exported: BTreeMap<_, _> =
        exported.into_iter().map(|(session, going)| (session, going.done().unwrap())).collect();
    assert_eq!(exported, sums(&nats).await);

    // What was changed is found: an entry that does not follow, a record of a forgetting that does not, a wrong index.
    let session = names.session();
    let broken = Entry { prev: Digest([1; 32]), ..Entry::clone(&names.said(session, 1, Digest::ZERO)) };
    let position = nats.append(broken.into(), Guard::Head(None)).await.unwrap();
    let report = nats.verify(None, &scratch, &mut |_, _| {}).await.unwrap();
    assert_eq!(report.problems, [Problem::Chain { session, position }]);
    let other = folder.path().join("other.db");
    std::fs::write(&other, "not an index").unwrap();
    let report = nats.verify(Some(&other), &scratch, &mut |_, _| {}).await.unwrap();
    assert!(matches!(report.problems[..], [Problem::Chain { .. }, Problem::IndexFile(_)]), "{report:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asks_stay_in_their_order() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, back) = (Options::new(first.path(), 7), Options::new(second.path(), 8));
    let store = Sqlite::open(&from).unwrap();
    fill(&store).await;
    drop(store);
    let cluster = Cluster::alone();
    let nats = cluster.node(1).await;
    migrate(Place::Sqlite(&from), Place::Nats(&nats), &is_shared, NOW, &mut |_| {}).await.unwrap();
    migrate(Place::Nats(&nats), Place::Sqlite(&back), &is_shared, NOW, &mut |_| {}).await.unwrap();
    let order = |store: Sqlite| async move {
        let mut ids = Vec::new();
        let mut entries = Box::pin(store.follow(Journal::start(&store)));
        while let Some(Ok(Followed::Entry(stored))) = entries.next().await {
            ids.push(stored.entry.id);
        }
        ids
    };
    let (before, after) = (order(Sqlite::open(&from).unwrap()).await, order(Sqlite::open(&back).unwrap()).await);
    let at: BTreeMap<_, _> = after.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    for (was, id) in before.iter().enumerate() {
        // A batch in each direction.
        assert!(at[id].abs_diff(was) <= 2 * 256, "entry {was} is now entry {}", at[id]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_journals_are_not_mixed() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, other) = (Options::new(first.path(), 7), Options::new(second.path(), 8));
    fill(&Sqlite::open(&from).unwrap()).await;
    let names = Names::new(99);
    let to = Sqlite::open(&other).unwrap();
    names.talk(&to, names.session(), 3).await;
    drop(to);
    let cluster = Cluster::alone();
    let nats = cluster.node(1).await;
    migrate(Place::Sqlite(&other), Place::Nats(&nats), &is_shared, NOW, &mut |_| {}).await.unwrap();
    let mixed = migrate(Place::Sqlite(&from), Place::Nats(&nats), &is_shared, NOW, &mut |_| {}).await;
    assert!(matches!(mixed, Err(MigrateError::OtherForgettings | MigrateError::Different { .. })), "{mixed:?}");
    // A copy in which a session was changed is not taken for the beginning of the source.
    names.talk(&nats, names.session(), 1).await;
    let changed = migrate(Place::Sqlite(&other), Place::Nats(&nats), &is_shared, NOW, &mut |_| {}).await;
    assert!(matches!(changed, Err(MigrateError::Different { .. })), "{changed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_nodes_own_items_move_to_its_own_shelf() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Sqlite::open(&Options::new(first.path(), 7)).unwrap();
    fill(&store).await;
    let own = OwnShelf::open(second.path()).unwrap();
    let copied = copy_shelf(&store, &own, NOW, &|key| !is_shared(key)).await.unwrap();
    assert_eq!((copied, shelved(&own).await), (1, vec![("node/own".to_owned(), b"mine".to_vec(), None)]));
}
