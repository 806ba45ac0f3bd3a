//! `withdraw_on_disconnect`: if the asker requested it, its question is withdrawn when it disconnects.

use serde_json::{Value, json};

use crate::kit::{House, Raw, Socket};

const FLAG: &str = "&withdraw_on_disconnect=true";

fn question(text: &str) -> String {
    json!({"questions": [{"question": text, "options": ["Yes", "No"]}]}).to_string()
}

/// Sends a request on a connection of its own, and leaves it waiting.
async fn waiting(house: &House, token: &str, method: &str, path: &str, body: &str) -> Raw {
    let mut raw = Raw::open(house).await;
    let (host, length) = (house.address(), body.len());
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n");
    raw.say(&format!("{head}content-length: {length}\r\n\r\n{body}")).await;
    raw
}

async fn asked(phone: &mut Socket, text: &str) -> String {
    let of = |frame: &Value| frame["event"]["ask"]["questions"][0]["question"].clone();
    let frame = phone.hear("an ask", |frame| frame["event"]["type"] == "asked" && of(frame) == text).await;
    frame["event"]["ask"]["id"].as_str().expect("an ask has an id").to_owned()
}

async fn withdrawn(phone: &mut Socket, ask: &str) {
    phone
        .hear("that it is withdrawn", |frame| frame["event"]["type"] == "withdrawn" && frame["event"]["ask"] == ask)
        .await;
}

#[tokio::test]
async fn an_asker_that_goes_away_takes_its_question_along_if_it_said_so() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let stays = waiting(&house, &agent, "POST", "/v1/asks?wait=600", &question("Stays?")).await;
    let kept = asked(&mut phone, "Stays?").await;
    let path = format!("/v1/asks?wait=600{FLAG}");
    let goes = waiting(&house, &agent, "POST", &path, &question("Goes?")).await;
    let gone = asked(&mut phone, "Goes?").await;
    drop((stays, goes));
    withdrawn(&mut phone, &gone).await;
    let (_, view) = house.get(&format!("/v1/asks/{gone}"), &agent).await;
    assert_eq!(
        (&view["state"], &view["words"]),
        (&json!("withdrawn"), &json!("the asker went away without waiting for the answer"))
    );

    let path = format!("/v1/asks/{kept}?wait=600");
    drop(waiting(&house, &agent, "GET", &path, "").await);
    assert_eq!(
        house.get(&format!("/v1/asks/{kept}"), &agent).await.1["state"],
        "open",
        "it may come back with its key"
    );
    let looks_on = waiting(&house, &agent, "GET", &format!("{path}{FLAG}"), "").await;
    // A later request was answered, so the server has this one.
    assert_eq!(house.get("/v1/me", &agent).await.0, 200);
    drop(looks_on);
    withdrawn(&mut phone, &kept).await;
    house.close().await;
}

#[tokio::test]
async fn an_asker_that_hears_the_answer_or_whose_time_is_up_withdraws_nothing() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let path = format!("/v1/asks?wait=600{FLAG}");
    let mut hears = waiting(&house, &agent, "POST", &path, &question("Heard?")).await;
    let heard = asked(&mut phone, "Heard?").await;
    let yes = json!({"answers": {"Heard?": "Yes"}});
    assert_eq!(house.post(&format!("/v1/asks/{heard}/answer"), &ada, &yes).await.0, 200);
    assert_eq!(hears.status().await, 201);
    drop(hears);
    let mut brief = waiting(&house, &agent, "POST", &format!("/v1/asks?wait=0.05{FLAG}"), &question("Later?")).await;
    let later = asked(&mut phone, "Later?").await;
    assert_eq!(brief.status().await, 201);
    drop(brief);
    assert_eq!(house.get(&format!("/v1/asks/{heard}"), &agent).await.1["state"], "answered");
    assert_eq!(house.get(&format!("/v1/asks/{later}"), &agent).await.1["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn an_answer_that_can_still_be_undone_stays_when_the_asker_goes_away() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let path = format!("/v1/asks?wait=600{FLAG}");
    let with_undo =
        json!({"questions": [{"question": "Undone?", "options": ["Yes", "No"]}], "undo_seconds": 60}).to_string();
    let first = waiting(&house, &agent, "POST", &path, &with_undo).await;
    let answered = asked(&mut phone, "Undone?").await;
    let second = waiting(&house, &agent, "POST", &path, &question("Unanswered?")).await;
    let unanswered = asked(&mut phone, "Unanswered?").await;
    let yes = json!({"answers": {"Undone?": "Yes"}});
    assert_eq!(house.post(&format!("/v1/asks/{answered}/answer"), &ada, &yes).await.0, 200);
    drop(first);
    drop(second);
    // Both disconnected together; that the second is withdrawn shows that the server has noticed.
    withdrawn(&mut phone, &unanswered).await;
    let (_, view) = house.get(&format!("/v1/asks/{answered}"), &agent).await;
    assert_eq!(view["state"], "proposed", "{view}");
    assert_eq!(house.post(&format!("/v1/asks/{answered}/undo"), &ada, &json!({})).await.0, 200);
    assert_eq!(house.get(&format!("/v1/asks/{answered}"), &agent).await.1["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn only_who_may_withdraw_may_say_so_and_only_while_it_waits() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let body: Value = serde_json::from_str(&question("Whose?")).expect("it is JSON");
    let (_, ask) = house.post("/v1/asks", &agent, &body).await;
    let path = format!("/v1/asks/{}", ask["id"].as_str().expect("an ask has an id"));
    assert_eq!(house.get(&format!("{path}?wait=1{FLAG}"), &ada).await.0, 403);
    // Without a wait no connection is held, and nothing is withdrawn with it.
    let (status, shown) = house.get(&format!("{path}?withdraw_on_disconnect=true"), &agent).await;
    assert_eq!((status, &shown["state"]), (200, &json!("open")));
    assert_eq!(house.get(&path, &agent).await.1["state"], "open");
    house.close().await;
}
