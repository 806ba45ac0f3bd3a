//! People who answer all asks they see, and reconnect with their last cursor when the connection drops.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use tokio::sync::Semaphore;

use crate::wire::Socket;

/// What a person recorded.
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

/// Answers with `label` until `stop`. Signals through `ready` when the first snapshot has arrived.
pub(crate) async fn answer(
    address: String,
    token: String,
    label: &'static str,
    ready: Arc<Semaphore>,
    stop: Arc<AtomicBool>,
) -> Seen {
    let mut seen = Seen::default();
    let mut cursor: Option<String> = None;
    // Asks that are open as far as this person knows.
    let mut open: BTreeSet<String> = BTreeSet::new();
    while !stop.load(Ordering::Relaxed) {
        let Some(mut socket) = Socket::connect(&address).await else {
            tokio::time::sleep(Duration::from_millis(3)).await;
            continue;
        };
        if socket.send(&json!({"type": "hello", "token": token, "cursor": cursor})).await.is_none() {
            continue;
        }
        // Events of an entry whose last event has not arrived yet: only that one has a cursor to resume from.
        let mut pending: Vec<Value> = Vec::new();
        let mut answered: Vec<String> = Vec::new();
        loop {
            let frame = match tokio::time::timeout(Duration::from_millis(100), socket.next()).await {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(_) if stop.load(Ordering::Relaxed) => break,
                Err(_) => continue,
            };
            match frame["type"].as_str().unwrap_or_default() {
                "welcome" => {
                    seen.connections += 1;
                    // After reconnecting, answer again what may have been lost.
                    for ask in &open {
                        send(&mut socket, &mut answered, ask, label).await;
                    }
                }
                "snapshot" => {
                    seen.snapshots += 1;
                    ready.add_permits(1);
                    cursor = frame["cursor"].as_str().map(str::to_owned);
                }
                "event" => {
                    let event = frame["event"].clone();
                    if event["type"] == "asked" && event["ask"]["questions"][0]["question"] == "Which way?" {
                        let ask = event["ask"]["id"].as_str().unwrap();
                        open.insert(ask.to_owned());
                        send(&mut socket, &mut answered, ask, label).await;
                    }
                    if event["type"] == "settled" {
                        open.remove(event["ask"].as_str().unwrap());
                    }
                    pending.push(event);
                    if let Some(here) = frame["cursor"].as_str() {
                        cursor = Some(here.to_owned());
                        seen.events.append(&mut pending);
                    }
                }
                "reply" if frame["ok"] == true => {
                    let ask = &answered[frame["tag"].as_u64().unwrap() as usize];
                    seen.acknowledged.insert(ask.clone(), label.to_owned());
                }
                _ => {}
            }
        }
    }
    seen
}

/// Sends an answer; its tag is its place among the answers of this connection.
async fn send(socket: &mut Socket, answered: &mut Vec<String>, ask: &str, label: &str) {
    let tag = answered.len();
    answered.push(ask.to_owned());
    let _ = socket.send(&json!({"type": "answer", "tag": tag, "ask": ask, "answers": {"Which way?": label}})).await;
}
