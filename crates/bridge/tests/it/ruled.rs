//! Asks that a rule answers when they are made: one entry, so that no crash and no subscriber finds them open.

use std::sync::Arc;

use askbridge_core::answer::{Answer, Decision, Pick, Scope};
use askbridge_core::event::Event;
use askbridge_core::ids::SessionId;
use askbridge_core::terms::{Rule, Rules};
use askbridge_journal::journal::Journal;
use serde_json::{Value, json};

use crate::kit::House;

/// One rule, which answers every ask about deploys.
fn rules(answer: Answer) -> Rules {
    let rule = Rule {
        name: "deploys".to_owned(),
        asks_about: Some("deploy".to_owned()),
        answer: Some(answer),
        ..Rule::default()
    };
    Rules { list: vec![rule], ..Rules::default() }
}

fn question() -> Value {
    json!({"questions": [{"question": "Deploy now?", "options": ["Yes", "No"]}]})
}

async fn events(house: &House, session: SessionId) -> Vec<Vec<Arc<Event>>> {
    let page = house.handle.store().read(session, None, None, 100).await.expect("it can be read");
    let of = |stored: &Arc<askbridge_journal::Stored>| {
        stored.entry.events.iter().map(|written| Arc::clone(&written.event)).collect()
    };
    page.iter().map(of).collect()
}

#[tokio::test]
async fn an_ask_and_the_rule_that_answers_it_are_one_entry_and_no_watcher_sees_it_open() {
    let house = House::open_ruled(rules(Answer::Questions(vec![Pick::option(0)]))).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let (status, asked) = house.post("/v1/asks", &agent, &question()).await;
    assert_eq!((status, &asked["state"], &asked["by"]), (201, &json!("ruled"), &json!({"rule": "deploys"})), "{asked}");
    let session = asked["session"].as_str().and_then(|id| id.parse().ok()).expect("it has a session");
    let [entry] = &events(&house, session).await[..] else { panic!("there is one entry") };
    assert!(matches!(
        entry.iter().map(|event| &**event).collect::<Vec<_>>()[..],
        [Event::Started(_), Event::Asked(_), Event::Settled(_)]
    ));
    // A client that reconnects continues after an entry, never within one: only its last event has a cursor.
    let made = phone.hear("that it was asked", |frame| frame["event"]["type"] == "asked").await;
    assert_eq!(made["cursor"], Value::Null, "{made}");
    phone.hear("that it is settled", |frame| frame["event"]["type"] == "settled" && frame["cursor"].is_string()).await;
    assert_eq!(house.get("/v1/asks", &ada).await.1["items"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn a_rule_whose_answer_does_not_fit_leaves_the_ask_to_a_person() {
    let allow = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None });
    let house = House::open_ruled(rules(allow)).await;
    let agent = house.agent("ci").await;
    let (status, asked) = house.post("/v1/asks", &agent, &question()).await;
    assert_eq!((status, &asked["state"]), (201, &json!("open")), "{asked}");
    house.close().await;
}
