//! Bugs with connections: lost ones, clients that come late, and unknown callers.

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_journal::sqlite;
use serde_json::json;

use super::{answer, ask, question};
use crate::kit::House;

#[tokio::test]
async fn bug_14_a_cursor_that_leads_nowhere_brings_a_snapshot() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    for cursor in ["", "nonsense", "c1.0000000000000001.99999", &"9".repeat(300)] {
        let mut socket = house.socket("/v1/ws", None).await.expect("anybody may knock");
        socket.say(&json!({"type": "hello", "token": ada, "cursor": cursor}).to_string()).await;
        let shot = socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
        assert_eq!(shot["asks"][0]["id"], id.as_str(), "{cursor}");
    }
    house.close().await;
}

#[tokio::test]
async fn bug_15_whoever_joins_late_sees_what_is_open() {
    let house = House::speaking("gobby").await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    let mut socket = house.socket("/v1/ws", None).await.expect("anybody may knock");
    socket.say(&json!({"type": "hello", "token": ada}).to_string()).await;
    let shot = socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await;
    assert_eq!(shot["asks"][0]["id"], id.as_str());
    assert_eq!(house.events(&ada).await.hear("snapshot").await["asks"][0]["id"], id.as_str());
    let mut gobby = house.gobby(&ada, &id).await;
    gobby.hear("the ask", |frame| frame["type"] == "tool_status" && frame["tool_call_id"] == id.as_str()).await;
    house.close().await;
}

#[tokio::test]
async fn bug_21_unknown_frames_and_fields_end_nothing() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    let mut native = house.native(&ada).await;
    native.say(&json!({"type": "dance", "tag": 7, "tempo": "slow"}).to_string()).await;
    let refused = native.hear("a refusal", |frame| frame["type"] == "reply").await;
    assert_eq!((&refused["tag"], &refused["ok"]), (&json!(7), &json!(false)));
    let fancy = json!({"type": "answer", "tag": 8, "ask": id, "answers": {"Which way?": "North"}, "mood": {"a": 1}});
    native.say(&fancy.to_string()).await;
    let granted = native.hear("a reply", |frame| frame["tag"] == 8).await;
    assert_eq!(granted["ok"], true, "{granted}");
    house.close().await;
}

#[tokio::test]
async fn bug_25_a_page_of_another_site_gets_no_socket() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    assert_eq!(house.knock(&[]).await, 101, "a program says nothing of where it comes from");
    assert_eq!(house.knock(&[("origin", "https://evil.example")]).await, 403, "another site's socket");
    assert_eq!(house.knock(&[("origin", "null")]).await, 403, "a sandboxed page");
    assert_eq!(house.knock(&[("host", "evil.example")]).await, 403, "a name that was rebound to us");
    assert_eq!(answer(&house, &ada, &id, json!({"Which way?": "North"})).await.0, 200);
    house.close().await;
}

#[tokio::test]
async fn bug_29_a_quiet_line_hears_from_us_before_a_minute_is_over() {
    assert!(limits::HEARTBEAT < Duration::from_secs(60));
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 1), Clock::Manual(clock.clone()), 1).await;
    let ada = house.person("ada").await;
    let mut native = house.native(&ada).await;
    for _ in 0..3 {
        clock.advance(limits::HEARTBEAT);
        native.hear("a sign of life", |frame| frame["type"] == "ping").await;
    }
    house.close().await;
}
