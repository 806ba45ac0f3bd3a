//! An ntfy server on loopback, as its documents describe it: topics, sequence ids, a stream of lines, access tokens.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::broadcast;

use crate::kit::PATIENCE;

#[derive(Clone)]
pub(super) struct Ntfy(Arc<Inner>);

struct Inner {
    address: SocketAddr,
    token: Option<String>,
    state: Mutex<State_>,
    told: broadcast::Sender<Value>,
}

#[derive(Default)]
struct State_ {
    messages: Vec<Value>,
    /// What the next requests to publish are answered with.
    failures: Vec<(u16, Option<&'static str>)>,
    /// What was removed, by its sequence id.
    removed: Vec<String>,
    /// Streams that were opened, and how many lines each still gets before it breaks off.
    streams: usize,
    streams_break_after: Option<usize>,
}

impl Ntfy {
    pub(super) async fn open(token: Option<&str>) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let inner = Inner {
            address: listener.local_addr().unwrap(),
            token: token.map(str::to_owned),
            state: Mutex::default(),
            told: broadcast::channel(256).0,
        };
        let ntfy = Self(Arc::new(inner));
        let router = Router::new()
            .route("/", axum::routing::post(publish))
            .route("/{topic}", axum::routing::post(post))
            .route("/{topic}/auth", get(auth))
            .route("/{topic}/json", get(stream))
            .route("/{topic}/{id}", axum::routing::delete(remove))
            .with_state(ntfy.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        ntfy
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Fails the next requests to publish.
    pub(super) fn fail(&self, failures: &[(u16, Option<&'static str>)]) {
        self.0.state.lock().failures.extend(failures);
    }

    /// Breaks every stream off after so many lines.
    pub(super) fn break_streams_after(&self, lines: usize) {
        self.0.state.lock().streams_break_after = Some(lines);
    }

    pub(super) fn streams(&self) -> usize {
        self.0.state.lock().streams
    }

    pub(super) fn removed(&self) -> Vec<String> {
        self.0.state.lock().removed.clone()
    }

    /// Posts to a topic as anyone can.
    pub(super) fn posted(&self, topic: &str, body: &str) {
        self.store(json!({"topic": topic, "message": body}));
    }

    pub(super) fn works_again(&self) {
        self.0.state.lock().failures.clear();
    }

    pub(super) fn messages(&self, topic: &str) -> Vec<Value> {
        self.0.state.lock().messages.iter().filter(|message| message["topic"] == topic).cloned().collect()
    }

    /// Waits until a topic has so many messages.
    pub(super) async fn have(&self, topic: &str, count: usize) -> Vec<Value> {
        let mut told = self.0.told.subscribe();
        let waiting = async {
            loop {
                let messages = self.messages(topic);
                if messages.len() >= count {
                    return messages;
                }
                let _ = told.recv().await;
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(messages) => messages,
            Err(_) => panic!("{topic} has {} messages, not {count}", self.messages(topic).len()),
        }
    }

    /// Taps a button as a phone does.
    pub(super) async fn tap(&self, message: &Value, label: &str) {
        let actions = message["actions"].as_array().unwrap();
        let action = actions.iter().find(|action| action["label"] == label).unwrap();
        let (url, body) = (action["url"].as_str().unwrap(), action["body"].as_str().unwrap());
        let target = url.strip_prefix(&self.url()).unwrap();
        let mut wire = tokio::net::TcpStream::connect(self.0.address).await.unwrap();
        let length = body.len();
        let request = format!(
            "POST {target} HTTP/1.1\r\nhost: ntfy\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        wire.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        wire.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    fn store(&self, mut message: Value) -> Value {
        let mut state = self.0.state.lock();
        let id = format!("id{}", state.messages.len());
        message["id"] = json!(id);
        message["event"] = json!("message");
        message["time"] = json!(1);
        if message["sequence_id"].is_null() {
            message["sequence_id"] = json!(id);
        }
        state.messages.push(message.clone());
        drop(state);
        let _ = self.0.told.send(message.clone());
        message
    }

    fn may(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.0.token else { return true };
        headers.get("authorization").is_some_and(|value| value.to_str().unwrap() == format!("Bearer {token}"))
    }
}

fn refused() -> Response {
    let body = json!({"code": 40101, "http": 401, "error": "unauthorized"});
    (StatusCode::UNAUTHORIZED, body.to_string()).into_response()
}

async fn publish(State(ntfy): State<Ntfy>, headers: HeaderMap, body: Bytes) -> Response {
    if !ntfy.may(&headers) {
        return refused();
    }
    let failure = {
        let mut state = ntfy.0.state.lock();
        (!state.failures.is_empty()).then(|| state.failures.remove(0))
    };
    if let Some((status, retry_after)) = failure {
        let mut response = (StatusCode::from_u16(status).unwrap(), "{}").into_response();
        if let Some(after) = retry_after {
            response.headers_mut().insert("retry-after", after.parse().unwrap());
        }
        return response;
    }
    ntfy.store(serde_json::from_slice(&body).unwrap()).to_string().into_response()
}

async fn post(State(ntfy): State<Ntfy>, Path(topic): Path<String>, body: String) -> String {
    ntfy.store(json!({"topic": topic, "message": body})).to_string()
}

async fn auth(State(ntfy): State<Ntfy>, headers: HeaderMap) -> Response {
    if ntfy.may(&headers) { r#"{"success":true}"#.into_response() } else { refused() }
}

async fn remove(State(ntfy): State<Ntfy>, Path((topic, id)): Path<(String, String)>) -> String {
    ntfy.0.state.lock().removed.push(id.clone());
    let removed = json!({"id": "r", "event": "message_delete", "topic": topic, "sequence_id": id});
    let _ = ntfy.0.told.send(removed.clone());
    removed.to_string()
}

/// What was posted before, then what is posted.
async fn stream(State(ntfy): State<Ntfy>, Path(topic): Path<String>, headers: HeaderMap) -> Response {
    if !ntfy.may(&headers) {
        return refused();
    }
    let mut told = ntfy.0.told.subscribe();
    let past = ntfy.messages(&topic);
    let mut left = {
        let mut state = ntfy.0.state.lock();
        state.streams += 1;
        state.streams_break_after.unwrap_or(usize::MAX)
    };
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, Infallible>>(64);
    tokio::spawn(async move {
        let open = json!({"id": "o", "event": "open", "topic": topic});
        for message in [open].into_iter().chain(past) {
            let _ = sender.send(Ok(format!("{message}\n").into())).await;
        }
        while let Ok(message) = told.recv().await {
            if message["topic"] == *topic {
                left -= 1;
            }
            if left == 0 {
                let _ = sender.send(Ok(format!("{message}\n").into())).await;
                return;
            }
            if message["topic"] == *topic && sender.send(Ok(format!("{message}\n").into())).await.is_err() {
                return;
            }
        }
    });
    Body::from_stream(tokio_stream::wrappers::ReceiverStream::new(receiver)).into_response()
}
