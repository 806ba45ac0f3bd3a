//! Riders, written with a decision: before it, all of them, and content with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use askbridge_bridge::clock::Clock;
use askbridge_bridge::runtime::{Rider, Store};
use askbridge_core::event::{CallResult, Event, Lane, Parcel, Settings};
use askbridge_core::ids::{AskId, Epoch, Position, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_journal::journal::{AppendError, Guard, Journal};
use askbridge_journal::memory::{Meddle, StoreIt};
use askbridge_journal::{Entry, Memory, Stored, Written};
use futures_util::FutureExt;
use serde_json::json;

use crate::kit::House;

async fn session(house: &House, agent: &str) -> SessionId {
    let (_, started) = house.post("/v1/sessions", agent, &json!({"agent": "ci"})).await;
    started["id"].as_str().and_then(|id| id.parse().ok()).expect("a session has an id")
}

async fn ask(house: &House, agent: &str, session: SessionId) -> AskId {
    let options = json!([{"label": "North"}, {"label": "South"}]);
    let body = json!({"session": session.to_string(), "questions": [{"question": "Which way?", "options": options}]});
    let (status, asked) = house.post("/v1/asks", agent, &body).await;
    assert_eq!(status, 201, "{asked}");
    asked["id"].as_str().and_then(|id| id.parse().ok()).expect("an ask has an id")
}

async fn answered(house: &House, agent: &str, person: &str, session: SessionId) -> AskId {
    let id = ask(house, agent, session).await;
    let answer = json!({"answers": {"Which way?": "North"}});
    assert_eq!(house.post(&format!("/v1/asks/{id}/answer"), person, &answer).await.0, 200);
    id
}

/// Submits a decision at once: nothing else runs between a note and this.
async fn say(house: &House, session: SessionId) {
    let say = Intent::Say { text: "Go on.".to_owned(), by: None, about: None, client_id: None };
    house.handle.submit(session, vec![say]).await.expect("anything can be said");
}

/// Submits a decision that is refused, after the riders were taken along.
async fn refuse(house: &House, session: SessionId) {
    let nobody = AskId { session, number: 99 };
    assert!(house.handle.submit(session, vec![Intent::Strand { ask: nobody }]).await.is_err());
}

fn returned(ask: AskId, output: &str) -> Intent {
    let call = format!("call_{}", ask.number).as_str().into();
    Intent::Return { ask, result: Box::new(CallResult { call, ok: true, output: output.to_owned() }) }
}

async fn decisions(house: &House, session: SessionId) -> Vec<Arc<Stored>> {
    let mut all: Vec<Arc<Stored>> = Vec::new();
    loop {
        let after = all.last().map(|stored| stored.position);
        let read = house.handle.store().read(session, Some(Lane::Decisions), after, limits::READ_BATCH_MAX).await;
        let page = read.expect("it can be read");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

fn kinds(stored: &Stored) -> Vec<&'static str> {
    let kind = |event: &Event| match event {
        Event::Asked(_) => "asked",
        Event::Delivered { .. } => "delivered",
        Event::ToolReturned { .. } => "returned",
        Event::Handed { .. } => "handed",
        Event::Said(_) => "said",
        _ => "another",
    };
    stored.entry.events.iter().map(|written| kind(&written.event)).collect()
}

#[tokio::test]
async fn what_happened_before_a_decision_stands_before_it_and_once() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let first = answered(&house, &agent, &ada, session).await;
    house.handle.note(session, [Intent::Hand { parcel: Parcel::Verdict(first) }, returned(first, "heard")]);
    say(&house, session).await;
    let stored = decisions(&house, session).await;
    assert_eq!(kinds(stored.last().unwrap()), ["handed", "returned", "delivered", "said"]);

    // If the proof is read again, nothing is stored again.
    house.handle.note(session, [returned(first, "heard")]);
    house.handle.flush_all().await;
    assert_eq!(decisions(&house, session).await.len(), stored.len());
    house.close().await;
}

#[tokio::test]
async fn a_refusal_leaves_what_rides_along_for_the_next() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let first = answered(&house, &agent, &ada, session).await;
    house.handle.note(session, [returned(first, "heard")]);
    refuse(&house, session).await;
    say(&house, session).await;
    let stored = decisions(&house, session).await;
    let all: Vec<_> = stored.iter().flat_map(|stored| kinds(stored)).collect();
    assert_eq!(all[all.len() - 3..], ["returned", "delivered", "said"]);
    house.close().await;
}

#[tokio::test]
async fn a_long_session_goes_on_although_its_agent_asks_again_before_the_last_delivery_is_written() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let first = ask(&house, &agent, session).await;
    let title = |number| {
        let settings = Settings { title: Some(format!("Step {number}")), ..Settings::default() };
        Intent::Configure(Box::new(settings))
    };
    for from in (0..limits::DECISIONS_MAX).step_by(50) {
        house.handle.submit(session, (from..from + 50).map(title).collect()).await.expect("a title can be set");
    }
    let answer = json!({"answers": {"Which way?": "North"}});
    assert_eq!(house.post(&format!("/v1/asks/{first}/answer"), &ada, &answer).await.0, 200);
    house.handle.note(session, [returned(first, "heard")]);
    let second = ask(&house, &agent, session).await;
    assert_ne!(second.session, session, "it went on as another");
    house.close().await;
}

#[tokio::test]
async fn what_does_not_fit_into_one_entry_waits_for_the_next() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let mut asks = Vec::new();
    for _ in 0..limits::ENTRY_EVENTS_MAX {
        asks.push(answered(&house, &agent, &ada, session).await);
    }
    // Two events each, and too many bytes for one entry as well.
    let output = "x".repeat(limits::ALONG_BYTES_MAX);
    house.handle.note(session, asks.iter().map(|ask| returned(*ask, &output)));
    say(&house, session).await;
    house.handle.flush_all().await;
    let stored = decisions(&house, session).await;
    let all: Vec<_> = stored.iter().flat_map(|stored| kinds(stored)).collect();
    let count = |kind| all.iter().filter(|it| **it == kind).count();
    assert_eq!((count("returned"), count("delivered")), (asks.len(), asks.len()));
    assert_eq!(count("said"), 1, "it was not refused for what rode along");
    house.close().await;
}

/// Waits until the session's last entry is exactly this, without a decision.
async fn written_alone(house: &House, session: SessionId, wanted: &[&str]) {
    let looking = async {
        while kinds(decisions(house, session).await.last().expect("it was started")) != wanted {
            tokio::time::sleep(limits::RIDE_ALONG_WAIT / 10).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), looking).await.expect("it is written");
}

#[tokio::test]
async fn what_nothing_came_by_for_is_written_on_its_own() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let first = answered(&house, &agent, &ada, session).await;
    house.handle.note(session, [returned(first, "heard")]);
    written_alone(&house, session, &["returned", "delivered"]).await;
    // And again: the session is still flushed after its first round.
    let second = answered(&house, &agent, &ada, session).await;
    house.handle.note(session, [returned(second, "heard")]);
    written_alone(&house, session, &["returned", "delivered"]).await;
    assert_eq!(decisions(&house, session).await.iter().filter(|it| kinds(it).contains(&"delivered")).count(), 2);
    house.close().await;
}

#[tokio::test]
async fn what_came_back_from_a_refusal_is_written_on_its_own_as_well() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let first = answered(&house, &agent, &ada, session).await;
    house.handle.note(session, [returned(first, "heard")]);
    refuse(&house, session).await;
    written_alone(&house, session, &["returned", "delivered"]).await;
    house.close().await;
}

fn text(block: usize) -> Rider {
    let block = u32::try_from(block).expect("few blocks");
    Rider::Content(Epoch(0), Written::new(Event::Text { block, text: format!("Text {block}.") }))
}

/// The blocks of text and the other events of each entry, in order.
async fn entries(house: &House, session: SessionId) -> Vec<(Lane, Vec<String>)> {
    let read = house.handle.store().read(session, None, None, limits::READ_BATCH_MAX).await.expect("it can be read");
    let shown = |event: &Event| match event {
        Event::Text { block, .. } => block.to_string(),
        other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    };
    let entry = |stored: &Arc<Stored>| {
        let events = stored.entry.events.iter().map(|written| shown(&written.event));
        (stored.entry.lane, events.collect())
    };
    read.iter().map(entry).collect()
}

#[tokio::test]
async fn what_an_agent_said_is_written_with_the_next_decision_and_before_it() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let session = session(&house, &agent).await;
    let ask = answered(&house, &agent, &ada, session).await;
    let before = entries(&house, session).await.len();
    house.handle.ride(session, [text(1), Rider::Note(returned(ask, "North it is")), text(2)]);
    say(&house, session).await;
    let written = entries(&house, session).await.split_off(before);
    let events = ["1", "Handed", "ToolReturned", "Delivered", "2", "Said"].map(str::to_owned).to_vec();
    let [(Lane::Decisions, found)] = &written[..] else { panic!("one entry of decisions: {written:?}") };
    assert!(found.iter().filter(|event| *event != "Handed").eq(events.iter().filter(|event| *event != "Handed")));
    house.close().await;
}

#[tokio::test]
async fn what_an_agent_said_is_content_if_nothing_was_decided_and_a_refusal_loses_none_of_it() {
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let session = session(&house, &agent).await;
    let before = entries(&house, session).await.len();
    house.handle.ride(session, [text(1), text(2)]);
    refuse(&house, session).await;
    house.handle.ride(session, [text(3)]);
    house.handle.flush_all().await;
    let written = entries(&house, session).await.split_off(before);
    assert_eq!(written, [(Lane::Content, ["1", "2", "3"].map(str::to_owned).to_vec())]);
    house.close().await;
}

#[tokio::test]
async fn what_does_not_fit_beside_a_decision_is_written_before_it() {
    let house = House::open().await;
    let agent = house.agent("ci").await;
    let session = session(&house, &agent).await;
    let before = entries(&house, session).await.len();
    let many = limits::ENTRY_EVENTS_MAX * 2;
    house.handle.ride(session, (0..many).map(text));
    say(&house, session).await;
    let written: Vec<_> = entries(&house, session).await.split_off(before);
    assert!(written.len() > 2, "{written:?}");
    let events: Vec<_> = written.into_iter().flat_map(|(_, events)| events).collect();
    assert_eq!(events, (0..many).map(|block| block.to_string()).chain(["Said".to_owned()]).collect::<Vec<_>>());
    house.close().await;
}

/// What becomes of the next appends of what an agent said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is stored, and the writer is not told so.
    Landed,
    Lost,
}

/// A journal that does not acknowledge some appends.
#[derive(Debug)]
struct Deaf {
    fate: Fate,
    /// Does the writer hear that the result is unknown? Otherwise it hears nothing.
    says_unknown: bool,
    left: AtomicUsize,
}

impl Meddle for Deaf {
    fn append(&self, entry: &Arc<Entry>, guard: Guard, store: &StoreIt<'_>) -> Option<Result<Position, AppendError>> {
        let is_text = entry.events.iter().any(|written| matches!(&*written.event, Event::Text { .. }));
        let take = |left: usize| left.checked_sub(1);
        if !is_text || self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return Some(store(entry, guard));
        }
        if self.fate == Fate::Landed {
            store(entry, guard).expect("it can be stored");
        }
        self.says_unknown.then_some(Err(AppendError::Unknown))
    }

    fn shares(&self) -> bool {
        false
    }
}

async fn deaf(fate: Fate, says_unknown: bool, appends: usize) -> (House, SessionId) {
    let meddler = Arc::new(Deaf { fate, says_unknown, left: AtomicUsize::new(appends) });
    let store = Store::from(Memory::meddled(7, meddler).expect("memory can be had"));
    let house = House::open_on(store, Clock::System, 7).await;
    let agent = house.agent("ci").await;
    let session = session(&house, &agent).await;
    (house, session)
}

/// The blocks of text that are stored, in order, and how often something was said.
async fn stored(house: &House, session: SessionId) -> (Vec<String>, usize) {
    let events: Vec<_> = entries(house, session).await.into_iter().flat_map(|(_, events)| events).collect();
    let said = events.iter().filter(|event| *event == "Said").count();
    (events.into_iter().filter(|event| event.parse::<u32>().is_ok()).collect(), said)
}

/// More appends of one decision than are tried.
const ALL_TRIES: usize = 9;

#[tokio::test]
async fn what_an_agent_said_is_stored_once_although_its_decision_was_not_acknowledged() {
    for fate in [Fate::Landed, Fate::Lost] {
        let (house, session) = deaf(fate, true, ALL_TRIES).await;
        house.handle.ride(session, [text(1), text(2)]);
        let say = Intent::Say { text: "Go on.".to_owned(), by: None, about: None, client_id: None };
        // The tries take most of a minute.
        tokio::time::pause();
        assert!(house.handle.submit(session, vec![say]).await.is_err(), "nobody knows");
        tokio::time::resume();
        house.handle.ride(session, [text(3)]);
        house.handle.flush_all().await;
        let once = ["1", "2", "3"].map(str::to_owned).to_vec();
        assert_eq!(stored(&house, session).await, (once, 1), "{fate:?}");
        house.close().await;
    }
}

#[tokio::test]
async fn what_an_agent_said_is_stored_once_although_a_caller_left_before_its_decision_was_stored() {
    for fate in [Fate::Landed, Fate::Lost] {
        let (house, session) = deaf(fate, false, 1).await;
        house.handle.ride(session, [text(1)]);
        let say = Intent::Say { text: "Go on.".to_owned(), by: None, about: None, client_id: None };
        assert!(house.handle.submit(session, vec![say]).now_or_never().is_none(), "it waits for the journal");
        self::say(&house, session).await;
        assert_eq!(stored(&house, session).await, (vec!["1".to_owned()], 2), "{fate:?}");
        house.close().await;
    }
}

#[tokio::test]
async fn what_an_agent_said_is_stored_once_although_it_was_not_acknowledged_and_more_came() {
    for fate in [Fate::Landed, Fate::Lost] {
        let (house, session) = deaf(fate, true, 1).await;
        house.handle.ride(session, [text(1)]);
        house.handle.flush_all().await;
        house.handle.ride(session, [text(2)]);
        say(&house, session).await;
        assert_eq!(stored(&house, session).await, (vec!["1".to_owned(), "2".to_owned()], 1), "{fate:?}");
        house.close().await;
    }
}
