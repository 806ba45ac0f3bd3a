//! A decision whose append gets no reply: what is open in other sessions is shown all the same.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::Store;
use askbridge_core::event::Event;
use askbridge_core::ids::Position;
use askbridge_journal::journal::{AppendError, Guard};
use askbridge_journal::memory::{Meddle, StoreIt};
use askbridge_journal::{Entry, Memory};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::kit::House;

/// Stores the first vote, and never replies to the second.
#[derive(Debug, Default)]
struct SilentAtTheSecondVote {
    votes: AtomicUsize,
    silent: Notify,
}

impl Meddle for SilentAtTheSecondVote {
    fn append(&self, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> Option<Result<Position, AppendError>> {
        let is_vote = entry.events.iter().any(|written| matches!(*written.event, Event::Voted { .. }));
        if is_vote && self.votes.fetch_add(1, Ordering::Relaxed) == 1 {
            self.silent.notify_one();
            return None;
        }
        Some(store(entry, guard))
    }

    fn shares(&self) -> bool {
        false
    }
}

/// Two open asks in two sessions: to the first, one vote is stored and one is not.
struct Stalled {
    voted: String,
    /// Asked later, and in another session.
    other: String,
    /// The first ask's votes, as people are shown them.
    votes: Value,
}

/// Runs `look` with a third person's token while a vote waits for the journal.
async fn while_a_vote_waits(look: impl AsyncFnOnce(&House, &Stalled, &str)) {
    let journal = Arc::new(SilentAtTheSecondVote::default());
    let store = Store::from(Memory::meddled(7, journal.clone()).expect("memory can be had"));
    let house = House::open_speaking(store, Clock::System, 7, "gobby").await;
    let agent = house.agent("ci").await;
    let (ada, bob, cleo) = (house.person("ada").await, house.person("bob").await, house.person("cleo").await);
    let ask = async |body: Value| {
        let (_, asked) = house.post("/v1/asks", &agent, &body).await;
        asked["id"].as_str().expect("an ask has an id").to_owned()
    };
    let voted = ask(json!({"question": "Ship it?", "quorum": 2})).await;
    let other = ask(json!({"question": "Which way?"})).await;
    let path = format!("/v1/asks/{voted}/answer");
    let vote = async |token: &str, said: &str| house.post(&path, token, &json!({"answers": {"Ship it?": said}})).await;
    assert_eq!(vote(&ada, "yes").await.0, 200);
    let mut waits = pin!(vote(&bob, "no"));
    tokio::select! {
        said = &mut waits => panic!("the journal is silent: {said:?}"),
        () = journal.silent.notified() => {}
    }
    let votes = json!({"needed": 2, "answered": [{"person": "ada", "device": "test", "via": "http"}], "agree": 1});
    look(&house, &Stalled { voted, other, votes }, &cleo).await;
}

#[tokio::test]
async fn a_snapshot_does_not_wait_for_a_decision_that_is_being_stored() {
    while_a_vote_waits(async |house, stalled, token| {
        let mut socket = house.socket("/v1/ws", None).await.unwrap();
        socket.say(&json!({"type": "hello", "token": token}).to_string()).await;
        let shot = socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
        let ids: Vec<_> = shot["asks"].as_array().unwrap().iter().map(|ask| &ask["id"]).collect();
        assert_eq!(ids, [&stalled.voted, &stalled.other]);
        assert_eq!(shot["asks"][0]["quorum"], stalled.votes);
    })
    .await;
}

#[tokio::test]
async fn gobbys_page_is_shown_its_question_while_another_session_waits_for_the_journal() {
    while_a_vote_waits(async |house, stalled, token| {
        let mut page = house.gobby(token, &stalled.other).await;
        page.hear("the question", |frame| frame["tool_call_id"] == stalled.other.as_str()).await;
    })
    .await;
}

#[tokio::test]
async fn a_list_does_not_wait_for_a_decision_that_is_being_stored() {
    while_a_vote_waits(async |house, stalled, token| {
        let (status, page) = house.get("/v1/asks", token).await;
        let ids: Vec<_> = page["items"].as_array().unwrap().iter().map(|ask| &ask["id"]).collect();
        assert_eq!((status, ids), (200, vec![&json!(stalled.other), &json!(stalled.voted)]));
        assert_eq!(page["items"][1]["quorum"], stalled.votes);
    })
    .await;
}
