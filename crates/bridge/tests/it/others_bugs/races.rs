//! Bugs with races: two at once, one after the end, and a process that dies in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::runtime::Store;
use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, Position, Timestamp};
use askbridge_journal::journal::{AppendError, Guard};
use askbridge_journal::memory::{Meddle, StoreIt};
use askbridge_journal::{Entry, Memory, sqlite};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{answer, ask, question};
use crate::kit::House;

#[tokio::test]
async fn bug_7_parallel_questions_of_one_session_stay_apart() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({})).await;
    let mut one = question();
    one["session"] = session["id"].clone();
    let (first, second) = (ask(&house, &agent, &one).await, ask(&house, &agent, &one).await);
    assert_eq!(answer(&house, &ada, &second, json!({"Which way?": "South"})).await.0, 200);
    assert_eq!(house.get(&format!("/v1/asks/{first}"), &agent).await.1["state"], "open");
    assert_eq!(answer(&house, &ada, &first, json!({"Which way?": "North"})).await.0, 200);
    let (_, view) = house.get(&format!("/v1/asks/{second}"), &agent).await;
    assert_eq!(view["answers"], json!({"Which way?": "South"}));
    house.close().await;
}

#[tokio::test]
async fn bug_8_twin_requests_are_not_answered_for_each_other() {
    let house = House::open().await;
    let (agent, other, ada) = (house.agent("ci").await, house.agent("cd").await, house.person("ada").await);
    let approval = json!({"approval": {"tool": "Bash", "input": {"command": "make"}}});
    let twins = [ask(&house, &agent, &approval).await, ask(&house, &agent, &approval).await];
    let theirs = ask(&house, &other, &approval).await;
    let path = format!("/v1/asks/{}/answer", twins[0]);
    assert_eq!(house.post(&path, &ada, &json!({"decision": "allow"})).await.0, 200);
    assert_eq!(house.get(&format!("/v1/asks/{}", twins[1]), &agent).await.1["state"], "open");
    assert_eq!(house.get(&format!("/v1/asks/{theirs}"), &other).await.1["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn bug_9_what_the_agent_took_back_leaves_every_screen_and_refuses_answers() {
    let house = House::speaking("gobby").await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut native = house.native(&ada).await;
    let id = ask(&house, &agent, &question()).await;
    let mut gobby = house.gobby(&ada, &id).await;
    let is_card = |frame: &Value| frame["type"] == "tool_status" && frame["tool_call_id"] == id.as_str();
    gobby.hear("the ask", is_card).await;
    house.post(&format!("/v1/asks/{id}/withdraw"), &agent, &json!({"why": "found out"})).await;
    native.hear("the end", |frame| frame["event"]["type"] == "withdrawn").await;
    gobby.hear("the end", |frame| is_card(frame) && frame["status"] != "calling").await;
    let (status, gone) = answer(&house, &ada, &id, json!({"Which way?": "North"})).await;
    assert_eq!((status, &gone["code"]), (410, &json!("gone")));
    house.close().await;
}

#[tokio::test]
async fn bug_11_two_devices_in_the_same_moment_have_one_winner() {
    let house = House::open().await;
    let (agent, ada, bob) = (house.agent("ci").await, house.person("ada").await, house.person("bob").await);
    for _ in 0..20 {
        let id = ask(&house, &agent, &question()).await;
        let (one, other) = tokio::join!(
            answer(&house, &ada, &id, json!({"Which way?": "North"})),
            answer(&house, &bob, &id, json!({"Which way?": "South"})),
        );
        let (winner, loser, name) = if one.0 == 200 { (one, other, "ada") } else { (other, one, "bob") };
        assert_eq!((winner.0, loser.0), (200, 409));
        assert_eq!(loser.1["winner"]["by"]["person"], name);
    }
    house.close().await;
}

/// Stores the first answer and never reports it: the process dies at that point.
#[derive(Debug, Default)]
struct DiesAfterSettling {
    dead: AtomicBool,
    died: Notify,
}

impl Meddle for DiesAfterSettling {
    fn append(&self, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> Option<Result<Position, AppendError>> {
        let stored = store(entry, guard);
        let settles = entry.events.iter().any(|written| matches!(*written.event, Event::Settled(_)));
        if settles && !self.dead.swap(true, Ordering::Relaxed) {
            self.died.notify_one();
            return None;
        }
        Some(stored)
    }

    fn shares(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn bug_12_a_kill_between_decision_and_acknowledgement_loses_nothing() {
    let killer = Arc::new(DiesAfterSettling::default());
    let memory = Memory::meddled(7, killer.clone()).unwrap();
    let store = Store::from(memory);
    let house = House::open_on(store.clone(), Clock::System, 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    tokio::select! {
        said = answer(&house, &ada, &id, json!({"Which way?": "North"})) => panic!("nobody answers any more: {said:?}"),
        () = killer.died.notified() => {}
    }
    // The next run of the bridge, on the same journal. The first one writes nothing more.
    let next = House::open_on(store, Clock::System, 2).await;
    let (_, view) = next.get(&format!("/v1/asks/{id}?wait=5"), &agent).await;
    assert_eq!((&view["state"], &view["answers"]), (&json!("answered"), &json!({"Which way?": "North"})));
    assert_eq!(answer(&next, &ada, &id, json!({"Which way?": "North"})).await.0, 200, "asking again is no conflict");
    next.close().await;
}

#[tokio::test]
async fn bug_13_a_restart_offers_what_is_open_under_the_same_id() {
    let folder = tempfile::tempdir().unwrap();
    let options = sqlite::Options::new(folder.path(), 1);
    let house = House::open_file(&options, Clock::System, 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    house.close().await;
    let house = House::open_file(&options, Clock::System, 2).await;
    let mut socket = house.socket("/v1/ws", None).await.expect("anybody may knock");
    socket.say(&json!({"type": "hello", "token": ada}).to_string()).await;
    let shot = socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
    assert_eq!(shot["asks"].as_array().unwrap().len(), 1);
    assert_eq!(shot["asks"][0]["id"], id.as_str());
    house.close().await;
}

#[tokio::test]
async fn bug_20_a_withdrawal_and_the_timer_have_one_winner() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 1), Clock::Manual(clock.clone()), 1).await;
    let agent = house.agent("ci").await;
    let mut dated = question();
    dated["timeout_seconds"] = json!(10);
    for round in 0..20 {
        let id = ask(&house, &agent, &dated).await;
        let path = format!("/v1/asks/{id}/withdraw");
        let expire = async { clock.advance(Duration::from_secs(10)) };
        let why = json!({});
        // In turn, the one or the other goes first.
        if round % 2 == 0 {
            tokio::join!(house.post(&path, &agent, &why), expire);
        } else {
            tokio::join!(expire, house.post(&path, &agent, &why));
        }
        let (_, view) = house.get(&format!("/v1/asks/{id}?wait=10"), &agent).await;
        assert!(matches!(view["state"].as_str(), Some("withdrawn" | "expired")), "{view}");
        let session = id.parse::<AskId>().unwrap().session;
        let (_, log) = house.get(&format!("/v1/sessions/{session}/events"), &agent).await;
        let entries = log["items"].as_array().unwrap().iter();
        let ends = |event: &&Value| event["type"] == "settled" || event["type"] == "withdrawn";
        let endings = entries.flat_map(|entry| entry["events"].as_array().unwrap()).filter(ends);
        assert_eq!(endings.count(), 1, "{log}");
    }
    house.close().await;
}
