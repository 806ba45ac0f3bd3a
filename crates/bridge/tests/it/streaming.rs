//! Streaming text reaches those who watch; followers resume where they were; slow ones read on from the journal.

use askbridge_bridge::auth::{Caller, Role};
use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::{FollowUpdate, HubMessage, Interest};
use askbridge_core::ids::{PartyId, SessionId};
use askbridge_core::limits;
use askbridge_journal::sqlite;
use askbridge_peers::peer::{BlockKind, Streamed};
use futures_util::FutureExt;
use serde_json::json;

use crate::kit::House;

#[tokio::test]
async fn deltas_reach_every_language_that_watches() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({"agent": "ci"})).await;
    let session: SessionId = session["id"].as_str().unwrap().parse().unwrap();
    let mut native = house.native(&ada).await;
    let stream = |block, kind, offset, text: &str| {
        house.handle.stream(Streamed { session, block, kind, offset, text: text.to_owned() });
    };
    stream(1, BlockKind::Thinking, 0, "Hmm");
    stream(2, BlockKind::Text, 0, "Hel");
    stream(2, BlockKind::Text, 3, "lo");
    for (block, kind, offset, text) in [(1, "thinking", 0, "Hmm"), (2, "text", 0, "Hel"), (2, "text", 3, "lo")] {
        let delta = native.hear("a delta", |frame| frame["type"] == "delta").await;
        let whole = json!({
            "type": "delta", "session": session.to_string(), "block": block, "kind": kind, "offset": offset, "text": text,
        });
        assert_eq!(delta, whole);
    }
    house.close().await;
}

#[tokio::test]
async fn a_returning_client_sees_only_what_it_missed() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let question = |n: u32| json!({"questions": [{"question": format!("Number {n}?")}]});
    let mut native = house.native(&ada).await;
    house.post("/v1/asks", &agent, &question(1)).await;
    let seen = native.hear("the first", |frame| frame["event"]["type"] == "asked").await;
    native.kill();
    house.post("/v1/asks", &agent, &question(2)).await;

    let mut back = house.socket("/v1/ws", None).await.unwrap();
    back.say(&json!({"type": "hello", "token": ada, "cursor": seen["cursor"]}).to_string()).await;
    back.hear("welcome", |frame| frame["type"] == "welcome").await;
    let heard = back.hear_all("the second", |frame| frame["event"]["type"] == "asked").await;
    assert_eq!(heard.last().unwrap()["event"]["ask"]["questions"][0]["question"], "Number 2?");
    assert!(heard.iter().all(|frame| frame["type"] == "event"), "no snapshot, nothing twice: {heard:#?}");

    // A cursor of another journal is answered by a snapshot.
    let mut stranger = house.socket("/v1/ws", None).await.unwrap();
    stranger.say(&json!({"type": "hello", "token": ada, "cursor": "cur_00000000000000ff_1"}).to_string()).await;
    let shot = stranger.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
    assert_eq!(shot["asks"].as_array().unwrap().len(), 2);
    house.close().await;
}

#[tokio::test]
async fn a_stream_of_events_resumes_with_what_it_missed_and_only_that() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let asks = async |text: &str| {
        let (_, asked) = house.post("/v1/asks", &agent, &json!({"questions": [{"question": text}]})).await;
        asked["id"].clone()
    };
    let mut stream = house.events(&ada).await;
    stream.hear("snapshot").await;
    let seen = asks("Seen?").await;
    while stream.hear("event").await["event"]["ask"]["id"] != seen {}
    let last_id = stream.last_id.clone().expect("an event carries its cursor");
    drop(stream);

    let missed = asks("Missed?").await;
    let mut stream = house.events_after(&ada, Some(&last_id)).await;
    let live = asks("Live?").await;
    let mut heard = Vec::new();
    while heard.last() != Some(&live) {
        let told = stream.hear("event").await;
        heard.extend((told["event"]["type"] == "asked").then(|| told["event"]["ask"]["id"].clone()));
    }
    assert_eq!(heard, [missed, live]);
    house.close().await;
}

#[tokio::test]
async fn whoever_speaks_while_their_snapshot_is_read_gets_it_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let options = sqlite::Options::new(folder.path(), 7);
    let house = House::open_file(&options, Clock::System, 7).await;
    let caller =
        Caller { party: PartyId::from("phone"), role: Role::Person, name: "ada".into(), device: "phone".into() };
    // The shelf is on disk, so reading it nearly always waits; a fast disk may respond within one poll.
    let mut interrupted = 0;
    for _ in 0..100 {
        let mut follower = house.handle.follow(Interest::Inbox(caller.clone()), None);
        let first = match follower.next().now_or_never() {
            Some(first) => first,
            None => {
                interrupted += 1;
                follower.next().await
            }
        };
        assert!(matches!(first, Ok(FollowUpdate::Snapshot(_))));
    }
    assert!(interrupted > 0, "nobody was interrupted, so nothing was shown");
    house.close().await;
}

#[tokio::test]
async fn a_slow_follower_holds_up_nobody_and_hears_everything() {
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let ada = |device: &str| Caller {
        party: PartyId::from(device),
        role: Role::Person,
        name: "ada".into(),
        device: device.into(),
    };
    let mut slow = house.handle.follow(Interest::Inbox(ada("phone")), None);
    let mut quick = house.handle.follow(Interest::Inbox(ada("desk")), None);
    for follower in [&mut slow, &mut quick] {
        assert!(matches!(follower.next().await, Ok(FollowUpdate::Snapshot(_))));
    }
    let large = json!({"questions": [{"question": "Well?"}], "context": {"text": "x".repeat(100_000)}});
    let enough = limits::FOLLOWER_BYTES_MAX / 100_000 + 10;
    for _ in 0..enough {
        assert_eq!(house.post("/v1/asks", &agent, &large).await.0, 201);
        let Ok(FollowUpdate::Message(news)) = quick.next().await else { panic!("the quick one hears everything") };
        assert!(matches!(&*news, HubMessage::Entry(_)));
    }
    // More than one follower's queue holds, so the rest comes from the journal: nothing is left out, and nothing comes
    // twice.
    let mut heard = Vec::new();
    while heard.len() < enough {
        let Ok(FollowUpdate::Message(news)) = slow.next().await else { panic!("the slow one hears everything too") };
        let HubMessage::Entry(batch) = &*news else { panic!("nothing else happened: {news:?}") };
        heard.push(batch.position);
    }
    assert!(heard.is_sorted_by(|a, b| a < b), "{heard:?}");
    house.close().await;
}

#[tokio::test]
async fn a_server_that_stops_says_goodbye() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let mut native = house.native(&ada).await;
    let stopping = tokio::spawn(house.stop_serving());
    assert_eq!(native.hear_end().await, 1001);
    stopping.await.expect("it stops").stop().await;
}

#[tokio::test]
async fn a_session_is_started_changed_and_closed_over_the_socket_as_over_http() {
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let mut native = house.native(&agent).await;
    native
        .say(&json!({"type": "start", "tag": 1, "agent": "ci", "title": "Nightly", "undo_seconds": 5}).to_string())
        .await;
    let started = native.hear("the reply", |frame| frame["tag"] == 1).await;
    let session = started["session"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{session}");
    assert_eq!(house.get(&path, &agent).await.1["title"], "Nightly");
    native.say(&json!({"type": "configure", "tag": 2, "session": session, "title": "Weekly"}).to_string()).await;
    assert_eq!(native.hear("the reply", |frame| frame["tag"] == 2).await["ok"], true);
    assert_eq!(house.get(&path, &agent).await.1["title"], "Weekly");
    for (tag, frame, code) in [
        (3, json!({"type": "start", "tag": 3, "undo_seconds": 3600}), "bad_request"),
        (4, json!({"type": "start", "tag": 4, "agent": "claude", "cwd": "/"}), "forbidden"),
        (5, json!({"type": "configure", "tag": 5, "session": session, "permission_mode": "yolo"}), "forbidden"),
        (6, json!({"type": "close", "tag": 6, "session": "ses_00000000000000000000000009"}), "unknown_session"),
    ] {
        native.say(&frame.to_string()).await;
        let refused = native.hear("the refusal", |frame| frame["tag"] == tag).await;
        assert_eq!((&refused["ok"], &refused["error"]["code"]), (&json!(false), &json!(code)), "{refused}");
    }
    native.say(&json!({"type": "close", "tag": 7, "session": session}).to_string()).await;
    assert_eq!(native.hear("the reply", |frame| frame["tag"] == 7).await["ok"], true);
    assert_eq!(house.get(&path, &agent).await.1["state"], "closed");
    house.close().await;
}
