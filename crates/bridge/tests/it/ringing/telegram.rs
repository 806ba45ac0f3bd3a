//! A Telegram Bot API on loopback, as its documents describe it: long polls, messages, callbacks.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::kit::PATIENCE;

pub(super) const TOKEN: &str = "123:secret";

#[derive(Clone)]
pub(super) struct Telegram(Arc<Inner>);

struct Inner {
    address: SocketAddr,
    calls: Mutex<Vec<(String, Value)>>,
    updates: Mutex<Vec<Value>>,
    /// What the next polls are answered with.
    failures: Mutex<Vec<Value>>,
    changed: Notify,
}

impl Telegram {
    pub(super) async fn open() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Inner {
            address,
            calls: Mutex::default(),
            updates: Mutex::default(),
            failures: Mutex::default(),
            changed: Notify::new(),
        };
        let telegram = Self(Arc::new(inner));
        let router = Router::new().route("/{bot}/{method}", post(call)).with_state(telegram.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        telegram
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// The number of a message that was sent.
    pub(super) fn number(&self, message: &Value) -> i64 {
        let calls = self.0.calls.lock();
        let at = calls.iter().position(|(name, params)| name == "sendMessage" && params == message).unwrap();
        i64::try_from(at + 1).unwrap()
    }

    /// Something happens in a chat.
    pub(super) fn happens(&self, mut update: Value) {
        let mut updates = self.0.updates.lock();
        update["update_id"] = json!(updates.len() + 1);
        updates.push(update);
        drop(updates);
        self.0.changed.notify_waiters();
    }

    /// Fails the next polls like this.
    pub(super) fn fail_polls(&self, failures: &[Value]) {
        self.0.failures.lock().extend(failures.iter().cloned());
        self.0.changed.notify_waiters();
    }

    pub(super) fn has_failed(&self) -> bool {
        self.0.failures.lock().is_empty()
    }

    /// The same update comes once more, as after a poll whose response was lost.
    pub(super) fn doubles(&self) {
        let mut updates = self.0.updates.lock();
        let mut last = updates.last().unwrap().clone();
        last["update_id"] = json!(updates.len() + 1);
        updates.push(last);
        drop(updates);
        self.0.changed.notify_waiters();
    }

    pub(super) fn calls(&self, method: &str) -> Vec<Value> {
        let calls = self.0.calls.lock();
        calls.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }

    /// Waits until a method was called so often.
    pub(super) async fn called(&self, method: &str, count: usize) -> Vec<Value> {
        let waiting = async {
            loop {
                let mut changed = std::pin::pin!(self.0.changed.notified());
                changed.as_mut().enable();
                let calls = self.calls(method);
                if calls.len() >= count {
                    return calls;
                }
                changed.await;
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(calls) => calls,
            Err(_) => {
                panic!("{method} was called {} times, not {count}: {:?}", self.calls(method).len(), self.0.calls.lock())
            }
        }
    }
}

fn well(result: Value) -> Response {
    json!({"ok": true, "result": result}).to_string().into_response()
}

async fn call(State(telegram): State<Telegram>, Path((bot, method)): Path<(String, String)>, body: String) -> Response {
    if bot != format!("bot{TOKEN}") {
        let refused = json!({"ok": false, "error_code": 401, "description": "Unauthorized"});
        return (StatusCode::UNAUTHORIZED, refused.to_string()).into_response();
    }
    let params: Value = serde_json::from_str(&body).unwrap_or_default();
    if method == "getUpdates" {
        let offset = params["offset"].as_u64().unwrap_or(0);
        loop {
            let mut changed = std::pin::pin!(telegram.0.changed.notified());
            changed.as_mut().enable();
            let failure = {
                let mut failures = telegram.0.failures.lock();
                (!failures.is_empty()).then(|| failures.remove(0))
            };
            if let Some(failure) = failure {
                let status = u16::try_from(failure["error_code"].as_u64().unwrap()).unwrap();
                return (StatusCode::from_u16(status).unwrap(), failure.to_string()).into_response();
            }
            let updates = telegram.0.updates.lock().clone();
            let new: Vec<_> = updates.into_iter().filter(|it| it["update_id"].as_u64() >= Some(offset)).collect();
            if !new.is_empty() {
                return well(json!(new));
            }
            changed.await;
        }
    }
    let count = {
        let mut calls = telegram.0.calls.lock();
        calls.push((method.clone(), params.clone()));
        calls.len()
    };
    telegram.0.changed.notify_waiters();
    match &*method {
        "getMe" => well(json!({"id": 123, "is_bot": true, "first_name": "asks", "username": "ask_bot"})),
        "sendMessage" => {
            well(json!({"message_id": count, "date": 1, "chat": {"id": params["chat_id"], "type": "private"}}))
        }
        _ => well(json!(true)),
    }
}
