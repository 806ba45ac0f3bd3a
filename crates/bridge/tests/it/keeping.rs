//! How long data is kept: deleting, pruning, retention, and who may.

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::keeping::Retention;
use askbridge_bridge::runtime::Store;
use askbridge_core::event::{Audience, Settings};
use askbridge_core::ids::{PartyId, SessionId, Timestamp};
use askbridge_core::intent::{Intent, Start};
use askbridge_journal::journal::Journal;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_journal::sqlite;
use serde_json::{Value, json};

use crate::kit::House;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Asks a question that is answered and delivered. Returns the ask.
async fn one_round(house: &House, agent: &str, person: &str, question: &str) -> Value {
    let (status, ask) = house.post("/v1/asks", agent, &json!({"question": question})).await;
    assert_eq!(status, 201, "{ask}");
    answer(house, person, &ask).await;
    fetch(house, agent, &ask).await
}

/// The agent fetches its answer. The delivery is noted when the connection has taken the response, a moment after we
/// have it.
async fn fetch(house: &House, agent: &str, ask: &Value) -> Value {
    for _ in 0..1000 {
        let (_, fetched) = house.get(&path_of(ask), agent).await;
        assert_eq!(fetched["state"], "answered");
        if !fetched["delivered_at"].is_null() {
            return fetched;
        }
    }
    panic!("the answer was fetched a thousand times");
}

async fn answer(house: &House, person: &str, ask: &Value) {
    let question = ask["questions"][0]["question"].as_str().expect("it has a question");
    let (status, answered) =
        house.post(&format!("{}/answer", path_of(ask)), person, &json!({"answers": {question: "yes"}})).await;
    assert_eq!(status, 200, "{answered}");
}

fn path_of(ask: &Value) -> String {
    format!("/v1/asks/{}", ask["id"].as_str().expect("an ask has an id"))
}

fn session_of(ask: &Value) -> String {
    format!("/v1/sessions/{}", ask["session"].as_str().expect("an ask has a session"))
}

/// All keys on the shelf about a session.
async fn kept(house: &House, ask: &Value) -> Vec<String> {
    let id = ask["session"].as_str().expect("an ask has a session").trim_start_matches("ses_").to_owned();
    let items = house.handle.store().list("", house.handle.now()).await.expect("the shelf can be read");
    items.into_iter().map(|item| item.key).filter(|key| key.contains(&id)).collect()
}

#[tokio::test]
async fn a_finished_conversation_is_deleted_whole_and_everyone_connected_hears_it() {
    let house = House::open().await;
    let (agent, ada, bob) = (house.agent("ci").await, house.operator("ada").await, house.person("bob").await);
    let (mut phone, mut stream) = (house.native(&bob).await, house.events(&ada).await);
    let (_, ask) = house.post("/v1/asks", &agent, &json!({"question": "Go on?"})).await;
    let draft = json!({"draft": {"text": "perh"}});
    assert_eq!(house.post(&format!("{}/draft", path_of(&ask)), &bob, &draft).await.0, 204);
    assert_eq!(house.post(&format!("{}/snooze", path_of(&ask)), &bob, &json!({"seconds": 3600})).await.0, 200);
    assert_eq!(kept(&house, &ask).await.len(), 2);
    answer(&house, &ada, &ask).await;
    fetch(&house, &agent, &ask).await;

    let (status, gone) = house.delete(&session_of(&ask), &ada).await;
    assert_eq!((status, &gone["sessions"]), (200, &json!(1)), "{gone}");
    assert!(gone["entries"].as_u64().unwrap() >= 2 && gone["bytes"].as_u64().unwrap() > 100, "{gone}");
    let heard = phone.hear("that it is gone", |frame| frame["type"] == "gone").await;
    assert_eq!(heard["sessions"], json!([ask["session"]]));
    assert_eq!(stream.hear("gone").await["sessions"], json!([ask["session"]]));
    for path in [session_of(&ask), path_of(&ask), format!("{}/events", session_of(&ask))] {
        assert_eq!(house.get(&path, &ada).await.0, 404, "{path}");
    }
    assert_eq!(house.delete(&session_of(&ask), &ada).await.0, 404);
    assert_eq!(house.get("/v1/sessions", &ada).await.1["items"], json!([]));
    assert_eq!(house.get("/v1/asks?state=all", &ada).await.1["items"], json!([]));
    assert_eq!(kept(&house, &ask).await, [] as [&str; 0]);
    let records = house.handle.store().forgettings(0, 10).await.unwrap();
    assert_eq!((records.len(), &*records[0].by), (1, "ada, test (http)"));
    house.close().await;
}

#[tokio::test]
async fn only_operators_and_terminals_delete() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    let (bob, local, other) = (house.person("bob").await, house.local().await, house.agent("other").await);
    let ask = one_round(&house, &agent, &ada, "Go on?").await;
    for token in [&agent, &bob, &local] {
        let (status, refused) = house.delete(&session_of(&ask), token).await;
        assert_eq!((status, &refused["code"]), (403, &json!("forbidden")));
        assert_eq!(house.post("/v1/prune", token, &json!({"older_than_seconds": 0})).await.0, 403);
    }
    assert_eq!(house.delete(&session_of(&ask), &other).await.0, 404, "it does not even see it");
    let mut phone = house.native(&bob).await;
    let session = ask["session"].as_str().unwrap();
    phone.say(&json!({"type": "forget", "tag": 1, "session": session}).to_string()).await;
    let reply = phone.hear("a refusal", |frame| frame["type"] == "reply").await;
    assert_eq!((&reply["ok"], &reply["error"]["code"]), (&json!(false), &json!("forbidden")));
    let mut screen = house.native(&ada).await;
    screen.say(&json!({"type": "forget", "tag": 2, "session": session}).to_string()).await;
    assert_eq!(screen.hear("a reply", |frame| frame["type"] == "reply").await["ok"], json!(true));
    assert_eq!(house.get(&session_of(&ask), &ada).await.0, 404);
    house.close().await;
}

#[tokio::test]
async fn what_is_unfinished_is_not_deleted_and_says_why() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    let (_, ask) = house.post("/v1/asks", &agent, &json!({"question": "Go on?"})).await;
    let (status, refused) = house.delete(&session_of(&ask), &ada).await;
    assert_eq!((status, &refused["code"]), (409, &json!("session_unfinished")));
    let words = |refused: &Value| refused["detail"].as_str().unwrap().to_owned();
    assert!(words(&refused).contains("a person can still decide"), "{refused}");
    answer(&house, &ada, &ask).await;
    let (status, refused) = house.delete(&session_of(&ask), &ada).await;
    assert_eq!(status, 409);
    assert!(words(&refused).contains("its agent has not heard yet what became of"), "{refused}");
    fetch(&house, &agent, &ask).await;
    assert_eq!(house.delete(&session_of(&ask), &ada).await.0, 200);
    // The same agent may ask the same again.
    assert_eq!(house.post("/v1/asks", &agent, &json!({"question": "Go on?"})).await.0, 201);
    house.close().await;
}

#[tokio::test]
async fn an_idempotency_key_is_forgotten_with_its_session_and_can_be_used_again() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    let body = json!({"question": "Go on?"});
    let (status, ask) = house.post_with_key("/v1/asks", &agent, "k1", &body).await;
    assert_eq!(status, 201);
    answer(&house, &ada, &ask).await;
    fetch(&house, &agent, &ask).await;
    assert_eq!(house.post_with_key("/v1/asks", &agent, "k1", &body).await.0, 200);
    assert_eq!(house.delete(&session_of(&ask), &ada).await.0, 200);
    let (status, again) = house.post_with_key("/v1/asks", &agent, "k1", &body).await;
    assert_eq!((status, &again["state"], &again["id"]), (201, &json!("open"), &ask["id"]));
    house.close().await;
}

fn start(continues: Option<SessionId>) -> Intent {
    Intent::Start(Box::new(Start {
        door: "http".to_owned(),
        agent: "ci".to_owned(),
        owner: PartyId::from("tok_ci"),
        audience: Audience::Everyone,
        settings: Settings::default(),
        continues,
        host: None,
    }))
}

#[tokio::test]
async fn sessions_that_went_on_as_one_another_go_together() {
    let house = House::open().await;
    let ada = house.operator("ada").await;
    let links = [SessionId(11), SessionId(12), SessionId(13)];
    house.handle.submit(links[0], vec![start(None)]).await.unwrap();
    for pair in links.windows(2) {
        house.handle.submit(pair[1], vec![start(Some(pair[0]))]).await.unwrap();
        house.handle.submit(pair[0], vec![Intent::Continue { to: pair[1] }]).await.unwrap();
    }
    let say = Intent::Say { text: "hello".to_owned(), by: None, about: None, client_id: None };
    house.handle.submit(links[2], vec![say]).await.unwrap();
    let path = format!("/v1/sessions/{}", links[1]);
    let (status, refused) = house.delete(&path, &ada).await;
    assert_eq!(status, 409, "the last of them has a message that waits");
    assert!(refused["detail"].as_str().unwrap().contains(&links[2].to_string()), "{refused}");
    assert_eq!(house.get("/v1/sessions", &ada).await.1["items"].as_array().unwrap().len(), 3, "none of them went");
    let message = askbridge_core::ids::MessageId { session: links[2], number: 1 };
    house.handle.submit(links[2], vec![Intent::Unsay { message }]).await.unwrap();
    let (status, gone) = house.delete(&path, &ada).await;
    assert_eq!((status, &gone["sessions"]), (200, &json!(3)));
    assert_eq!(house.get("/v1/sessions", &ada).await.1["items"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn a_long_conversation_goes_in_several_steps_and_leaves_nothing() {
    const EACH: usize = 900;
    let house = House::open().await;
    let ada = house.operator("ada").await;
    let links: Vec<_> = (21..24).map(SessionId).collect();
    let mut before = None;
    for link in &links {
        house.handle.submit(*link, vec![start(before)]).await.unwrap();
        for number in 1..=EACH as u32 / 2 {
            let say = Intent::Say { text: "hello".to_owned(), by: None, about: None, client_id: None };
            house.handle.submit(*link, vec![say]).await.unwrap();
            let message = askbridge_core::ids::MessageId { session: *link, number };
            house.handle.submit(*link, vec![Intent::Unsay { message }]).await.unwrap();
        }
        if let Some(before) = before {
            house.handle.submit(before, vec![Intent::Continue { to: *link }]).await.unwrap();
        }
        before = Some(*link);
    }
    let (status, gone) = house.delete(&format!("/v1/sessions/{}", links[1]), &ada).await;
    assert_eq!((status, &gone["sessions"]), (200, &json!(3)), "{gone}");
    let records = house.handle.store().forgettings(0, 10).await.unwrap();
    let steps: Vec<_> = records.iter().map(|record| record.gone.len()).collect();
    assert_eq!(steps, [2, 1], "no transaction holds the journal for long");
    assert_eq!(house.get("/v1/sessions", &ada).await.1["items"], json!([]));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_kill_left_of_a_forgotten_session_goes_at_the_next_start() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Manual::new(Timestamp(1_794_731_400_000)));
    let house = open_file(dir.path(), &clock).await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    let gone = one_round(&house, &agent, &ada, "Gone?").await;
    let stays = one_round(&house, &agent, &ada, "Stays?").await;
    assert_eq!(house.delete(&session_of(&gone), &ada).await.0, 200);
    // As if the server had been killed before it removed what is outside of the journal.
    for ask in [&gone, &stays] {
        let key = format!("draft/0123/{}", ask["id"].as_str().unwrap());
        let put = house.handle.store().put(&key, b"half written", Expect::Any, None, house.handle.now()).await;
        put.unwrap();
    }
    house.close().await;
    let house = open_file(dir.path(), &clock).await;
    house.keep(Retention::default());
    for _ in 0..1000 {
        if kept(&house, &gone).await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(kept(&house, &gone).await, [] as [&str; 0]);
    assert_eq!(kept(&house, &stays).await.len(), 1);
    house.close().await;
}

async fn open_file(dir: &std::path::Path, clock: &Manual) -> House {
    House::open_file(&sqlite::Options::new(dir, 7), Clock::Manual(clock.clone()), 7).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retention_forgets_what_was_quiet_long_enough_and_nothing_else() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Manual::new(Timestamp(1_794_731_400_000)));
    let house = open_file(dir.path(), &clock).await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    let old = one_round(&house, &agent, &ada, "Old?").await;
    let (_, open) = house.post("/v1/asks", &agent, &json!({"question": "Open?"})).await;
    clock.advance(DAY * 60);
    let young = one_round(&house, &agent, &ada, "Young?").await;
    clock.advance(DAY * 31);
    let mut screen = house.native(&ada).await;
    house.keep(Retention { age: Some(DAY * 90), bytes: None });
    let gone = screen.hear("that it is gone", |frame| frame["type"] == "gone").await;
    assert_eq!(gone["sessions"], json!([old["session"]]));
    for (ask, status) in [(&old, 404), (&open, 200), (&young, 200)] {
        assert_eq!(house.get(&path_of(ask), &ada).await.0, status);
    }
    assert_eq!(house.handle.store().forgettings(0, 10).await.unwrap()[0].by, "retention");
    house.close().await;
    assert!(askbridge_journal::verify(dir.path()).unwrap().is_good());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pruning_counts_first_and_then_does_what_it_said() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Manual::new(Timestamp(1_794_731_400_000)));
    let house = open_file(dir.path(), &clock).await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    for number in 0..5 {
        one_round(&house, &agent, &ada, &format!("Question {number}?")).await;
    }
    house.post("/v1/asks", &agent, &json!({"question": "Open?"})).await;
    clock.advance(DAY * 2);
    let prune = async |body: Value| house.post("/v1/prune", &ada, &body).await;
    assert_eq!(prune(json!({})).await.0, 422, "it has to be said what goes");
    let (status, nothing) = prune(json!({"older_than_seconds": 3 * 86_400, "dry_run": true})).await;
    assert_eq!((status, &nothing["sessions"], &nothing["next"]), (200, &json!(0), &Value::Null));
    let (_, counted) = prune(json!({"older_than_seconds": 86_400, "dry_run": true})).await;
    assert_eq!((&counted["sessions"], &counted["unfinished"]), (&json!(5), &json!(1)), "{counted}");
    assert_eq!(house.get("/v1/sessions", &ada).await.1["items"].as_array().unwrap().len(), 6);
    let (_, done) = prune(json!({"older_than_seconds": 86_400})).await;
    assert_eq!((&done["sessions"], &done["unfinished"]), (&json!(5), &json!(1)), "{done}");
    assert_eq!(counted["entries"], done["entries"], "what was counted is what went");
    assert!(done["entries"].as_u64().unwrap() >= 10, "{done}");
    assert_eq!(house.get("/v1/sessions", &ada).await.1["items"].as_array().unwrap().len(), 1);
    house.close().await;
}

/// Makes steps until there is nothing more to do. Returns how many bytes were forgotten, or would be.
async fn prune_all(house: &House, operator: &str, mut wanted: Value) -> u64 {
    let mut bytes = 0;
    for _ in 0..100 {
        let (status, step) = house.post("/v1/prune", operator, &wanted).await;
        assert_eq!(status, 200, "{step}");
        bytes += step["bytes"].as_u64().expect("a step counts bytes");
        (wanted["after"], wanted["counted_bytes"]) = (step["next"].clone(), json!(bytes));
        if step["next"].is_null() {
            return bytes;
        }
    }
    panic!("it has no end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_size_the_oldest_go_until_it_fits_and_today_stays() {
    let (dir, clock) = (tempfile::tempdir().unwrap(), Manual::new(Timestamp(1_794_731_400_000)));
    let house = open_file(dir.path(), &clock).await;
    let (agent, ada) = (house.agent("ci").await, house.operator("ada").await);
    let mut asks = Vec::new();
    for _ in 0..20 {
        asks.push(one_round(&house, &agent, &ada, &"long ".repeat(10_000)).await);
    }
    clock.advance(DAY * 2);
    let today = one_round(&house, &agent, &ada, &"long ".repeat(10_000)).await;
    let used = |store: Store| async move { store.space().await.unwrap().unwrap().used() };
    let full = used(house.handle.store().clone()).await;
    let most = full / 2;
    let counted = prune_all(&house, &ada, json!({"larger_than_bytes": most, "dry_run": true})).await;
    assert!(counted >= full - most && counted < full, "{counted} of {full} would go");
    prune_all(&house, &ada, json!({"larger_than_bytes": most})).await;
    let left = used(house.handle.store().clone()).await;
    assert!(left <= most && left > most / 2, "{left} of {full} are left");
    assert_eq!(house.get(&path_of(&asks[0]), &ada).await.0, 404);
    for kept in [&asks[19], &today] {
        assert_eq!(house.get(&path_of(kept), &ada).await.0, 200);
    }
    prune_all(&house, &ada, json!({"larger_than_bytes": 1})).await;
    let (_, listed) = house.get("/v1/sessions", &ada).await;
    let ids: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    assert_eq!(ids, [&today["session"]]);
    house.close().await;
}
