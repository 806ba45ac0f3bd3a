//! How often a request that asks and waits locks its session. On a remote journal each lock is a round trip.

use std::sync::atomic::Ordering;
use std::time::Duration;

use askbridge_core::event::Event;
use askbridge_core::ids::{AskId, SessionId, StableNodeId, Timestamp};
use askbridge_core::terms::{Rules, Wait};
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value};
use askbridge_core::view::AskView;
use askbridge_journal::Memory;
use askbridge_peers::wish::{AskRef, Wish};
use axum::body::to_bytes;
use tokio::time::timeout;

use super::*;
use crate::auth::{TokenRole, Tokens};
use crate::chance::Chance;
use crate::clock::{Clock, Manual};
use crate::runtime::{Bridge, Entrance, FollowUpdate, Follower, HubMessage, Interest, Options, Store};
use crate::server::AppOptions;
use crate::server::guard::Origins;

/// Nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(5);
/// What the future of a request may take, in any build.
const FUTURE_BYTES_MAX: usize = 1024;
/// An answer reads what was asked, then decides.
const LOCKS_OF_AN_ANSWER: u64 = 2;

struct House {
    _bridge: Bridge,
    app: App,
    agent: Caller,
    ada: Caller,
}

impl House {
    async fn open() -> Self {
        let store = Store::from(Memory::new(7).expect("a store in memory"));
        let (chance, clock) = (Chance::seeded(7), Clock::Manual(Manual::new(Timestamp(1_800_000_000_000))));
        let rules = Rules::default();
        let options =
            Options { store: store.clone(), stable_node: StableNodeId(7), clock, chance: chance.clone(), rules };
        let bridge = Bridge::start(options).await;
        let tokens = Tokens::load(store, chance, bridge.handle.now()).await.expect("an empty store");
        let app = App::new(AppOptions {
            handle: bridge.handle.clone(),
            tokens,
            origins: Origins::default(),
            requests_per_second: 100,
            failures_per_minute: 100,
            version: "test",
        });
        let now = app.handle.now();
        let (secret, _) = app.tokens.make("ci", "token", TokenRole::Agent, now).await.expect("a token");
        let agent = app.tokens.caller(secret.reveal()).expect("it was made");
        app.tokens.make("ada", "phone", TokenRole::Operator, now).await.expect("a token");
        let ada = app.tokens.people("ada").pop().expect("it was made");
        Self { agent, ada, _bridge: bridge, app }
    }

    async fn starts_a_session(&self) -> SessionId {
        let wish = Wish::Start {
            session: None,
            door: http::NAME,
            agent: Some("ci".to_owned()),
            settings: Box::default(),
            host: None,
        };
        let receipt = self.app.gate().grant(&self.agent, Entrance::request(http::NAME), wish).await.expect("a session");
        receipt.session.expect("a session that was started has an id")
    }

    fn locks(&self, session: SessionId) -> u64 {
        self.app.handle.cache.known(session).map_or(0, |cell| cell.locked.load(Ordering::Relaxed))
    }

    /// Asks and waits, and is answered, perhaps after an extension.
    async fn asks_and_is_answered(&self, session: Option<SessionId>, more_time: Option<Duration>) -> Looked {
        let before = session.map_or(0, |session| self.locks(session));
        let mut follower = self.app.handle.follow_live(Interest::Inbox(self.ada.clone()));
        let session = session.map_or(String::new(), |session| format!(r#","session":"{session}""#));
        let question = r#""questions":[{"question":"Deploy?","options":[{"label":"Yes"},{"label":"No"}]}]"#;
        let body = format!(r#"{{{question},"timeout_seconds":600{session}}}"#);
        let waiting = Query(serde_json::from_str(r#"{"wait":60}"#).expect("a query"));
        let request = create(State(self.app.clone()), self.agent.clone(), waiting, Attempt(None), Text(body));
        let request = tokio::spawn(request);
        let ask = asked(&mut follower).await;
        if let Some(more_time) = more_time {
            let wish = Wish::Extend { ask: AskRef::Id(ask), wait: Wait::For(more_time) };
            self.app.gate().grant(&self.ada, Entrance::request("native"), wish).await.expect("more time");
        }
        let given =
            QuestionReply { key: QuestionKey::Index(0), value: Some(Value::Text("Yes".to_owned())), note: None };
        let wish = Wish::Answer { ask: AskRef::Id(ask), reply: Reply::Questions(vec![given]), undo: Duration::ZERO };
        self.app.gate().grant(&self.ada, Entrance::request("native"), wish).await.expect("an answer");
        let response = timeout(PATIENCE, request).await.expect("in time").expect("no panic").expect("a response");
        assert_eq!(response.status(), StatusCode::CREATED);
        let locks = self.locks(ask.session) - before - LOCKS_OF_AN_ANSWER;
        // Before the body is taken: that notes that the answer was fetched.
        let looked = self.app.handle.ask(ask).await.expect("it is there");
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
        Looked { locks, body: String::from_utf8(body.to_vec()).expect("text"), looked }
    }
}

/// What an asker was shown.
struct Looked {
    /// How often it locked the session.
    locks: u64,
    body: String,
    /// What a separate read shows at the same time.
    looked: AskView,
}

/// Waits until something is asked.
async fn asked(follower: &mut Follower) -> AskId {
    let asked = async {
        loop {
            if let Ok(FollowUpdate::Message(news)) = follower.next().await
                && let HubMessage::Entry(batch) = &*news
                && let Some(ask) = batch.happened.iter().find_map(|happened| match &*happened.event {
                    Event::Asked(ask) => Some(ask.id),
                    _ => None,
                })
            {
                return ask;
            }
        }
    };
    timeout(PATIENCE, asked).await.expect("it is asked")
}

#[tokio::test]
async fn a_request_that_asks_and_waits_locks_its_session_once() {
    let house = House::open().await;
    let alone = house.asks_and_is_answered(None, None).await;
    let session = house.starts_a_session().await;
    let in_a_session = house.asks_and_is_answered(Some(session), None).await;
    assert_eq!((alone.locks, in_a_session.locks), (1, 1));
    assert!(alone.body.contains(r#""state":"answered""#), "{}", alone.body);
}

/// Each layer between the connection and the handler, and the runtime, copies the future of a request whole.
#[tokio::test]
async fn a_request_that_asks_has_a_small_future() {
    let house = House::open().await;
    let waiting = Query(serde_json::from_str(r#"{"wait":60}"#).expect("a query"));
    let request = create(State(house.app.clone()), house.agent.clone(), waiting, Attempt(None), Text(String::new()));
    let bytes = size_of_val(&request);
    assert!(bytes <= FUTURE_BYTES_MAX, "{bytes} bytes");
}

#[tokio::test]
async fn what_it_is_shown_is_what_a_look_shows() {
    let house = House::open().await;
    for more_time in [None, Some(Duration::from_secs(3600))] {
        let Looked { body, looked, .. } = house.asks_and_is_answered(None, more_time).await;
        assert_eq!(looked.deadline != looked.ask.terms.deadline, more_time.is_some());
        assert_eq!(body, serde_json::to_string(&AskJson::of(&looked)).expect("JSON"));
    }
}
