//! Asks that a rule answers at the moment they are made: one entry, so that no crash and no watcher finds them open.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use askbridge_bridge::auth::{Caller, Role};
use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::Store;
use askbridge_core::answer::{Answer, Decision, Pick, Scope};
use askbridge_core::ask::{Body, Choice, Context, Question, Reach};
use askbridge_core::event::Event;
use askbridge_core::ids::{Key, SessionId};
use askbridge_core::terms::{Rule, Rules, Wishes};
use askbridge_journal::journal::Journal;
use askbridge_journal::{LocalBus, Memory, Sqlite, sqlite};
use askbridge_peers::wish::{AskWish, Wish};
use serde_json::{Value, json};

use crate::kit::House;

/// A rule that answers whatever the headline has in it.
fn rules(answer: Answer) -> Rules {
    let rule = Rule {
        name: "deploys".to_owned(),
        asks_about: Some("deploy".to_owned()),
        answer: Some(answer),
        ..Rule::default()
    };
    Rules { list: vec![rule], ..Rules::default() }
}

fn memory() -> Store {
    Store::Memory(Memory::new(7).expect("memory can be had"), LocalBus::default())
}

fn question() -> Value {
    json!({"questions": [{"question": "Deploy now?", "options": ["Yes", "No"]}]})
}

fn wish(key: &str) -> Wish {
    let option = |label: &str| Choice { label: label.to_owned(), description: None, preview: None };
    let question = Question {
        text: "Deploy now?".to_owned(),
        header: None,
        options: vec![option("Yes"), option("No")],
        multi: false,
        secret: false,
    };
    Wish::Ask(Box::new(AskWish {
        door: "http",
        session: None,
        agent: None,
        body: Body::Questions(vec![question]),
        wishes: Wishes::default(),
        reach: Reach::Pull,
        call: None,
        made: None,
        context: Context::default(),
        key: Some(Key::from(key)),
        original: None,
    }))
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
    let house =
        House::open_ruled(memory(), Clock::System, 7, &[], rules(Answer::Questions(vec![Pick::option(0)]))).await;
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
    // A client that comes back goes on after an entry, never within one: only its last event has a cursor.
    let made = phone.hear("that it was asked", |frame| frame["event"]["type"] == "asked").await;
    assert_eq!(made["cursor"], Value::Null, "{made}");
    phone.hear("that it is settled", |frame| frame["event"]["type"] == "settled" && frame["cursor"].is_string()).await;
    assert_eq!(house.get("/v1/asks", &ada).await.1["items"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn a_rule_whose_answer_does_not_fit_leaves_the_ask_to_a_person() {
    let allow = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None });
    let house = House::open_ruled(memory(), Clock::System, 7, &[], rules(allow)).await;
    let agent = house.agent("ci").await;
    let (status, asked) = house.post("/v1/asks", &agent, &question()).await;
    assert_eq!((status, &asked["state"]), (201, &json!("open")), "{asked}");
    house.close().await;
}

/// The request is abandoned wherever it waits for something: after its first step, its second, and so on. That is what a crash
/// leaves in the journal.
#[tokio::test]
async fn however_far_it_came_an_ask_that_a_rule_answers_is_never_left_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = sqlite::Options::new(folder.path(), 7);
    let store = Store::Sqlite(Sqlite::open(&options).expect("the file can be opened"), LocalBus::default());
    let house = House::open_ruled(store, Clock::System, 7, &[], rules(Answer::Questions(vec![Pick::option(0)]))).await;
    let caller = Caller { party: "tok_ci".into(), role: Role::Agent, name: "ci".into(), device: "ci".into() };
    let mut seen = BTreeSet::new();
    for steps in 1.. {
        let key = format!("cut after {steps}");
        let done = {
            let mut asking = pin!(house.handle.grant(&caller, "http", wish(&key)));
            let (mut taken, mut done) = (0, false);
            std::future::poll_fn(|cx| {
                taken += 1;
                done = asking.as_mut().poll(cx).is_ready();
                if done || taken == steps { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            done
        };
        // What was on its way has arrived when something that came after it has.
        let after = house.handle.grant(&caller, "http", wish(&format!("after {steps}"))).await.expect("it is asked");
        seen.extend(after.session);
        if done {
            break;
        }
        assert!(steps < 100, "it comes to an end");
    }
    let ada = house.person("ada").await;
    assert_eq!(house.get("/v1/asks", &ada).await.1["items"], json!([]), "nothing is open");
    assert!(seen.len() > 1, "it was cut at least once");
    house.close().await;
}
