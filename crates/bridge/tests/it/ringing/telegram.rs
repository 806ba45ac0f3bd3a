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
    changed: Notify,
}

impl Telegram {
    pub(super) async fn open() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Inner { address, calls: Mutex::default(), updates: Mutex::default(), changed: Notify::new() };
        let telegram = Self(Arc::new(inner));
        let router = Router::new().route("/{bot}/{method}", post(call)).with_state(telegram.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        telegram
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Something happens in a chat.
    pub(super) fn happens(&self, mut update: Value) {
        let mut updates = self.0.updates.lock();
        update["update_id"] = json!(updates.len() + 1);
        updates.push(update);
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
