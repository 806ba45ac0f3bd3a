//! One conversation, step by step: what a plugin that reconnects is told of an answer that is given at that moment.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use askbridge_core::ids::{SessionId, StableNodeId, Timestamp};
use askbridge_core::terms::Rules;
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value};
use askbridge_journal::Memory;
use askbridge_peers::doors::whimmy::Whimmy;
use askbridge_peers::listing::Choices;
use askbridge_peers::peer::Frame;
use askbridge_peers::wish::{AskRef, Query, Wish};
use tokio::time::timeout;

use super::{Guest, Talk};
use crate::auth::{Caller, TokenRole, Tokens};
use crate::chance::Chance;
use crate::clock::{Clock, Manual};
use crate::runtime::{Bridge, Entrance, Options, Source, Store};
use crate::server::guard::Origins;
use crate::server::look::look;
use crate::server::{App, AppOptions};

const VIA: &str = "whimmy";
/// Nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(5);
const QUESTION: &str = r#"{"type":"event","payload":{"event":"ask_user_question","payload":{"sessionKey":"k","agentId":"a",
    "questionId":"q-1","questions":[{"question":"Which?","header":"Pick","options":[{"label":"A"},{"label":"B"}]}]}}}"#;

struct House {
    _bridge: Bridge,
    app: App,
    plugin: Caller,
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
        let (secret, _) = app.tokens.make("openclaw", "token", TokenRole::Agent, now).await.expect("a token");
        let plugin = app.tokens.caller(secret.reveal()).expect("it was made");
        app.tokens.make("ada", "phone", TokenRole::Operator, now).await.expect("a token");
        let ada = app.tokens.people("ada").pop().expect("it was made");
        Self { plugin, ada, _bridge: bridge, app }
    }

    /// A connection of the plugin that has subscribed.
    fn connects(&self) -> Talk {
        let mut talk = self.opens();
        talk.hear(Frame::Text(r#"{"type":"health"}"#.into())).expect("a frame of the protocol");
        talk
    }

    /// An open connection of the plugin, on which it has sent nothing yet.
    fn opens(&self) -> Talk {
        let guest = Guest {
            via: VIA,
            source: Source::Socket,
            from: IpAddr::V4(Ipv4Addr::LOCALHOST),
            caller: Some(self.plugin.clone()),
            process: None,
            peer: None,
            cookie: None,
            _seat: None,
        };
        let mut talk = Talk::new(self.app.clone(), guest, Box::new(Whimmy::new(Choices::default())));
        talk.wake();
        talk
    }

    /// Asks through a connection that is closed by now. Returns the session of the open ask.
    async fn asks(&self) -> SessionId {
        let mut talk = self.connects();
        talk.hear(Frame::Text(QUESTION.into())).expect("a frame of the protocol");
        loop {
            match self.asked().await {
                Some(session) => return session,
                None => drop(timeout(Duration::from_millis(1), talk.step()).await),
            }
        }
    }

    /// The one session with an open ask.
    async fn asked(&self) -> Option<SessionId> {
        let all = Query::Sessions { after: None, limit: 10 };
        let found = look(&self.app, &self.ada, VIA, all).await.expect("a list").finds.expect("a list");
        found.sessions.iter().find(|line| line.open_asks > 0).map(|line| line.id)
    }

    async fn answers(&self, session: SessionId) {
        let view = self.app.handle.session(session).await.expect("it is there");
        let given = QuestionReply { key: QuestionKey::Index(0), value: Some(Value::Text("B".to_owned())), note: None };
        let reply = Reply::Questions(vec![given]);
        let wish = Wish::Answer { ask: AskRef::Id(view.waiting[0].ask), reply, undo: Duration::ZERO };
        self.app.gate().grant(&self.ada, Entrance::request("native"), wish).await.expect("an answer");
    }
}

/// Answers all of the machine's queries without following the journal. Returns what it sent.
async fn looks_around(talk: &mut Talk) -> Vec<String> {
    let mut said = Vec::new();
    while !talk.driver.replies.is_empty() {
        talk.step_while_ready();
        said.extend(texts(talk));
        tokio::task::yield_now().await;
    }
    said
}

fn texts(talk: &mut Talk) -> Vec<String> {
    let frames = talk.take_frames().into_iter();
    frames.filter_map(|frame| if let Frame::Text(text) = frame { Some(text.into_owned()) } else { None }).collect()
}

/// Goes on until the machine sends a frame of this kind. `None`: it never does.
async fn says(talk: &mut Talk, kind: &str) -> Option<String> {
    let said = async {
        loop {
            talk.step_while_ready();
            if let Some(found) = texts(talk).into_iter().find(|text| text.contains(kind)) {
                return found;
            }
            talk.step().await;
        }
    };
    timeout(PATIENCE, said).await.ok()
}

#[tokio::test]
async fn an_answer_in_the_moment_of_coming_back_is_told_on_that_connection() {
    let house = House::open().await;
    let session = house.asks().await;
    // The new connection has queried the open asks, and has not followed the journal yet.
    let mut back = house.connects();
    let said = looks_around(&mut back).await;
    assert!(!said.iter().any(|text| text.contains("hook.ask_user_answer")), "{said:?}");
    house.answers(session).await;
    let answer = says(&mut back, "hook.ask_user_answer").await.expect("what was answered after it looked is told");
    assert!(answer.contains(r#""answers":{"Which?":"B"}"#), "{answer}");
}

#[tokio::test]
async fn an_answer_to_what_a_connection_never_looked_at_is_told_as_well() {
    let house = House::open().await;
    let session = house.asks().await;
    // Its queries are dropped: it is told of the answer only, as in a session beyond those that it queries.
    let mut back = house.connects();
    back.driver.replies.clear();
    house.answers(session).await;
    let answer = says(&mut back, "hook.ask_user_answer").await.expect("it hears of the answer alone");
    assert!(answer.contains(r#""answers":{"Which?":"B"}"#), "{answer}");
}

#[tokio::test]
async fn nothing_is_said_before_the_plugin_listens_and_nothing_of_it_is_lost() {
    let house = House::open().await;
    let session = house.asks().await;
    house.answers(session).await;
    let mut back = house.opens();
    let said = looks_around(&mut back).await;
    assert_eq!(said, [""; 0], "whatever comes before its first word is lost to it");
    back.hear(Frame::Text(r#"{"type":"health"}"#.into())).expect("a frame of the protocol");
    let answer = says(&mut back, "hook.ask_user_answer").await.expect("it is told once it listens");
    assert!(answer.contains(r#""answers":{"Which?":"B"}"#), "{answer}");
}

#[tokio::test]
async fn a_connection_that_is_gone_takes_nobodys_place() {
    let house = House::open().await;
    let session = house.asks().await;
    // The older one disconnects before its queries are answered, and its wishes are still in flight.
    let older = house.connects();
    let mut newer = house.connects();
    looks_around(&mut newer).await;
    older.farewell(1006, "it ended early").await;
    house.answers(session).await;
    let answer = says(&mut newer, "hook.ask_user_answer").await;
    assert_eq!(newer.take_hang_up(), None);
    assert!(answer.is_some(), "the newer one is still there, and hears the answer");
}
