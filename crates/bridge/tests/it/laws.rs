//! The eight laws as clients see them, each by name. (The rules' own share is in core/tests/it/laws.rs; kills and races
//! of the real binary are in askbridge/tests/storm.)

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_journal::journal::Journal;
use askbridge_journal::sqlite;
use serde_json::{Value, json};

use crate::kit::House;

fn question() -> Value {
    json!({"questions": [{"question": "Which way?", "options": [{"label": "North"}, {"label": "South"}]}]})
}

async fn ask(house: &House, token: &str, body: &Value) -> String {
    let (status, asked) = house.post("/v1/asks", token, body).await;
    assert_eq!(status, 201, "{asked}");
    asked["id"].as_str().expect("an ask has an id").to_owned()
}

fn answer(label: &str) -> Value {
    json!({"answers": {"Which way?": label}})
}

#[tokio::test]
async fn law_1_durable_before_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = sqlite::Options::new(folder.path(), 1);
    options.pages_max = Some(200);
    let house = House::open_file(&options, Clock::System, 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut native = house.native(&ada).await;

    // What a person is told can be read from the journal at that moment.
    let id = ask(&house, &agent, &question()).await;
    let told = native.hear("the ask", |frame| frame["event"]["type"] == "asked").await;
    assert_eq!(told["event"]["ask"]["id"], id.as_str());
    let session = id.parse::<AskId>().unwrap().session;
    let stored = house.handle.store().read(session, None, None, 10).await.unwrap();
    assert!(stored.iter().flat_map(|stored| &stored.entry.events).any(|written| written.json.contains(&id)));

    // A full disk: what cannot be stored is refused, and not announced.
    let mut large = question();
    large["context"] = json!({"text": "x".repeat(50_000)});
    let mut kept = vec![id];
    let refused = loop {
        let (status, body) = house.post("/v1/asks", &agent, &large).await;
        match status {
            201 => kept.push(body["id"].as_str().unwrap().to_owned()),
            _ => break (status, body),
        }
    };
    assert_eq!((refused.0, &refused.1["retry"]), (503, &json!(true)), "{}", refused.1);
    let detail = refused.1["detail"].as_str().unwrap();
    assert!(detail.contains("no space is left") && !detail.contains("askbridge.db"), "no path is told: {detail}");
    let (_, listed) = house.get("/v1/asks?state=all&limit=500&order=longest_waiting", &ada).await;
    let listed: Vec<_> = listed["items"].as_array().unwrap().iter().map(|ask| ask["id"].clone()).collect();
    assert_eq!(json!(listed), json!(kept));
    native.say(r#"{"type":"ping","tag":1}"#).await;
    let heard = native.hear_all("the pong", |frame| frame["type"] == "pong").await;
    let told = heard.iter().filter(|frame| frame["event"]["type"] == "asked").count();
    assert_eq!(told, kept.len() - 1, "the first was heard above");
    house.close().await;
}

#[tokio::test]
async fn law_2_one_outcome() {
    let house = House::open().await;
    let (agent, ada, bob) = (house.agent("ci").await, house.person("ada").await, house.person("bob").await);
    let id = ask(&house, &agent, &question()).await;
    let path = format!("/v1/asks/{id}/answer");
    assert_eq!(house.post(&path, &ada, &answer("North")).await.0, 200);
    assert_eq!(house.post(&path, &ada, &answer("North")).await.0, 200, "the same again from the same person");
    for (who, label) in [(&bob, "South"), (&bob, "North"), (&ada, "South")] {
        let (status, problem) = house.post(&path, who, &answer(label)).await;
        assert_eq!((status, &problem["code"]), (409, &json!("already_decided")));
        assert_eq!(problem["winner"]["by"]["person"], "ada");
        assert!(problem["winner"]["at"].is_string());
    }
    house.close().await;
}

#[tokio::test]
async fn law_3_nothing_is_invented() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let two = json!({"questions": [
        {"question": "Which way?", "options": [{"label": "North"}, {"label": "South"}]},
        {"question": "When?", "options": [{"label": "Now"}, {"label": "Later"}]},
    ]});
    let id = ask(&house, &agent, &two).await;
    let path = format!("/v1/asks/{id}/answer");
    for blank in [json!({"answers": {}}), answer(" "), json!({"answers": {"Which way?": null}}), answer("\u{200b}")] {
        assert_eq!(house.post(&path, &ada, &blank).await.0, 422, "{blank}");
    }
    let (status, problem) =
        house.post(&path, &ada, &json!({"answers": {"Which way?": ["North", "South"], "Where?": "Here"}})).await;
    assert_eq!((status, problem["errors"].as_array().map(Vec::len)), (422, Some(2)), "{problem}");
    assert_eq!(house.post(&path, &ada, &answer("north")).await.0, 200);
    let (_, settled) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!((&settled["answers"], &settled["skipped"]), (&json!({"Which way?": "North"}), &json!(["When?"])));
    assert!(settled["verdict"]["words"].as_str().unwrap().contains("“When?”"), "{settled}");

    let id = ask(&house, &agent, &question()).await;
    let words = json!({"words": "ask me tomorrow"});
    assert_eq!(house.post(&format!("/v1/asks/{id}/dismiss"), &ada, &words).await.0, 200);
    let (_, closed) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!((&closed["verdict"]["ruling"], &closed["answers"]), (&json!("deny"), &json!({})));
    assert!(closed["verdict"]["words"].as_str().unwrap().contains("ask me tomorrow"));
    house.close().await;
}

#[tokio::test]
async fn law_4_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let options = sqlite::Options::new(folder.path(), 1);
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let house = House::open_file(&options, Clock::Manual(clock.clone()), 1).await;
    let agent = house.agent("ci").await;
    let mut dated = question();
    dated["timeout_seconds"] = json!(600);
    let id = ask(&house, &agent, &dated).await;
    let (_, before) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    house.close().await;

    clock.advance(Duration::from_secs(60));
    let house = House::open_file(&options, Clock::Manual(clock.clone()), 2).await;
    let (_, after) = house.get(&format!("/v1/asks/{id}"), &agent).await;
    assert_eq!(after, before, "open again, with its id and deadline");
    clock.advance(Duration::from_secs(540));
    let (_, expired) = house.get(&format!("/v1/asks/{id}?wait=10"), &agent).await;
    assert_eq!(expired["state"], "expired", "{expired}");
    house.close().await;

    // A deadline that passed while no server ran fires at the next start, once.
    let house = House::open_file(&options, Clock::Manual(clock.clone()), 3).await;
    let second = ask(&house, &agent, &dated).await;
    house.close().await;
    clock.advance(Duration::from_secs(6000));
    let house = House::open_file(&options, Clock::Manual(clock), 4).await;
    let (_, expired) = house.get(&format!("/v1/asks/{second}?wait=10"), &agent).await;
    assert_eq!(expired["state"], "expired", "{expired}");
    let session = second.parse::<AskId>().unwrap().session;
    let (_, log) = house.get(&format!("/v1/sessions/{session}/events"), &agent).await;
    let events = log["items"].as_array().unwrap().iter().flat_map(|entry| entry["events"].as_array().unwrap());
    assert_eq!(events.filter(|event| event["type"] == "settled").count(), 1, "{log}");
    house.close().await;
}

#[tokio::test]
async fn law_5_silence_is_safe() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let options = sqlite::Options::new(folder.path(), 1);
    let house = House::open_file(&options, Clock::Manual(clock.clone()), 1).await;
    let agent = house.agent("ci").await;
    for on_expiry in ["tell", "stop"] {
        let approval = json!({
            "approval": {"tool": "Bash", "input": {"command": "rm -rf build"}},
            "timeout_seconds": 60, "on_expiry": on_expiry,
        });
        let id = ask(&house, &agent, &approval).await;
        clock.advance(Duration::from_secs(61));
        let (_, expired) = house.get(&format!("/v1/asks/{id}?wait=10"), &agent).await;
        assert!(expired["verdict"]["ruling"].as_str().unwrap().starts_with("deny"), "{expired}");
    }
    for allow in [json!("allow"), json!({"assume": {"Bash": "Allow"}})] {
        let body = json!({"approval": {"tool": "Bash", "input": {}}, "timeout_seconds": 60, "on_expiry": allow});
        let (status, refused) = house.post("/v1/asks", &agent, &body).await;
        assert_eq!(status, 422, "{refused}");
    }
    house.close().await;
}

#[tokio::test]
async fn law_6_a_late_answer_still_counts() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 1), Clock::Manual(clock.clone()), 1).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut dated = question();
    dated["timeout_seconds"] = json!(60);
    let id = ask(&house, &agent, &dated).await;
    clock.advance(Duration::from_secs(61));
    let (_, expired) = house.get(&format!("/v1/asks/{id}?wait=10"), &agent).await;
    assert_eq!((&expired["state"], &expired["answerable"]), (&json!("expired"), &json!(true)));
    let (status, late) = house.post(&format!("/v1/asks/{id}/answer"), &ada, &answer("South")).await;
    assert_eq!((status, &late["late"]["answers"]), (202, &json!({"Which way?": "South"})));
    let session = id.parse::<AskId>().unwrap().session;
    let (_, waiting) = house.get(&format!("/v1/sessions/{session}"), &ada).await;
    let text = waiting["queued_messages"][0]["text"].as_str().unwrap().to_owned();
    for part in ["“Which way?”", "nobody had answered", "South"] {
        assert!(text.contains(part), "{text}");
    }
    // The asker reads it with the ask; then it is delivered.
    assert_eq!(house.get(&format!("/v1/asks/{id}"), &agent).await.1["late"]["by"]["person"], "ada");
    house.handle.flush_all().await;
    let (_, read) = house.get(&format!("/v1/sessions/{session}"), &ada).await;
    assert_eq!(read["queued_messages"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn law_7_every_limit_has_a_behaviour_beyond_it() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let huge = json!({"plan": "x".repeat(limits::BODY_BYTES_MAX)});
    assert_eq!(house.post("/v1/asks", &agent, &huge).await.0, 413);
    let many = vec![json!({"question": "Again?"}); limits::QUESTIONS_MAX + 1];
    assert_eq!(house.post("/v1/asks", &agent, &json!({"questions": many})).await.0, 422);
    let options: Vec<_> = (0..=limits::OPTIONS_MAX).map(|n| json!({"label": n.to_string()})).collect();
    let body = json!({"questions": [{"question": "Which?", "options": options}]});
    assert_eq!(house.post("/v1/asks", &agent, &body).await.0, 422);

    let (_, session) = house.post("/v1/sessions", &agent, &json!({})).await;
    let mut one = question();
    one["session"] = session["id"].clone();
    for _ in 0..limits::OPEN_ASKS_MAX {
        ask(&house, &agent, &one).await;
    }
    let (status, refused) = house.post("/v1/asks", &agent, &one).await;
    assert_eq!((status, &refused["code"]), (429, &json!("too_many_asks")));

    let mut native = house.native(&ada).await;
    native.say(&"x".repeat(limits::FRAME_BYTES_MAX + 1)).await;
    assert_eq!(native.hear_end().await, 1009);
    house.close().await;
}

#[tokio::test]
async fn law_8_no_agent_decides_and_no_stranger_sees() {
    let house = House::open().await;
    let (agent, other) = (house.agent("ci").await, house.agent("other").await);
    let (local, ada) = (house.local().await, house.person("ada").await);
    let id = ask(&house, &agent, &question()).await;
    let (see, decide) = (format!("/v1/asks/{id}"), format!("/v1/asks/{id}/answer"));
    for token in [&agent, &local] {
        assert_eq!(house.post(&decide, token, &answer("North")).await.0, 403, "asking is not deciding");
    }
    assert_eq!(house.get(&see, &other).await.0, 404, "another agent's ask does not exist");
    assert_eq!(house.post(&decide, &other, &answer("North")).await.0, 404);
    assert_eq!(house.post(&format!("/v1/asks/{id}/withdraw"), &other, &json!({})).await.0, 404);
    assert_eq!(house.get("/v1/asks", &other).await.1["items"], json!([]));
    assert_eq!(house.post("/v1/asks", &ada, &question()).await.0, 403, "deciding is not asking");
    assert_eq!(house.post("/v1/tokens", &ada, &json!({"name": "x"})).await.0, 403);
    assert_eq!(house.post("/v1/pairings", &local, &json!({"i_am_a_person": true})).await.0, 403, "not over the net");
    assert_eq!(house.get("/v1/asks", "ab_wrong").await.0, 401);

    // A revoked token is unknown, on open sockets too.
    let mut native = house.native(&ada).await;
    let (_, tokens) = house.get("/v1/tokens", &local).await;
    let theirs = tokens["items"].as_array().unwrap().iter().find(|token| token["name"] == "ada").unwrap();
    let id = theirs["id"].as_str().unwrap();
    let (status, refused) = house.delete(&format!("/v1/tokens/{id}"), &local).await;
    assert_eq!((status, &refused["code"]), (403, &json!("tap_needed")), "the token file alone sends no device away");
    assert_eq!(house.delete(&format!("/v1/devices/{id}"), &ada).await.0, 200);
    assert_eq!(native.hear_end().await, 4401);
    assert_eq!(house.post(&decide, &ada, &answer("North")).await.0, 401);
    house.close().await;
}
