//! Asks that a rule answers when they are made: one entry, so that no crash and no subscriber finds them open.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::answer::RulePlace;
use askbridge_core::event::{Audience, Event, Settings};
use askbridge_core::ids::{Raw, SessionId};
use askbridge_core::intent::{Intent, Start};
use askbridge_core::rules::asks::{Action, AnswerBy, Answers, AskRule, Conditions, RuleFile, RuleSet, TermsOf};
use askbridge_core::terms::Wishes;
use askbridge_journal::journal::Journal;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::kit::House;

const PATIENCE: Duration = Duration::from_secs(60);

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

#[tokio::test]
async fn a_correction_over_http_is_a_message_that_counts_as_delivered_once_the_asker_reads_the_ask() {
    let house = ruled(Action::Answer(Answers::All(AnswerBy::First))).await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, asked) = house.post("/v1/asks", &agent, &question()).await;
    assert_eq!((&asked["state"], &asked["answers"]["Deploy now?"]), (&json!("ruled"), &json!("Yes")));
    let address = format!("/v1/asks/{}", asked["id"].as_str().expect("it has an id"));
    let (status, _) = house.post(&format!("{address}/answer"), &ada, &json!({"answers": {"Deploy now?": "No"}})).await;
    assert_eq!(status, 202);
    let session = format!("/v1/sessions/{}", asked["session"].as_str().expect("it has a session"));
    let (_, before) = house.get(&session, &agent).await;
    let text = before["queued_messages"][0]["text"].as_str().expect("a message waits");
    assert!(text.contains("At the time a rule decided: Yes") && text.ends_with("ada now says: No"), "{text}");
    let (_, read) = house.get(&address, &agent).await;
    assert_eq!((&read["state"], &read["late"]["answers"]["Deploy now?"]), (&json!("ruled"), &json!("No")), "{read}");
    // The note of the delivery is a rider: it is written within a moment, or with the next decision.
    let delivered = async {
        while house.get(&session, &agent).await.1["queued_messages"] != json!([]) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, delivered).await.expect("the message counts as delivered");
    let (again, refused) =
        house.post(&format!("{address}/answer"), &ada, &json!({"answers": {"Deploy now?": "Yes"}})).await;
    assert_eq!(again, 409, "one correction: {refused}");
    house.close().await;
}

/// Starts a session that no person attends, as a door that runs agents stores it.
async fn unattended(house: &House, token: &str, how: &str) -> String {
    let owner = house.app.tokens.caller(token).expect("the token is known").party;
    let settings = Settings { more: Some(Raw::from(json!({ "unattended": how }).to_string())), ..Settings::default() };
    let start = Start {
        door: "http".to_owned(),
        agent: "nightly".to_owned(),
        owner,
        audience: Audience::Everyone,
        settings,
        continues: None,
        host: None,
    };
    let session = SessionId(u128::from(how.len() as u64));
    house.handle.submit(session, vec![Intent::Start(Box::new(start))]).await.expect("it can be started");
    session.to_string()
}

#[tokio::test]
async fn a_session_that_no_person_attends_is_answered_by_label_or_denied_in_words_and_a_rule_comes_first() {
    let house = ruled(Action::Ask).await;
    let agent = house.agent("ci").await;
    let ask = |session: String, body: Value| {
        let (house, agent) = (&house, &agent);
        async move {
            let mut body = body;
            body["session"] = json!(session);
            house.post("/v1/asks", agent, &body).await.1
        }
    };
    let choice = json!({"questions": [
        {"question": "Which database?", "options": ["SQLite", "Postgres (Recommended)"]},
        {"question": "Which port?", "options": ["5432", "5433"]},
    ]});
    let answering = unattended(&house, &agent, "answer").await;
    let asked = ask(answering.clone(), choice.clone()).await;
    let wanted = json!({"Which database?": "Postgres (Recommended)", "Which port?": "5432"});
    assert_eq!(
        (&asked["state"], &asked["by"], &asked["answers"]),
        (&json!("ruled"), &json!({"rule": "unattended"}), &wanted)
    );
    assert_eq!(asked["verdict"]["words"], "Decided by the rule “unattended”, not by a person.");
    let free = ask(answering.clone(), json!({"question": "What is it called?"})).await;
    assert_eq!((&free["state"], &free["verdict"]["ruling"]), (&json!("ruled"), &json!("deny")), "{free}");
    let call = json!({"approval": {"tool": "Bash", "input": {"command": "make"}}});
    let denied = ask(answering.clone(), call).await;
    assert_eq!((&denied["by"]["rule"], &denied["answers"]["decision"]), (&json!("unattended"), &json!("deny")));
    assert_eq!(ask(answering, question()).await["state"], "open", "the rule about deploys sends it to a person");

    let denying = unattended(&house, &agent, "deny").await;
    let denied = ask(denying, choice.clone()).await;
    assert_eq!((&denied["by"]["rule"], &denied["answers"]), (&json!("unattended"), &json!({})), "{denied}");
    let parking = unattended(&house, &agent, "parking, which is a term").await;
    assert_eq!(ask(parking, choice).await["state"], "open");
    house.close().await;
}

#[tokio::test]
async fn a_rule_about_what_was_decided_before_matches_from_the_fourth_time_on_and_says_the_same() {
    let rule = |name: &str, by: u16| AskRule {
        name: name.to_owned(),
        when: Conditions { decided_before: Some(3), ..Conditions::default() },
        action: Action::Answer(Answers::All(AnswerBy::Index(by))),
        ..AskRule::default()
    };
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let ask = async |which: &str| {
        let body = json!({"questions": [{"question": which, "options": ["Yes", "No"]}]});
        house.post("/v1/asks", &agent, &body).await.1
    };
    let answer = async |asked: &Value, body: Value| {
        let address = format!("/v1/asks/{}/answer", asked["id"].as_str().expect("it has an id"));
        assert_eq!(house.post(&address, &ada, &body).await.0, 200);
    };
    let use_rule = |rule: AskRule| {
        let file = RuleFile { terms: TermsOf::Every, rules: vec![rule] };
        house.handle.use_rules(RuleSet::new(vec![file], Wishes::default()));
    };
    use_rule(rule("as before", 0));
    for _ in 0..3 {
        let asked = ask("Deploy?").await;
        assert_eq!(asked["state"], "open", "{asked}");
        answer(&asked, json!({"answers": {"Deploy?": "Yes"}})).await;
    }
    assert_eq!(ask("Deploy?").await["by"]["rule"], "as before");
    assert_eq!(ask("Another?").await["state"], "open", "it was decided about another question");
    // A rule that says something else than people did says nothing.
    use_rule(rule("the other way", 1));
    let asked = ask("Deploy?").await;
    assert_eq!(asked["state"], "open", "{asked}");
    // Words of one's own are no such choice: the count begins anew.
    answer(&asked, json!({"answers": {"Deploy?": "Ask Bob"}})).await;
    use_rule(rule("as before", 0));
    assert_eq!(ask("Deploy?").await["state"], "open");
    house.close().await;
}
