//! Many large asks at once: every client sees that they are there, and one that opens an ask sees it whole.

use std::collections::BTreeSet;

use askbridge_bridge::clock::Clock;
use askbridge_core::limits;
use askbridge_journal::sqlite;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::kit::House;

const LARGE: usize = 80_000;

/// An approval for writing a file with this many bytes.
fn write(name: &str, bytes: usize) -> Value {
    let input = json!({"content": "x".repeat(bytes), "file_path": format!("/srv/{name}.txt")});
    json!({"approval": {"tool": "Write", "input": input, "summary": format!("write {name}.txt")}})
}

async fn ask(house: &House, agent: &str, body: &Value) -> String {
    let (status, asked) = house.post("/v1/asks", agent, body).await;
    assert_eq!(status, 201, "{asked}");
    asked["id"].as_str().expect("an ask has an id").to_owned()
}

async fn ask_sixty(house: &House, agent: &str) -> BTreeSet<String> {
    let mut asked = BTreeSet::new();
    for number in 0..60 {
        asked.insert(ask(house, agent, &write(&number.to_string(), LARGE)).await);
    }
    asked
}

fn ids(asks: &Value) -> BTreeSet<String> {
    let asks = asks.as_array().expect("a list of asks");
    asks.iter().map(|ask| ask["id"].as_str().expect("an ask has an id").to_owned()).collect()
}

/// Says hello, and returns the snapshot.
async fn greeted(house: &House, token: &str) -> Value {
    let mut socket = house.socket("/v1/ws", None).await.expect("anybody may knock");
    socket.say(&json!({"type": "hello", "token": token}).to_string()).await;
    socket.hear("a snapshot", |frame| frame["type"] == "snapshot").await
}

#[tokio::test]
async fn sixty_large_approvals_blind_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 7), Clock::System, 7).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let asked = ask_sixty(&house, &agent).await;
    let shot = greeted(&house, &ada).await;
    assert_eq!((ids(&shot["asks"]), &shot["more"]), (asked.clone(), &json!(false)));
    assert_eq!(ids(&house.events(&ada).await.hear("snapshot").await["asks"]), asked);
    let (_, page) = house.get("/v1/asks", &ada).await;
    assert_eq!((ids(&page["items"]), &page["next"]), (asked, &Value::Null));
    // A list shows what a list needs, and says that there is more to read.
    for ask in shot["asks"].as_array().unwrap().iter().chain(page["items"].as_array().unwrap()) {
        assert!(ask["truncated"]["bytes"].as_u64().unwrap() as usize > LARGE);
        assert!(ask.to_string().len() < limits::LISTED_ASK_BYTES_MAX);
        let (_, whole) = house.get(&format!("/v1/asks/{}", ask["id"].as_str().unwrap()), &ada).await;
        assert_eq!(ask["approval"]["input"]["file_path"], whole["approval"]["input"]["file_path"]);
        assert_eq!(ask["approval"]["summary"], whole["approval"]["summary"]);
        assert_eq!(whole["approval"]["input"]["content"].as_str().unwrap().len(), LARGE);
        assert_eq!(whole.get("truncated"), None);
    }
    house.close().await;
}

#[tokio::test]
async fn a_small_ask_is_listed_as_it_is() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let id = ask(&house, &agent, &write("small", 1_000)).await;
    let (_, whole) = house.get(&format!("/v1/asks/{id}"), &ada).await;
    let (_, page) = house.get("/v1/asks", &ada).await;
    assert_eq!(page["items"], json!([whole]));
    assert_eq!(greeted(&house, &ada).await["asks"], json!([whole]));
    house.close().await;
}

#[tokio::test]
async fn a_snapshot_and_a_page_have_their_bytes_and_the_pages_go_on() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut asked = BTreeSet::new();
    // Just small enough to be listed whole, and more of them than a page has room for.
    let each = limits::LISTED_ASK_BYTES_MAX - 1_000;
    for number in 0..limits::PAGE_BYTES_MAX / each + 5 {
        asked.insert(ask(&house, &agent, &write(&number.to_string(), each)).await);
    }
    let shot = greeted(&house, &ada).await;
    assert_eq!(shot["more"], true, "the pages lead to the rest");
    let most = limits::PAGE_BYTES_MAX + limits::LISTED_ASK_BYTES_MAX;
    assert!(shot.to_string().len() < most);
    let (mut seen, mut after) = (BTreeSet::new(), String::new());
    for _ in 0..asked.len() {
        let (_, page) = house.get(&format!("/v1/asks?order=longest_waiting&limit=500{after}"), &ada).await;
        assert!(page.to_string().len() < most);
        let found = ids(&page["items"]);
        assert!(!found.is_empty() && seen.is_disjoint(&found));
        seen.extend(found);
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, asked);
    assert!(seen.is_superset(&ids(&shot["asks"])));
    house.close().await;
}

#[tokio::test]
async fn large_asks_that_come_at_once_are_counted_together() {
    const EACH: usize = 250_000;
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let large = write("large", EACH);
    // More than the limit.
    let many = limits::OPEN_BYTES_MAX as usize / EACH + 40;
    let asked = join_all((0..many).map(|_| house.post("/v1/asks", &agent, &large))).await;
    let taken = asked.iter().filter(|(status, _)| *status == 201).count();
    let refused = asked.iter().filter(|(status, _)| *status == 429).count();
    assert_eq!(taken + refused, many);
    let bytes = (taken * EACH) as u64;
    assert!(bytes <= limits::OPEN_BYTES_MAX, "{bytes} bytes were taken");
    assert!(bytes > limits::OPEN_BYTES_MAX * 9 / 10, "only {bytes} bytes were taken");
    house.close().await;
}

#[tokio::test]
async fn what_is_open_for_one_token_has_its_bytes_also_after_a_restart() {
    const EACH: usize = 250_000;
    let folder = tempfile::tempdir().unwrap();
    let options = sqlite::Options::new(folder.path(), 7);
    let house = House::open_file(&options, Clock::System, 7).await;
    let (agent, other) = (house.agent("ci").await, house.agent("nightly").await);
    let large = write("large", EACH);
    let (mut first, mut taken, mut bytes) = (None, 0, 0);
    let refused = loop {
        let (status, asked) = house.post_with_key("/v1/asks", &agent, &format!("key {taken}"), &large).await;
        if status != 201 {
            break (status, asked);
        }
        first.get_or_insert(asked["id"].as_str().unwrap().to_owned());
        taken += 1;
        bytes += EACH as u64;
        assert!(bytes < limits::OPEN_BYTES_MAX + EACH as u64, "there is no end");
    };
    let first = first.unwrap();
    assert_eq!((refused.0, &refused.1["code"], &refused.1["retry"]), (429, &json!("too_much_open"), &json!(true)));
    assert!(bytes > limits::OPEN_BYTES_MAX * 9 / 10, "refused after {bytes} bytes");
    house.close().await;

    let house = House::open_file(&options, Clock::System, 8).await;
    assert_eq!(house.post("/v1/asks", &agent, &large).await.0, 429, "it is open all the same");
    // A repeat of what was accepted before the limit is not another ask.
    let (status, again) = house.post_with_key("/v1/asks", &agent, "key 0", &large).await;
    assert_eq!((status, again["id"].as_str()), (200, Some(&*first)));
    assert_eq!(house.post("/v1/asks", &other, &large).await.0, 201, "others have room of their own");
    let withdrawn = house.post(&format!("/v1/asks/{first}/withdraw"), &agent, &json!({})).await;
    assert_eq!(withdrawn.0, 200, "{}", withdrawn.1);
    let (status, asked) = house.post("/v1/asks", &agent, &large).await;
    assert_eq!(status, 201, "there is room again: {}", asked["detail"]);
    assert_eq!(house.post("/v1/asks", &agent, &large).await.0, 429);
    house.close().await;
}

#[tokio::test]
async fn a_client_that_reads_late_hears_every_large_ask_of_a_burst() {
    const COUNT: usize = 150;
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut late = house.native(&ada).await;
    let mut asked = Vec::new();
    // Far more than is queued for one client, in our memory and in the system's.
    for number in 0..COUNT {
        asked.push(ask(&house, &agent, &write(&number.to_string(), 200_000)).await);
    }
    let mut heard = Vec::new();
    while heard.len() < COUNT {
        let event = late.hear("an ask", |frame| frame["event"]["type"] == "asked").await;
        assert_eq!(event["event"]["ask"]["approval"]["input"]["content"].as_str().map(str::len), Some(200_000));
        heard.push(event["event"]["ask"]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(heard, asked, "each once, in order, and whole");
    house.close().await;
}

#[tokio::test]
async fn another_language_finds_its_question_among_sixty_large_asks() {
    let house = House::speaking("gobby").await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let plan =
        json!({"questions": [{"question": "Well?", "options": ["yes", "no"]}], "context": {"text": "x".repeat(LARGE)}});
    let mut asked = Vec::new();
    for _ in 0..60 {
        asked.push(ask(&house, &agent, &plan).await);
    }
    for id in [&asked[0], &asked[59]] {
        let mut gobby = house.gobby(&ada, id).await;
        let card = gobby.hear("the question", |frame| frame["tool_call_id"] == id.as_str()).await;
        assert_eq!(card["arguments"]["questions"][0]["options"].as_array().map(Vec::len), Some(2), "{card}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_conversation_of_large_asks_is_read_page_by_page_from_both_ends() {
    const COUNT: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let house = House::open_file(&sqlite::Options::new(folder.path(), 7), Clock::System, 7).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, session) = house.post("/v1/sessions", &agent, &json!({"agent": "ci"})).await;
    let session = session["id"].as_str().unwrap().to_owned();
    let mut asked = Vec::new();
    for number in 0..COUNT {
        let mut wish = write(&number.to_string(), LARGE);
        wish["session"] = json!(session);
        asked.push(ask(&house, &agent, &wish).await);
    }
    let events = format!("/v1/sessions/{session}/events?limit=500");
    let most = limits::READ_BYTES_MAX + 2 * LARGE;
    let ids = |page: &Value| -> Vec<String> {
        let entries = page["items"].as_array().unwrap().iter();
        let events = entries.flat_map(|entry| entry["events"].as_array().unwrap().clone());
        events.filter_map(|event| Some(event["ask"]["id"].as_str()?.to_owned())).collect()
    };
    let (mut forwards, mut next) = (Vec::new(), None);
    for _ in 0..COUNT {
        let after = next.map(|next: u64| format!("&after={next}")).unwrap_or_default();
        let (_, page) = house.get(&format!("{events}{after}"), &ada).await;
        assert!(page.to_string().len() < most, "{} bytes", page.to_string().len());
        forwards.extend(ids(&page));
        next = page["next"].as_u64();
        if next.is_none() {
            break;
        }
    }
    assert_eq!(forwards, asked);
    let (mut backwards, mut next) = (Vec::new(), Some(9_007_199_254_740_991));
    while let Some(before) = next {
        let (_, page) = house.get(&format!("{events}&before={before}"), &ada).await;
        assert!(page.to_string().len() < most, "{} bytes", page.to_string().len());
        backwards.splice(0..0, ids(&page));
        next = page["next"].as_u64();
    }
    assert_eq!(backwards, asked);
    house.close().await;
}

#[tokio::test]
async fn large_asks_are_found_by_words_and_in_history() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    for number in 0..30 {
        let id = ask(&house, &agent, &write(&number.to_string(), LARGE)).await;
        // Changed to something as large: an answer is shortened in a list as well.
        let answer = json!({"decision": "allow", "input": {"content": "y".repeat(LARGE), "file_path": "/srv/b.txt"}});
        let (status, answered) = house.post(&format!("/v1/asks/{id}/answer"), &ada, &answer).await;
        assert_eq!(status, 200, "{answered}");
    }
    let (_, all) = house.get("/v1/asks?state=over&limit=500", &ada).await;
    assert_eq!(all["items"].as_array().unwrap().len(), 30);
    assert!(all.to_string().len() < limits::PAGE_BYTES_MAX);
    let (_, found) = house.get("/v1/asks?state=all&q=write%207.txt", &ada).await;
    let [found] = &found["items"].as_array().unwrap()[..] else { panic!("one is found: {found}") };
    assert_eq!((&found["state"], &found["answers"]["decision"]), (&json!("answered"), &json!("allow")));
    let (_, whole) = house.get(&format!("/v1/asks/{}", found["id"].as_str().unwrap()), &ada).await;
    assert_eq!(whole["answers"]["input"]["content"].as_str().map(str::len), Some(LARGE));
    house.close().await;
}
