//! Devices that apps of other systems register are rung like every other channel.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::outbound::{Outbound, OutboundOptions};
use askbridge_bridge::ringing::{RingOptions, RingingOptions, ring};
use askbridge_bridge::runtime::Store;
use askbridge_bridge::server::Speaking;
use askbridge_core::ids::SessionId;
use askbridge_journal::Sqlite;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_journal::sqlite::Options;
use askbridge_peers::uuid;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{Ringing, START};
use crate::kit::{House, PATIENCE, memory};

/// The relay of prime's client: it takes a push, or fails as it is told.
#[derive(Clone)]
struct Relay(Arc<Taken>);

struct Taken {
    address: SocketAddr,
    pushes: Mutex<Vec<Value>>,
    failures: Mutex<VecDeque<u16>>,
}

impl Relay {
    async fn open() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let relay = Self(Arc::new(Taken { address, pushes: Mutex::default(), failures: Mutex::default() }));
        let router = Router::new().route("/push/1/secret", post(take)).with_state(relay.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        relay
    }

    fn fail(&self, statuses: &[u16]) {
        self.0.failures.lock().extend(statuses);
    }

    async fn have(&self, count: usize) -> Vec<Value> {
        let waiting = async {
            while self.0.pushes.lock().len() < count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap();
        self.0.pushes.lock().clone()
    }
}

async fn take(State(relay): State<Relay>, body: String) -> (StatusCode, &'static str) {
    if let Some(status) = relay.0.failures.lock().pop_front() {
        return (StatusCode::from_u16(status).unwrap(), "");
    }
    relay.0.pushes.lock().push(serde_json::from_str(&body).unwrap());
    (StatusCode::OK, r#"{"queued":true}"#)
}

/// A bridge that speaks prime, where ada's phone was registered with an earlier release.
async fn with_a_phone(store: Store, clock: Manual, seed: u64, relay: &Relay) -> Ringing {
    let house = House::open_speaking(store, Clock::Manual(clock.clone()), seed, "prime").await;
    let device = json!({
        "installation_id": "phone", "device_name": "Ada's phone", "device_type": "iphone",
        "push_url": format!("http://{}/push/1/secret", relay.0.address), "owner": "ada",
    });
    keep(&house, &clock, "kept/prime/device/phone", &device).await;
    begin(house, clock).await
}

async fn keep(house: &House, clock: &Manual, key: &str, thing: &Value) {
    let now = Clock::Manual(clock.clone()).now();
    let thing = thing.to_string();
    house.handle.store().put(key, thing.as_bytes(), Expect::Any, None, now).await.unwrap();
}

async fn begin(house: House, clock: Manual) -> Ringing {
    house.app.speak(Speaking { names: vec!["prime"], ..Speaking::default() });
    let private = vec!["127.0.0.1/32".parse().unwrap()];
    house.app.call_out(Outbound::new(OutboundOptions { private, ..OutboundOptions::default() }));
    let (ada, agent) = (house.operator("ada").await, house.agent("ci").await);
    let options = RingingOptions { when: RingOptions::default(), user: "machine".to_owned(), ..Default::default() };
    ring(&house.app, options).await.unwrap();
    Ringing { house, clock, ada, agent }
}

impl Ringing {
    async fn devices(&self) -> Value {
        self.house.get("/api/v1/devices", &self.ada).await.1["devices"].clone()
    }

    async fn settle(&self, ask: &str) {
        let answer = json!({"answers": {"Deploy now?": "No"}});
        assert_eq!(self.house.post(&format!("/v1/asks/{ask}/answer"), &self.ada, &answer).await.0, 200);
    }
}

#[tokio::test]
async fn a_device_rings_after_the_grace_and_the_card_says_so() {
    let (clock, relay) = (Manual::new(START), Relay::open().await);
    let it = with_a_phone(memory(), clock, 1, &relay).await;
    let in_the_grace = it.ask("Deploy now?").await;
    it.settle(&in_the_grace).await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let pushes = relay.have(1).await;
    assert_eq!((&pushes[0]["title"], &pushes[0]["body"]), (&json!("Question from ci"), &json!("Deploy now?")));
    assert_eq!(pushes[0]["data"]["type"], "ask_user_question");
    let seen = it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    assert_eq!((&seen["rings"][0]["channel"], &seen["rings"][0]["kind"]), (&json!("Ada's phone"), &json!("app")));
    it.settle(&ask).await;
    let closed = it.see(&ask, "it says how it ended", |ask| ask["rings"][0]["state"] == "closed").await;
    assert!(closed["rings"][0]["why"].as_str().unwrap().contains("Decided by ada"), "{closed}");
    assert_eq!(it.show(&in_the_grace).await["rings"], Value::Null);
    let channel = it.channels().await.remove(0);
    assert_eq!((&channel["kind"], &channel["to"]), (&json!("app"), &json!("prime by 127.0.0.1")), "{channel}");
    assert_eq!(relay.have(1).await.len(), 1);
}

#[tokio::test]
async fn a_device_has_quiet_hours_and_hides_what_its_owner_wants_hidden() {
    let (clock, relay) = (Manual::new(START), Relay::open().await);
    let it = with_a_phone(memory(), clock, 1, &relay).await;
    let path = format!("/v1/channels/{}", it.channels().await[0]["id"].as_str().unwrap());
    let quiet = json!({"quiet": "00:00-24:00", "content": "hidden", "name": "phone"});
    let (status, changed) = it.house.post(&path, &it.ada, &quiet).await;
    assert_eq!(status, 200, "{changed}");
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let held = it.see(&ask, "it is held", |ask| ask["rings"][0]["state"] == "suppressed").await;
    assert_eq!(held["rings"][0]["why"], "these are quiet hours");
    assert_eq!(it.house.post(&path, &it.ada, &json!({"quiet": null})).await.0, 200);
    it.wait(15);
    let push = relay.have(1).await.remove(0);
    assert_eq!(push["title"], "Something waits for you");
    assert!(!push.to_string().contains("Deploy"), "{push}");
}

#[tokio::test]
async fn a_restart_rings_no_device_twice_and_keeps_what_its_owner_set() {
    let (relay, folder) = (Relay::open().await, tempfile::tempdir().unwrap());
    let clock = Manual::new(START);
    let open = || Store::from(Sqlite::open(&Options::new(folder.path(), 7)).unwrap());
    let mut it = with_a_phone(open(), clock.clone(), 1, &relay).await;
    let path = format!("/v1/channels/{}", it.channels().await[0]["id"].as_str().unwrap());
    assert_eq!(it.house.post(&path, &it.ada, &json!({"name": "my phone"})).await.0, 200);
    let rung = it.ask("Deploy now?").await;
    it.wait(15);
    it.see(&rung, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    for seed in 2..5 {
        let (ada, agent) = (it.ada.clone(), it.agent.clone());
        it.house.close().await;
        it = Ringing { ada, agent, ..with_a_phone(open(), clock.clone(), seed, &relay).await };
        it.wait(15);
        assert_eq!(it.channels().await[0]["name"], "my phone");
    }
    let due = it.ask("And now?").await;
    it.wait(15);
    it.see(&due, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    let bodies: Vec<_> = relay.have(2).await.iter().map(|push| push["body"].clone()).collect();
    assert_eq!(bodies, ["Deploy now?", "And now?"]);
}

#[tokio::test]
async fn what_an_earlier_release_pushed_is_not_pushed_again() {
    let (clock, relay) = (Manual::new(START), Relay::open().await);
    let house = House::open_speaking(memory(), Clock::Manual(clock.clone()), 1, "prime").await;
    let agent = house.agent("ci").await;
    let body = json!({"question": "Deploy now?", "options": ["Yes", "No"]});
    let (_, pushed) = house.post("/v1/asks", &agent, &body).await;
    clock.advance(std::time::Duration::from_secs(1));
    keep(&house, &clock, &format!("kept/prime/pushed/{}", pushed["id"].as_str().unwrap()), &json!(true)).await;
    let url = format!("http://{}/push/1/secret", relay.0.address);
    let device = json!({"installation_id": "phone", "device_type": "iphone", "push_url": url, "owner": "ada"});
    keep(&house, &clock, "kept/prime/device/phone", &device).await;
    let it = begin(house, clock).await;
    it.wait(15);
    it.ask("And now?").await;
    it.wait(15);
    assert_eq!(relay.have(1).await[0]["body"], "And now?");
    let left = it.house.handle.store().list("kept/prime/pushed/", START).await.unwrap();
    assert_eq!(left.len(), 0, "it is of no use any longer");
}

#[tokio::test]
async fn a_client_in_the_session_is_not_rung_until_it_has_left() {
    let (clock, relay) = (Manual::new(START), Relay::open().await);
    let it = with_a_phone(memory(), clock, 1, &relay).await;
    let ask = it.ask("Deploy now?").await;
    let session: SessionId = it.show(&ask).await["session"].as_str().unwrap().parse().unwrap();
    let path = format!("/api/v1/chat/ws/{}", uuid::of_session(session));
    let mut prime = it.house.socket(&path, Some(&it.ada)).await.expect("the token is known");
    prime.hear("the card", |frame| frame["type"] == "ask_user_question").await;
    it.wait(15);
    let held = it.see(&ask, "it is held", |ask| ask["rings"][0]["state"] == "suppressed").await;
    assert_eq!(held["rings"][0]["why"], "you look at it");
    prime.kill();
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    assert_eq!(relay.have(1).await.len(), 1);
}

#[tokio::test]
async fn a_relay_that_fails_is_tried_again_and_a_device_that_is_gone_is_forgotten_everywhere() {
    let (clock, relay) = (Manual::new(START), Relay::open().await);
    let it = with_a_phone(memory(), clock, 1, &relay).await;
    relay.fail(&[503, 410]);
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    it.see(&ask, "it failed", |ask| ask["rings"][0]["why"] == "the relay answered 503").await;
    assert_eq!(it.devices().await[0]["device_name"], "Ada's phone");
    it.wait(2);
    it.see(&ask, "it is gone", |ask| ask["rings"][0]["why"].as_str().is_some_and(|why| why.contains("does not know")))
        .await;
    let forgotten = async {
        while it.devices().await != json!([]) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, forgotten).await.unwrap();
    assert_eq!(it.channels().await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_device_is_a_channel_from_its_registration_to_its_removal() {
    let clock = Manual::new(START);
    let house = House::open_speaking(memory(), Clock::Manual(clock.clone()), 1, "prime").await;
    let it = begin(house, clock).await;
    let register = json!({"installation_id": "phone", "device_name": "phone", "push_url": "https://relay.example/1"});
    for _ in 0..2 {
        assert_eq!(it.house.post("/api/v1/devices/register", &it.ada, &register).await.0, 200);
        assert_eq!(it.channels().await.len(), 1, "it registers at every start of its app");
    }
    let channel = it.channels().await.remove(0);
    assert_eq!((&channel["name"], &channel["to"]), (&json!("phone"), &json!("prime by relay.example")));
    assert_eq!(channel["tells"], json!(["turn_ended", "agent_failed", "expired", "channel_failed"]));
    let path = format!("/v1/channels/{}", channel["id"].as_str().unwrap());
    // A device belongs to the person who registered it last, with nothing of what the one before had set.
    assert_eq!(it.house.post(&path, &it.ada, &json!({"quiet": "22:00-07:00"})).await.0, 200);
    let bob = it.house.operator("bob").await;
    assert_eq!(it.house.post("/api/v1/devices/register", &bob, &register).await.0, 200);
    assert_eq!(it.channels().await, [] as [Value; 0]);
    let (_, theirs) = it.house.get("/v1/channels", &bob).await;
    assert_eq!((&theirs["items"][0]["id"], &theirs["items"][0]["quiet"]), (&channel["id"], &Value::Null));
    assert_eq!(it.house.delete(&path, &bob).await.0, 200);
    assert_eq!(it.devices().await, json!([]), "its app does not list it either");
}
