//! Machines that ask here from elsewhere: how they are connected, what they may do, and how their hooks are held.

use std::time::Duration;

use askbridge_bridge::auth::MachineToken;
use askbridge_bridge::chance::Chance;
use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::hooks::HookOptions;
use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_journal::sqlite;
use http_body_util::{BodyExt, Full};
use hyper::Response;
use hyper::body::Incoming;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::kit::{House, PATIENCE, memory};

mod elsewhere;

use elsewhere::{Hook, LONG, house_with_a_machine, the_open_ask, until_state};

/// A machine that wants to ask somewhere.
struct Machine {
    made: MachineToken,
    name: &'static str,
}

impl Machine {
    fn new(name: &'static str, seed: u64) -> Self {
        Self { made: MachineToken::fresh(&Chance::seeded(seed)), name }
    }

    fn token(&self) -> &str {
        self.made.token.reveal()
    }

    /// Asks to be connected, or looks whether it is.
    async fn knocks(&self, house: &House, wait: &str) -> (u16, Value) {
        let body = json!({"name": self.name, "token_sha256": self.made.digest});
        house.post(&format!("/v1/connections{wait}"), "", &body).await
    }

    /// Is connected by a person's tap.
    async fn connected(house: &House, person: &str, name: &'static str, seed: u64) -> Self {
        let machine = Self::new(name, seed);
        assert_eq!(machine.knocks(house, "").await.1["code"], "tap_needed");
        answer(house, person, &open(house, person).await[0], json!({"decision": "allow"})).await;
        let (status, made) = machine.knocks(house, "?wait=30").await;
        assert_eq!((status, &made["name"]), (201, &json!(name)), "{made}");
        machine
    }
}

async fn open(house: &House, person: &str) -> Vec<Value> {
    house.get("/v1/asks", person).await.1["items"].as_array().expect("a page has items").clone()
}

async fn answer(house: &House, person: &str, ask: &Value, answer: Value) {
    let path = format!("/v1/asks/{}/answer", ask["id"].as_str().expect("an ask has an id"));
    let (status, said) = house.post(&path, person, &answer).await;
    assert_eq!(status, 200, "{said}");
}

fn question(text: &str) -> Value {
    json!({"question": text, "options": ["Yes", "No"], "context": {"folder": "/home/ada/shop"}})
}

#[tokio::test]
async fn a_machine_asks_once_a_device_has_agreed_and_its_cards_say_which_machine_it_is() {
    let house = House::open().await;
    let (ada, local) = (house.operator("ada").await, house.local().await);
    let machine = Machine::new("laptop", 1);
    let (status, needed) = machine.knocks(&house, "").await;
    assert_eq!((status, &needed["code"]), (403, &json!("tap_needed")));
    let code = needed["tap_code"].as_str().expect("it says what the device shows").to_owned();
    assert!(needed["detail"].as_str().unwrap().contains(&code) && !needed.to_string().contains("test of ada"));
    let again = machine.knocks(&house, "").await.1;
    assert_eq!(again["tap_code"], code, "the same again joins the open tap");
    assert_eq!(house.get("/v1/me", machine.token()).await.0, 401, "its token counts only after the tap");

    let taps = open(&house, &ada).await;
    assert_eq!(taps.len(), 1, "{taps:?}");
    let approval = &taps[0]["approval"];
    assert_eq!(approval["summary"], "Let the machine laptop ask here");
    assert_eq!((&approval["input"]["machine"], &approval["input"]["code"]), (&json!("laptop"), &json!(code)));
    assert!(approval["input"]["from"].as_str().unwrap().starts_with("127.0.0.1"), "{approval}");
    answer(&house, &ada, &taps[0], json!({"decision": "allow"})).await;
    for _ in 0..2 {
        let (status, made) = machine.knocks(&house, "?wait=30").await;
        assert_eq!((status, &made["name"]), (201, &json!("laptop")), "a lost response costs nothing: {made}");
    }

    let (status, asked) = house.post("/v1/asks", machine.token(), &question("Deploy?")).await;
    assert_eq!((status, &asked["machine"]), (201, &json!("laptop")), "{asked}");
    let card = open(&house, &ada).await.pop().expect("it is open");
    assert_eq!((&card["machine"], &card["context"]["folder"]), (&json!("laptop"), &json!("/home/ada/shop")));
    let claims = json!({"question": "Mine?", "machine": "desk", "agent": "x", "context": {"machine": "desk"}});
    assert_eq!(
        house.post("/v1/asks", machine.token(), &claims).await.1["machine"],
        "laptop",
        "the label is the token's"
    );
    let own = house.post("/v1/asks", &local, &question("Here?")).await.1;
    assert_eq!(own.get("machine"), None, "this machine has no label");

    let listed = house.get("/v1/tokens", &local).await.1;
    let listed = listed["items"].as_array().unwrap().iter().find(|token| token["name"] == "laptop").unwrap().clone();
    assert_eq!((&listed["role"], &listed["device"]), (&json!("agent"), &json!("machine")));
    assert_eq!(listed["connected_by"], "ada");
    assert!(listed["last_used_at"].is_string(), "{listed}");
    let devices = house.get("/v1/devices", &ada).await.1;
    let device = devices["items"].as_array().unwrap().iter().find(|it| it["is_machine"] == true).unwrap().clone();
    assert_eq!((&device["device"], &device["id"]), (&json!("laptop"), &listed["id"]));
    assert!(device["last_used_at"].is_string(), "{device}");
    let bob = house.operator("bob").await;
    let path = format!("/v1/devices/{}", device["id"].as_str().unwrap());
    assert_eq!(house.delete(&path, &bob).await.0, 404, "it is ada's");
    assert_eq!(house.post(&path, &ada, &json!({"device": "desk"})).await.0, 403, "the tap agreed to its name");

    assert_eq!(house.delete(&path, &ada).await.0, 200);
    assert_eq!(house.post("/v1/asks", machine.token(), &question("Still?")).await.0, 401);
    let card = house.get(&format!("/v1/asks/{}", asked["id"].as_str().unwrap()), &ada).await.1;
    assert_eq!(card["machine"], "laptop", "the record keeps where it came from");
    house.close().await;
}

/// A stranger who reads the digits of a machine over a shoulder must not be able to make a request that shows them.
#[tokio::test]
async fn the_code_of_a_machine_follows_from_nothing_that_a_machine_chooses() {
    let clock = Manual::new(Timestamp(1_760_000_000_000));
    let mut codes = Vec::new();
    // The same token, name and address: only what the servers draw differs.
    for seed in 1..=4 {
        let house = House::open_on(memory(), Clock::Manual(clock.clone()), seed).await;
        let ada = house.operator("ada").await;
        let machine = Machine::new("laptop", 1);
        let needed = machine.knocks(&house, "").await.1;
        let card = open(&house, &ada).await.remove(0);
        assert_eq!(card["approval"]["input"]["code"], needed["tap_code"], "both sides show it");
        codes.push(needed["tap_code"].to_string());
        // Once it is denied, the next request of the same machine has another one.
        answer(&house, &ada, &card, json!({"decision": "deny"})).await;
        let anew = machine.knocks(&house, "").await.1;
        assert_eq!(anew["code"], "tap_needed", "{anew}");
        codes.push(anew["tap_code"].to_string());
        house.close().await;
    }
    let drawn = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), drawn, "{codes:?}");
}

#[tokio::test]
async fn a_machine_never_decides_administers_or_runs_agents() {
    let house = House::open().await;
    let ada = house.operator("ada").await;
    let machine = Machine::connected(&house, &ada, "laptop", 1).await;
    let asked = house.post("/v1/asks", machine.token(), &question("Deploy?")).await.1;
    let path = format!("/v1/asks/{}", asked["id"].as_str().unwrap());
    for (verb, body) in [
        ("answer", json!({"answers": {"Deploy?": "Yes"}})),
        ("dismiss", json!({})),
        ("extend", json!({"seconds": 60})),
        ("snooze", json!({"seconds": 60})),
        ("draft", json!({"half": "written"})),
    ] {
        let (status, refused) = house.post(&format!("{path}/{verb}"), machine.token(), &body).await;
        assert_eq!(status, 403, "{verb}: {refused}");
    }
    let (_, refused) = house.post(&format!("{path}/answer"), machine.token(), &json!({"answers": {}})).await;
    assert!(refused["detail"].as_str().unwrap().contains("a connected machine asks and never decides"), "{refused}");
    for (method, path, body) in [
        ("GET", "/v1/tokens", Value::Null),
        ("POST", "/v1/tokens", json!({"name": "other"})),
        ("GET", "/v1/devices", Value::Null),
        ("POST", "/v1/devices", json!({})),
        ("POST", "/v1/sessions", json!({"agent": "claude", "cwd": "/tmp"})),
        ("POST", "/v1/taps", json!({"on": false})),
        ("POST", "/v1/taps/decide", Value::Null),
        ("POST", "/v1/pairings", json!({"i_am_a_person": true})),
        ("GET", "/v1/channels", Value::Null),
    ] {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = house.request(method, path, machine.token()).header("content-type", "application/json");
        let (status, said) = house.ask_for(request.body(Full::from(body)).unwrap()).await;
        assert_eq!(status, 403, "{method} {path}: {said}");
    }
    // Another machine's asks do not exist for it.
    let other = Machine::connected(&house, &ada, "desk", 2).await;
    assert_eq!(house.get(&path, other.token()).await.0, 404);
    assert_eq!(house.get("/v1/asks", other.token()).await.1["items"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn a_denied_or_unanswered_tap_connects_nothing() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let house = House::open_on(memory(), Clock::Manual(clock.clone()), 7).await;
    let machine = Machine::new("laptop", 1);
    let (status, alone) = machine.knocks(&house, "").await;
    assert_eq!((status, &alone["code"]), (403, &json!("no_device_left")), "no device could agree");
    let ada = house.operator("ada").await;
    assert_eq!(machine.knocks(&house, "").await.1["code"], "tap_needed");
    answer(&house, &ada, &open(&house, &ada).await[0], json!({"decision": "deny"})).await;
    assert_eq!(machine.knocks(&house, "?wait=30").await.1["code"], "tap_denied");

    let slow = Machine::new("desk", 2);
    assert_eq!(slow.knocks(&house, "").await.1["code"], "tap_needed");
    clock.advance(limits::TAP_WAIT + Duration::from_secs(1));
    assert_eq!(slow.knocks(&house, "?wait=30").await.1["code"], "tap_expired");
    for machine in [&machine, &slow] {
        assert_eq!(house.get("/v1/me", machine.token()).await.0, 401);
    }
    assert!(house.app.tokens.list().iter().all(|token| !token.is_a_machine()));
    for wrong in [json!({"name": "", "token_sha256": "0".repeat(64)}), json!({"name": "x", "token_sha256": "ab_1"})] {
        assert_eq!(house.post("/v1/connections", "", &wrong).await.0, 422, "{wrong}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_token_of_someone_else_is_not_turned_into_a_machines() {
    let house = House::open().await;
    let ada = house.operator("ada").await;
    let digest = Sha256::digest(ada.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let theft = json!({"name": "laptop", "token_sha256": digest});
    let (status, refused) = house.post("/v1/connections", "", &theft).await;
    assert_eq!((status, &refused["detail"]), (422, &json!("this token is in use")), "{refused}");
    assert!(open(&house, &ada).await.is_empty(), "no phone rang");
    assert_eq!(house.get("/v1/me", &ada).await.1["role"], "operator");
    house.close().await;
}

#[tokio::test]
async fn strangers_cannot_flood_a_phone_nor_block_the_taps_of_this_machine() {
    let house = House::open().await;
    let ada = house.operator("ada").await;
    let most = limits::OPEN_CONNECTS_MAX as u64;
    for seed in 0..most {
        assert_eq!(Machine::new("stranger", seed).knocks(&house, "").await.1["code"], "tap_needed");
    }
    let (status, refused) = Machine::new("stranger", most).knocks(&house, "").await;
    assert_eq!((status, &refused["code"]), (429, &json!("too_fast")));
    let (_, needed) = house.here("POST", "/v1/pairings", &json!({"i_am_a_person": true, "name": "bob"})).await;
    assert_eq!(needed["code"], "tap_needed", "{needed}");
    let denied = async || {
        for tap in open(&house, &ada).await {
            answer(&house, &ada, &tap, json!({"decision": "deny"})).await;
        }
    };
    for seed in most..limits::CONNECTS_PER_HOUR.into() {
        denied().await;
        // A tap that was denied is closed a moment later.
        let asked = async { while Machine::new("stranger", seed).knocks(&house, "").await.0 == 429 {} };
        timeout(PATIENCE, asked).await.expect("there is room again");
    }
    denied().await;
    let (status, refused) = Machine::new("stranger", 99).knocks(&house, "").await;
    assert_eq!((status, &refused["code"]), (429, &json!("too_fast")), "room alone is not enough");
    house.close().await;
}

#[tokio::test]
async fn a_machine_asks_only_so_often_and_others_do_not_notice() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let house = House::open_on(memory(), Clock::Manual(clock.clone()), 7).await;
    let ada = house.operator("ada").await;
    let (noisy, quiet) =
        (Machine::connected(&house, &ada, "noisy", 1).await, Machine::connected(&house, &ada, "quiet", 2).await);
    let mut taken = 0;
    let refused = loop {
        // The requests are counted as well, by the second.
        clock.advance(Duration::from_millis(20));
        match house.post("/v1/asks", noisy.token(), &question(&format!("Number {taken}?"))).await {
            (201, _) => taken += 1,
            refused => break refused,
        }
    };
    assert_eq!((refused.0, &refused.1["code"]), (429, &json!("too_fast")), "{refused:?}");
    assert!((limits::MACHINE_ASKS_PER_MINUTE..=limits::MACHINE_ASKS_PER_MINUTE + 8).contains(&taken), "{taken}");
    assert_eq!(house.post("/v1/asks", quiet.token(), &question("Mine?")).await.0, 201);
    clock.advance(Duration::from_secs(2));
    assert_eq!(house.post("/v1/asks", noisy.token(), &question("Later?")).await.0, 201);
    house.close().await;
}

#[tokio::test]
async fn a_machine_takes_itself_off_and_no_other_caller_can_use_that() {
    let house = House::open().await;
    let (ada, agent) = (house.operator("ada").await, house.agent("ci").await);
    let machine = Machine::connected(&house, &ada, "laptop", 1).await;
    for other in [&agent, &ada] {
        assert_eq!(house.delete("/v1/connections", other).await.0, 403);
    }
    assert_eq!(house.delete("/v1/connections", machine.token()).await.0, 204);
    assert_eq!(house.delete("/v1/connections", machine.token()).await.0, 401);
    assert_eq!(house.get("/v1/me", &agent).await.0, 200);
    house.close().await;
}

#[tokio::test]
async fn a_connection_and_when_it_was_used_outlive_the_server_and_so_does_an_open_tap() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let options = |seed| sqlite::Options::new(folder.path(), seed);
    let house = House::open_file(&options(1), Clock::Manual(clock.clone()), 1).await;
    house.app.note_token_uses();
    let ada = house.operator("ada").await;
    let machine = Machine::connected(&house, &ada, "laptop", 1).await;
    assert_eq!(house.get("/v1/me", machine.token()).await.0, 200);
    let waiting = Machine::new("desk", 2);
    assert_eq!(waiting.knocks(&house, "").await.1["code"], "tap_needed");
    house.close().await;

    clock.advance(Duration::from_secs(60));
    let house = House::open_file(&options(2), Clock::Manual(clock.clone()), 2).await;
    house.app.recall_taps().await.unwrap();
    let local = house.local().await;
    let listed = house.get("/v1/tokens", &local).await.1;
    let listed = listed["items"].as_array().unwrap().iter().find(|token| token["name"] == "laptop").unwrap().clone();
    assert_eq!(listed["last_used_at"], listed["made_at"], "used before the restart, and not since: {listed}");
    assert_eq!(waiting.knocks(&house, "").await.1["code"], "tap_needed");
    let taps = open(&house, &ada).await;
    assert_eq!(taps.len(), 1, "the request joins the tap of the earlier server");
    answer(&house, &ada, &taps[0], json!({"decision": "allow"})).await;
    assert_eq!(waiting.knocks(&house, "?wait=30").await.0, 201);
    house.close().await;
}

#[tokio::test]
async fn a_revoked_machine_takes_its_open_questions_along() {
    let (house, ada, machine) = house_with_a_machine(LONG).await;
    let _held = Hook::calls(&house, &machine, "a1", false, &json!({})).await;
    let asked = the_open_ask(&house, &ada).await;
    let plain = house.post("/v1/asks", machine.token(), &question("By a script?")).await.1;
    let devices = house.get("/v1/devices", &ada).await.1;
    let device = devices["items"].as_array().unwrap().iter().find(|it| it["is_machine"] == true).unwrap().clone();
    let path = format!("/v1/devices/{}", device["id"].as_str().unwrap());
    assert_eq!(house.delete(&path, &ada).await.0, 200);
    until_state(&house, &ada, &plain, |ask| ask["state"] == "withdrawn").await;
    let over = until_state(&house, &ada, &asked, |ask| ask["state"] == "withdrawn").await;
    assert_eq!(over["words"], "the agent's token was revoked");
    house.close().await;
}
