//! People who answer whatever they see, and come back with their last cursor whenever the line drops.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::Socket;

/// What a person wrote down.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Answers that were acknowledged: ask → label.
    pub(crate) acknowledged: HashMap<String, String>,
    /// Every event, in the order it came.
    pub(crate) events: Vec<Value>,
    /// How often a snapshot came: only ever at the first connection.
    pub(crate) snapshots: usize,
    pub(crate) connections: usize,
}

/// Answers with `label` until `stop`.
pub(crate) async fn answer(address: String, token: String, label: &'static str, stop: Arc<AtomicBool>) -> Seen {
    let mut seen = Seen::default();
    let mut cursor: Option<String> = None;
    // Events of an entry whose last event has not come yet: only then is there a cursor to return to.
    let mut pending: Vec<Value> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let Some(mut socket) = Socket::connect(&address).await else {
            tokio::time::sleep(Duration::from_millis(3)).await;
            continue;
        };
        pending.clear();
        if socket.send(&json!({"type": "hello", "token": token, "cursor": cursor})).await.is_none() {
            continue;
        }
        seen.connections += 1;
        let mut asks: HashMap<u64, String> = HashMap::new();
        let mut tag = 0;
        loop {
            let frame = match tokio::time::timeout(Duration::from_millis(100), socket.next()).await {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(_) if stop.load(Ordering::Relaxed) => break,
                Err(_) => continue,
            };
            match frame["type"].as_str().unwrap_or_default() {
                "snapshot" => {
                    seen.snapshots += 1;
                    cursor = frame["cursor"].as_str().map(str::to_owned);
                }
                "event" => {
                    let event = frame["event"].clone();
                    let question = &event["ask"]["questions"][0]["question"];
                    let to_answer = (event["type"] == "asked" && question == "Which way?").then(|| &event["ask"]["id"]);
                    if let Some(ask) = to_answer.and_then(Value::as_str) {
                        tag += 1;
                        asks.insert(tag, ask.to_owned());
                        let answer =
                            json!({"type": "answer", "tag": tag, "ask": ask, "answers": {"Which way?": label}});
                        let _ = socket.send(&answer).await;
                    }
                    pending.push(event);
                    if let Some(here) = frame["cursor"].as_str() {
                        cursor = Some(here.to_owned());
                        seen.events.append(&mut pending);
                    }
                }
                "reply" if frame["ok"] == true => {
                    let ask = asks[&frame["tag"].as_u64().unwrap()].clone();
                    seen.acknowledged.insert(ask, label.to_owned());
                }
                _ => {}
            }
        }
        // Whoever comes back answers again what may have been lost on the way: the events tell what is still open.
        for (_, ask) in asks {
            let known = seen.events.iter().any(|event| event["type"] == "settled" && event["ask"] == ask);
            if !known {
                answer_again(&address, &token, &ask, label, &mut seen).await;
            }
        }
    }
    seen
}

async fn answer_again(address: &str, token: &str, ask: &str, label: &str, seen: &mut Seen) {
    for _ in 0..200 {
        let Ok(mut http) = crate::wire::Http::connect(address).await else {
            tokio::time::sleep(Duration::from_millis(3)).await;
            continue;
        };
        let headers = format!("authorization: Bearer {token}\r\n");
        let body = json!({"answers": {"Which way?": label}});
        match http.post(&format!("/v1/asks/{ask}/answer"), &headers, &body).await {
            Ok((200, _)) => {
                seen.acknowledged.insert(ask.to_owned(), label.to_owned());
                return;
            }
            Ok((503, _)) | Err(_) => tokio::time::sleep(Duration::from_millis(3)).await,
            Ok(_) => return,
        }
    }
}
