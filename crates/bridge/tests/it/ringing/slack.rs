//! Slack on loopback, as its documents describe it: the Web API, and a Socket Mode connection whose envelopes are to be
//! acknowledged. And what a person decides there.

use std::net::SocketAddr;
use std::sync::Arc;

use askbridge_ringing::notice::Ticket;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Notify, broadcast};
use tokio_tungstenite::tungstenite::Message;

use super::{Ringing, ringing};
use crate::kit::PATIENCE;

const APP: &str = "xapp-1-secret";
const BOT: &str = "xoxb-secret";

#[derive(Clone)]
struct Slack(Arc<Inner>);

struct Inner {
    address: SocketAddr,
    sockets: SocketAddr,
    calls: Mutex<Vec<(String, Value)>>,
    /// What the next posts are answered with.
    failures: Mutex<Vec<(u16, &'static str)>>,
    acknowledged: Mutex<Vec<String>>,
    connections: Mutex<usize>,
    changed: Notify,
    /// What goes out over the open connection. `None`: it breaks off.
    out: broadcast::Sender<Option<String>>,
}

impl Slack {
    async fn open() -> Self {
        let (http, sockets) =
            (TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
        let inner = Inner {
            address: http.local_addr().unwrap(),
            sockets: sockets.local_addr().unwrap(),
            calls: Mutex::default(),
            failures: Mutex::default(),
            acknowledged: Mutex::default(),
            connections: Mutex::default(),
            changed: Notify::new(),
            out: broadcast::channel(64).0,
        };
        let slack = Self(Arc::new(inner));
        let router = Router::new().route("/{method}", post(call)).with_state(slack.clone());
        tokio::spawn(async move { axum::serve(http, router).await });
        let accepting = slack.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = sockets.accept().await {
                tokio::spawn(accepting.clone().talk(stream));
            }
        });
        slack
    }

    /// One Socket Mode connection.
    async fn talk(self, stream: tokio::net::TcpStream) {
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        let mut out = self.0.out.subscribe();
        socket.send(Message::text(r#"{"type":"hello","num_connections":1}"#)).await.unwrap();
        self.note(|| *self.0.connections.lock() += 1);
        loop {
            tokio::select! {
                heard = socket.next() => match heard {
                    Some(Ok(Message::Text(text))) => {
                        let ack: Value = serde_json::from_str(&text).unwrap();
                        self.note(|| self.0.acknowledged.lock().push(ack["envelope_id"].as_str().unwrap().to_owned()));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return,
                },
                said = out.recv() => match said.unwrap() {
                    Some(text) => socket.send(Message::text(text)).await.unwrap(),
                    None => return,
                },
            }
        }
    }

    fn note(&self, note: impl FnOnce()) {
        note();
        self.0.changed.notify_waiters();
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    fn calls(&self, method: &str) -> Vec<Value> {
        let calls = self.0.calls.lock();
        calls.iter().filter(|(name, _)| name == method).map(|(_, body)| body.clone()).collect()
    }

    /// Waits until something is as wanted.
    async fn until<T>(&self, what: &str, wanted: impl Fn() -> Option<T>) -> T {
        let waiting = async {
            loop {
                let mut changed = std::pin::pin!(self.0.changed.notified());
                changed.as_mut().enable();
                if let Some(found) = wanted() {
                    return found;
                }
                changed.await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        waited.unwrap_or_else(|_| panic!("{what}: {:#?}", self.0.calls.lock()))
    }

    async fn called(&self, method: &str, count: usize) -> Vec<Value> {
        self.until(method, || Some(self.calls(method)).filter(|calls| calls.len() >= count)).await
    }

    async fn connected(&self, count: usize) {
        self.until("a connection", || (*self.0.connections.lock() >= count).then_some(())).await;
    }

    /// Sends an envelope, and waits until it is acknowledged.
    async fn says(&self, id: &str, kind: &str, payload: &Value) {
        let acknowledged = || self.0.acknowledged.lock().iter().filter(|known| *known == id).count();
        let before = acknowledged();
        let envelope = json!({"type": kind, "envelope_id": id, "accepts_response_payload": true, "payload": payload});
        self.0.out.send(Some(envelope.to_string())).unwrap();
        self.until("an acknowledgement", || (acknowledged() > before).then_some(())).await;
    }

    async fn types(&self, id: &str, user: &str, code: &str) {
        let back = format!("{}/respond", self.url());
        let typed =
            json!({"command": "/askbridge", "text": code, "user_id": user, "channel_id": "D1", "response_url": back});
        self.says(id, "slash_commands", &typed).await;
    }

    async fn taps(&self, id: &str, user: &str, ticket: &str) {
        let action = json!({"action_id": "decide0", "block_id": "b", "type": "button", "value": ticket});
        let tapped = json!({
            "type": "block_actions", "user": {"id": user}, "trigger_id": "t1",
            "container": {"type": "message", "message_ts": "1.1", "channel_id": "D1"},
            "state": {"values": {}}, "response_url": format!("{}/respond", self.url()), "actions": [action],
        });
        self.says(id, "interactive", &tapped).await;
    }
}

async fn call(State(slack): State<Slack>, Path(method): Path<String>, headers: HeaderMap, body: String) -> Response {
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wanted = if method == "apps.connections.open" { APP } else { BOT };
    let body: Value = serde_json::from_str(&body).unwrap_or_default();
    if method == "respond" {
        slack.note(|| slack.0.calls.lock().push((method, body)));
        return "ok".into_response();
    }
    if bearer != format!("Bearer {wanted}") {
        return json!({"ok": false, "error": "invalid_auth"}).to_string().into_response();
    }
    if method == "chat.postMessage" && !slack.0.failures.lock().is_empty() {
        let (status, after) = slack.0.failures.lock().remove(0);
        let refused = json!({"ok": false, "error": "ratelimited"}).to_string();
        return (StatusCode::from_u16(status).unwrap(), [("retry-after", after)], refused).into_response();
    }
    let number = slack.calls("chat.postMessage").len() + 1;
    slack.note(|| slack.0.calls.lock().push((method.clone(), body)));
    let answer = match method.as_str() {
        "auth.test" => json!({"ok": true, "team": "makers", "user_id": "UBOT"}),
        "apps.connections.open" => json!({"ok": true, "url": format!("ws://{}/link", slack.0.sockets)}),
        "chat.postMessage" => json!({"ok": true, "channel": "D1", "ts": format!("{number}.1")}),
        _ => json!({"ok": true}),
    };
    answer.to_string().into_response()
}

impl Ringing {
    async fn add_slack(&self, slack: &Slack, app: &str, bot: &str) -> (u16, Value) {
        let body = json!({"kind": "slack", "app_token": app, "bot_token": bot, "api": slack.url()});
        self.house.post("/v1/channels", &self.ada, &body).await
    }

    async fn pair_slack(&self, slack: &Slack, user: &str) {
        let (status, channel) = self.add_slack(slack, APP, BOT).await;
        assert_eq!((status, &channel["paired"]), (201, &json!(false)), "{channel}");
        slack.connected(1).await;
        slack.types("pair", user, channel["pair"]["code"].as_str().unwrap()).await;
        let paired = async {
            while self.channels().await[0]["paired"] != true {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, paired).await.unwrap();
    }
}

/// The ticket of the button with this label.
fn ticket(message: &Value, label: &str) -> String {
    let blocks = message["blocks"].as_array().unwrap().iter();
    let mut elements = blocks.flat_map(|block| block["elements"].as_array().into_iter().flatten());
    let button = elements.find(|element| element["text"]["text"] == label).unwrap_or_else(|| panic!("{message:#}"));
    let value = button["value"].as_str().unwrap().to_owned();
    assert!(Ticket::read(&value).is_some(), "{value}");
    value
}

#[tokio::test]
async fn a_wrong_token_of_the_app_or_the_bot_is_refused_when_it_is_set() {
    let (it, slack) = (ringing().await, Slack::open().await);
    for (app, bot) in [("xapp-wrong", BOT), (APP, "xoxb-wrong")] {
        let (status, refused) = it.add_slack(&slack, app, bot).await;
        assert_eq!((status, &refused["code"]), (409, &json!("channel_refused")), "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains("invalid_auth"), "{refused}");
    }
    assert_eq!(it.channels().await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_slack_user_is_paired_by_a_code_and_only_they_decide() {
    let (it, slack) = (ringing().await, Slack::open().await);
    it.pair_slack(&slack, "UADA").await;
    slack.types("again", "UEVE", "000000").await;
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    let message = slack.called("chat.postMessage", 1).await.remove(0);
    assert_eq!(message["channel"], "UADA");
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    slack.taps("e1", "UEVE", &ticket(&message, "Yes")).await;
    slack.taps("e2", "UADA", &"f".repeat(32)).await;
    slack.until("the forged tap is answered", || (slack.calls("respond").len() >= 3).then_some(())).await;
    assert_eq!(it.show(&ask).await["state"], "open", "neither a stranger nor a forged ticket decides");
    slack.taps("e3", "UADA", &ticket(&message, "No")).await;
    let answered = it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
    assert_eq!(answered["answers"], json!({"Deploy now?": "No"}));
    assert_eq!((&answered["by"]["person"], &answered["by"]["via"]), (&json!("ada"), &json!("slack")));
    let closed = slack.called("chat.update", 1).await.remove(0);
    assert_eq!(closed["ts"], "1.1");
    assert!(closed["text"].as_str().unwrap().contains("Decided by ada"), "{closed}");
}

#[tokio::test]
async fn a_connection_that_breaks_off_loses_no_tap_and_a_doubled_one_counts_once() {
    let (it, slack) = (ringing().await, Slack::open().await);
    it.pair_slack(&slack, "UADA").await;
    slack.0.failures.lock().push((429, "7"));
    let ask = it.ask("Deploy now?").await;
    it.wait(15);
    it.see(&ask, "it failed", |ask| ask["rings"][0]["state"] == "failed").await;
    it.wait(6);
    assert_eq!(slack.calls("chat.postMessage").len(), 0, "Slack wants seven seconds");
    it.wait(1);
    let message = slack.called("chat.postMessage", 1).await.remove(0);
    it.see(&ask, "it rang", |ask| ask["rings"][0]["state"] == "sent").await;
    slack.0.out.send(None).unwrap();
    slack.connected(2).await;
    slack.0.out.send(Some(json!({"type": "disconnect", "reason": "refresh_requested"}).to_string())).unwrap();
    slack.connected(3).await;
    for _ in 0..2 {
        slack.taps("e1", "UADA", &ticket(&message, "Yes")).await;
    }
    it.see(&ask, "the tap counts", |ask| ask["state"] == "answered").await;
    slack.taps("e2", "UADA", &ticket(&message, "No")).await;
    let late = slack.until("the late tap is answered", || slack.calls("respond").pop()).await;
    assert!(late.to_string().contains("decided already"), "{late}");
    assert_eq!(it.show(&ask).await["answers"], json!({"Deploy now?": "Yes"}));
}
