//! The journal in memory passes the conformance suite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use askbridge_journal::conformance::{self, Names};
use askbridge_journal::{LocalBus, Memory};

askbridge_journal::conformance_tests!((Memory::new(7).unwrap(), ()));

#[tokio::test]
async fn every_subject_is_heard_on_one_node() {
    let bus = LocalBus::default();
    conformance::every_subject_is_heard(&bus, &bus.clone(), &Names::new(1)).await;
}

#[tokio::test]
async fn the_index_shows_what_was_written() {
    let store = Memory::new(7).unwrap();
    conformance::all_of_the_index(&store, &store.index(), &store.index(), &Names::new(1)).await;
}

#[tokio::test]
async fn a_watch_ends_with_its_store() {
    conformance::a_watch_ends_with_its_store(Memory::new(7).unwrap()).await;
}
