//! The journal on NATS passes the conformance suite on three real servers, also while one of them dies.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cluster;

use std::time::Duration;

use askbridge_core::ask::{Ask, Asker, Body, Context, Plan, Reach};
use askbridge_core::event::{Audience, Event, Lane, Settings, Started};
use askbridge_core::ids::{AskId, EntryId, Epoch, NodeId, PartyId, SessionId, Timestamp};
use askbridge_core::terms::{Facts, Rules, Wishes, terms};
use askbridge_journal::conformance::{self, Names};
use askbridge_journal::index::AskFilter;
use askbridge_journal::{Digest, Entry, Guard, Journal, Written};

use cluster::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_pass_the_suite() {
    let cluster = Cluster::start();
    let node = cluster.node(1).await;
    conformance::all(&node, &Names::new(1)).await;
    a_late_node_builds_its_index(&cluster).await;
    nodes_hear_each_other_on_the_bus(&cluster).await;
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
