//! Asks that a rule answers when they are made: one entry, so that no crash and no subscriber finds them open.

use std::sync::Arc;

use askbridge_core::answer::RulePlace;
use askbridge_core::event::Event;
use askbridge_core::ids::SessionId;
use askbridge_core::rules::asks::{Action, AnswerBy, Answers, AskRule, Conditions, RuleFile, RuleSet, TermsOf};
use askbridge_core::terms::Wishes;
use askbridge_journal::journal::Journal;
use serde_json::{Value, json};

use crate::kit::House;

/// Opens a house with one rule, about deploys.
async fn ruled(action: Action) -> House {
    let rule = AskRule {
        name: "deploys".to_owned(),
        place: Some(RulePlace { file: "rules.toml".to_owned(), line: 3 }),
        when: Conditions { asks_about: vec!["deploy".to_owned()], ..Conditions::default() },
        action,
        ..AskRule::default()
    };
    let house = House::open().await;
    let file = RuleFile { terms: TermsOf::Every, rules: vec![rule] };
    house.handle.use_rules(RuleSet::new(vec![file], Wishes::default()));
    house
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
    let house = ruled(Action::Answer(Answers::All(AnswerBy::First))).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let (status, asked) = house.post("/v1/asks", &agent, &question()).await;
    let by = json!({"rule": "deploys", "file": "rules.toml", "line": 3});
    assert_eq!((status, &asked["state"], &asked["by"]), (201, &json!("ruled"), &by), "{asked}");
    assert_eq!(asked["verdict"]["words"], "Decided by the rule “deploys”; no person was asked.");
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
async fn a_rule_that_does_not_fit_leaves_the_ask_to_a_person() {
    let house = ruled(Action::Allow).await;
    let agent = house.agent("ci").await;
    let (status, asked) = house.post("/v1/asks", &agent, &question()).await;
    assert_eq!((status, &asked["state"]), (201, &json!("open")), "{asked}");
    house.close().await;
}

#[tokio::test]
async fn a_question_that_a_rule_refuses_is_ruled_says_so_and_can_be_answered_late() {
    let house = ruled(Action::Deny { words: "Not at night.".to_owned() }).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, asked) = house.post("/v1/asks", &agent, &question()).await;
    let told =
        (&asked["state"], &asked["by"]["rule"], &asked["words"], &asked["answerable"], &asked["verdict"]["ruling"]);
    let wanted = (&json!("ruled"), &json!("deploys"), &json!("Not at night."), &json!(true), &json!("deny"));
    assert_eq!(told, wanted, "{asked}");
    let words = "Not answered: refused by the rule “deploys”; no person was asked. It says: Not at night.";
    assert_eq!(asked["verdict"]["words"], words);
    let address = format!("/v1/asks/{}/answer", asked["id"].as_str().expect("it has an id"));
    let (status, late) = house.post(&address, &ada, &json!({"answers": {"Deploy now?": "Yes"}})).await;
    assert_eq!((status, &late["late"]["answers"]), (202, &json!({"Deploy now?": "Yes"})), "{late}");
    house.close().await;
}
