//! The floor: a minimal relay, to compare with.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::disk::Disk;

/// Rounds that may wait at once.
const QUEUE: usize = 4096;

struct Floor {
    asked: AtomicU64,
    waiting: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    news: broadcast::Sender<Arc<str>>,
    disk: Option<Disk>,
}

pub(crate) async fn serve(folder: Option<PathBuf>) -> Result<()> {
    let floor = Arc::new(Floor {
        asked: AtomicU64::new(0),
        waiting: Mutex::default(),
        news: broadcast::Sender::new(QUEUE),
        disk: folder.map(Disk::open),
    });
    let router = Router::new().route("/v1/asks", post(ask)).route("/v1/ws", get(socket)).with_state(floor);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let mut end = signal(SignalKind::terminate())?;
    tokio::select! {
        served = axum::serve(listener, router) => Ok(served?),
        _ = end.recv() => Ok(()),
    }
}

impl Floor {
    async fn keep(&self, body: &Value) {
        if let Some(disk) = &self.disk {
            disk.keep(body.to_string()).await.expect("a floor without its store is none");
        }
    }
}

async fn ask(State(floor): State<Arc<Floor>>, body: String) -> String {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let id = format!("ask_{}", floor.asked.fetch_add(1, Ordering::Relaxed));
    floor.keep(&asked).await;
    let (sender, answer) = oneshot::channel();
    floor.waiting.lock().expect("no one panics").insert(id.clone(), sender);
    let frame =
        json!({"type": "event", "event": {"type": "asked", "ask": {"id": id, "questions": asked["questions"]}}});
    let _ = floor.news.send(frame.to_string().into());
    let answers = answer.await.unwrap_or_default();
    json!({"id": id, "state": "answered", "answers": answers}).to_string()
}

#[derive(Deserialize)]
struct Answer {
    tag: u64,
    ask: String,
    answers: Value,
}

async fn socket(State(floor): State<Arc<Floor>>, upgrade: WebSocketUpgrade) -> axum::response::Response {
    upgrade.read_buffer_size(4096).write_buffer_size(4096).on_upgrade(move |socket| person(floor, socket))
}

async fn person(floor: Arc<Floor>, mut socket: WebSocket) {
    let mut news = floor.news.subscribe();
    let (replies, mut ready) = mpsc::channel::<String>(QUEUE);
    loop {
        tokio::select! {
            Ok(frame) = news.recv() => {
                if socket.feed(Message::Text((&*frame).into())).await.is_err() || socket.flush().await.is_err() {
                    return;
                }
            }
            Some(reply) = ready.recv() => {
                if socket.send(Message::Text(reply.into())).await.is_err() {
                    return;
                }
            }
            frame = socket.next() => {
                let Some(Ok(Message::Text(text))) = frame else { return };
                let Ok(answer) = serde_json::from_str::<Answer>(&text) else { continue };
                let (floor, replies) = (Arc::clone(&floor), replies.clone());
                tokio::spawn(async move {
                    floor.keep(&answer.answers).await;
                    let waiting = floor.waiting.lock().expect("no one panics").remove(&answer.ask);
                    if let Some(waiting) = waiting {
                        let _ = waiting.send(answer.answers);
                    }
                    let _ = replies.send(json!({"type": "reply", "tag": answer.tag, "ok": true}).to_string()).await;
                });
            }
        }
    }
}
