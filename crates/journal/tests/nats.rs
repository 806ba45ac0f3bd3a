//! The journal on NATS passes the conformance suite on three real servers, also while one of them dies.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cluster;

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::ask::{Ask, Asker, Body, Context, Plan, Reach};
use askbridge_core::event::{Audience, Event, Lane, Settings, Started};
use askbridge_core::ids::{AskId, EntryId, Epoch, NodeId, PartyId, Position, SessionId, Timestamp};
use askbridge_core::terms::{Facts, Rules, Wishes, terms};
use askbridge_journal::conformance::{self, Names};
use askbridge_journal::index::AskFilter;
use askbridge_journal::nats::Options;
use askbridge_journal::record::write_line;
use askbridge_journal::{
    Digest, Entry, Expect, Guard, Health, Journal, Nats, NotCaughtUp, Revision, Shelf, WatchShelf, Watched, Written,
};
use futures_util::StreamExt;

use cluster::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_pass_the_suite() {
    let cluster = Cluster::start();
    let node = cluster.node(1).await;
    conformance::all(&node, &Names::new(1)).await;
    a_late_node_builds_its_index(&cluster).await;
    nodes_hear_each_other_on_the_bus(&cluster).await;
    every_node_reads_what_one_wrote(&cluster).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_holds_while_a_server_dies() {
    let mut cluster = Cluster::start();
    let node = cluster.node(1).await;
    let suite = tokio::spawn(async move {
        for round in 1..=3 {
            conformance::all(&node, &Names::new(round)).await;
        }
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    cluster.kill(0);
    suite.await.unwrap();
}

async fn a_late_node_builds_its_index(cluster: &Cluster) {
    let (first, second) = (cluster.node(2).await, cluster.node(3).await);
    let session = SessionId(0xa5c);
    let id = AskId { session, number: 1 };
    let none = Wishes::default();
    let facts = Facts {
        at: Timestamp(1),
        door: "http",
        agent: "ci",
        folder: None,
        headline: "",
        header: None,
        wishes: [&none; 4],
    };
    let ask = Ask {
        id,
        at: Timestamp(1),
        body: Body::Plan(Plan { text: "Move the house\nstone by stone".into() }),
        terms: terms(&Rules::default(), &facts),
        reach: Reach::Pull,
        asker: Asker { door: "http".into(), agent: "ci".into(), party: PartyId::from("ci"), machine: None },
        call: None,
        context: Context::default(),
        key: None,
        stated: None,
        original: None,
        instead_of: None,
    };
    let started = Started {
        at: Timestamp(1),
        door: "http".into(),
        agent: "ci".into(),
        owner: PartyId::from("ci"),
        audience: Audience::Everyone,
        settings: Settings::default(),
        continues: None,
        host: None,
    };
    let entry = Entry {
        id: EntryId(0xa5c),
        session,
        lane: Lane::Decisions,
        at: Timestamp(1),
        node: NodeId(1),
        epoch: Epoch(0),
        prev: Digest::ZERO,
        events: vec![Written::new(Event::Started(Box::new(started))), Written::new(Event::Asked(ask.into()))],
    };
    let position = first.append(entry.into(), Guard::Head(None)).await.unwrap();
    let index = second.index(None).await.unwrap();
    let (asks, cursor) = index.rows_and_cursor(&AskFilter::default(), 10).unwrap();
    assert!(cursor.covers(session, position));
    assert_eq!(asks.len(), 1);
    assert_eq!((asks[0].id, asks[0].headline.as_str()), (id, "Move the house"));
    assert_eq!(index.asked_position(&asks[0]), position);
    assert_eq!(index.session(session).unwrap().unwrap().open_asks, 1);
}

async fn nodes_hear_each_other_on_the_bus(cluster: &Cluster) {
    let (first, second) = (cluster.node(4).await.bus(), cluster.node(5).await.bus());
    conformance::every_subject_is_heard(&first, &second, &Names::new(4)).await;
}

async fn every_node_reads_what_one_wrote(cluster: &Cluster) {
    let (first, second) = (cluster.node(6).await, cluster.node(7).await);
    // One index is in a file, one in memory.
    let folder = tempfile::tempdir().unwrap();
    let here = first.index(Some(&folder.path().join("index-copy.db"))).await.unwrap();
    let there = second.index(None).await.unwrap();
    conformance::all_of_the_index(&first, &here, &there, &Names::new(6)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_reads_what_one_wrote_while_the_leader_dies() {
    let mut cluster = Cluster::start();
    let (first, second) = (cluster.node(1).await, cluster.node(2).await);
    let (here, there) = (first.index(None).await.unwrap(), second.index(None).await.unwrap());
    let leader = leader_of(&cluster, "ab-0").await;
    let names = Names::new(1);
    for round in 0..3 {
        if round == 1 {
            cluster.kill(leader);
        }
        conformance::a_node_reads_its_own_writes(&first, &here, &names).await;
        conformance::a_node_reads_what_a_client_saw_elsewhere(&first, &there, &names).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watcher_misses_nothing_while_the_leader_of_the_shelf_dies() {
    let mut cluster = Cluster::start();
    let (first, second) = (cluster.node(1).await, cluster.node(2).await);
    let now = Timestamp(0);
    let mut watch = second.watch("tokens/", Revision(0)).boxed();
    while !matches!(watch.next().await.unwrap(), Watched::CaughtUp) {}
    let leader = leader_of(&cluster, "KV_ab-shelf").await;
    // What is acknowledged while the leader dies, and what is removed.
    let writer = tokio::spawn(async move {
        let mut last = BTreeMap::new();
        for number in 0..60 {
            let key = format!("tokens/{}", number % 9);
            if number % 5 == 4 {
                first.delete(&key, Expect::Any).await.unwrap();
                last.remove(&key);
            } else {
                first.put(&key, format!("{number}").as_bytes(), Expect::Any, None, now).await.unwrap();
                last.insert(key, format!("{number}").into_bytes());
            }
            tokio::task::yield_now().await;
        }
        first.put("tokens/end", b"end", Expect::Any, None, now).await.unwrap();
        last.insert("tokens/end".to_owned(), b"end".to_vec());
        last
    });
    let mut there = BTreeMap::new();
    let mut killed = false;
    while !there.contains_key("tokens/end") {
        let Watched::Changed(change) = watch.next().await.unwrap() else { continue };
        match change.item {
            Some(item) => drop(there.insert(change.key, item.value.to_vec())),
            None => drop(there.remove(&change.key)),
        }
        if !killed {
            cluster.kill(leader);
            killed = true;
        }
    }
    assert_eq!(there, writer.await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_is_left_and_nothing_is_lost() {
    let cluster = Cluster::start();
    drop(cluster.node(1).await);
    let leader = leader_of(&cluster, "ab-0").await;
    // This node is connected to the server that will hang.
    let options = Options { url: cluster.url_of(leader), ..cluster.options(2) };
    let node = Nats::connect(&options).await.unwrap();
    let other = cluster.node(3).await;
    let (here, there) = (node.index(None).await.unwrap(), other.index(None).await.unwrap());
    assert_eq!(cluster.named(&node.contact().server), leader);
    let names = Names::new(1);
    conformance::a_node_reads_its_own_writes(&node, &here, &names).await;
    cluster.pause(leader);
    conformance::a_node_reads_its_own_writes(&node, &here, &names).await;
    conformance::a_node_reads_what_a_client_saw_elsewhere(&node, &there, &names).await;
    assert_ne!(cluster.named(&node.contact().server), leader);
    cluster.resume(leader);
    conformance::a_node_reads_its_own_writes(&node, &here, &names).await;
    conformance::a_follower_from_the_start_hears_everything_once(&node, &names).await;
    until(|| (node.health(), node.contact()), |(health, contact)| health.is_good() && contact.copies_behind == 0).await;
    here.caught_up_to(&node.now()).await.unwrap();
    there.caught_up_to(&node.now()).await.unwrap();
    assert_eq!(here.counts().unwrap(), there.counts().unwrap());
}

/// The number of the server that leads a stream.
async fn leader_of(cluster: &Cluster, stream: &str) -> usize {
    let stream = cluster.stranger().await.get_stream(stream).await.unwrap();
    let info = stream.cached_info().cluster.clone().unwrap();
    cluster.named(&info.leader.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_of_a_newer_release_stops_the_index_and_says_who_wrote_it() {
    let cluster = Cluster::alone();
    let node = cluster.node(1).await;
    let index = node.index(None).await.unwrap();
    let names = Names::new(1);
    conformance::a_node_reads_its_own_writes(&node, &index, &names).await;
    assert!(matches!(node.health(), Health::Following), "{:?}", node.health());
    let session = names.session();
    let entry = names.said(session, 1, Digest::ZERO);
    let position = node.append(entry.clone(), Guard::Head(None)).await.unwrap();
    index.caught_up_with_own_writes().await.unwrap();
    // The same record as a later release would write it.
    let line = write_line(&Entry { id: EntryId(5), ..Entry::clone(&entry) }, None).replacen("\"v\":1", "\"v\":2", 1);
    let context = cluster.stranger().await;
    let stream = stream_with(&context, session).await;
    context.publish(format!("ab.{stream}.{session}.c"), line.into()).await.unwrap().await.unwrap();
    let mut cursor = node.start();
    cursor.advance_to(session, Position(position.0 + 1));
    let waited = index.caught_up_to(&cursor).await;
    let Err(NotCaughtUp::Unreadable(at)) = waited else { panic!("{waited:?}") };
    assert_eq!((at.position, at.session), (Position(position.0 + 1), Some(session)));
    assert_eq!((at.node, at.format), (Some(NodeId(u64::MAX)), Some(2)));
    assert!(matches!(node.health(), Health::Unreadable(_)), "{:?}", node.health());
    // What is written from now on would be missing, so nothing is shown.
    node.append(names.noticed(session, "x"), Guard::Unguarded).await.unwrap();
    assert!(matches!(index.caught_up_with_own_writes().await, Err(NotCaughtUp::Unreadable(_))));
    // A node that starts now does not begin to serve.
    let late = cluster.node(2).await;
    assert!(late.index(None).await.is_err());
    assert!(matches!(late.health(), Health::Unreadable(_)));
}

/// Which stream has messages of a session?
async fn stream_with(context: &async_nats::jetstream::Context, session: SessionId) -> usize {
    for number in 0.. {
        let stream = context.get_stream(format!("ab-{number}")).await.unwrap();
        if stream.get_last_raw_message_by_subject(&format!("ab.{number}.{session}.d")).await.is_ok() {
            return number;
        }
    }
    unreachable!("the session is somewhere")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_says_when_the_servers_are_gone_and_when_they_are_back() {
    let mut cluster = Cluster::alone();
    let node = cluster.node(1).await;
    let index = node.index(None).await.unwrap();
    let names = Names::new(1);
    conformance::a_node_reads_its_own_writes(&node, &index, &names).await;
    let time = node.server_time().await.unwrap();
    assert!(time.at > Timestamp(1_700_000_000_000), "{time:?}");
    assert_eq!((node.contact().reconnects, node.contact().server.as_str()), (0, "n0"));
    let ahead = {
        let mut cursor = node.now();
        let session = names.session();
        cursor.advance_to(session, Position(1_000_000));
        cursor
    };
    assert!(matches!(index.caught_up_to(&ahead).await, Err(NotCaughtUp::Foreign)), "no entry will be that late");
    cluster.kill(0);
    assert!(matches!(index.caught_up_to(&ahead).await, Err(NotCaughtUp::Behind { .. })), "no server says so");
    until(|| node.health(), |health| matches!(health, Health::Unreachable { .. })).await;
    assert!(!node.contact().is_connected);
    cluster.revive(0);
    until(|| (node.health(), node.contact()), |(health, _)| health.is_good()).await;
    conformance::a_node_reads_its_own_writes(&node, &index, &names).await;
    assert!(node.contact().is_connected && node.contact().reconnects > 0);
}

/// Waits until something is as expected.
async fn until<T: std::fmt::Debug>(mut look: impl FnMut() -> T, is: impl Fn(&T) -> bool) {
    let end = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        let found = look();
        if is(&found) {
            return;
        }
        assert!(tokio::time::Instant::now() < end, "it stays like this: {found:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
