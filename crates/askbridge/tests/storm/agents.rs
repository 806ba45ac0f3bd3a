//! Agents that never give up: they repeat a question with the same key until there is an answer.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::wire::Http;

/// What an agent recorded about one question.
#[derive(Debug)]
pub(crate) struct QuestionRecord {
    pub(crate) key: String,
    /// Every id that was acknowledged for this key.
    pub(crate) ids: Vec<String>,
    /// Every settled view that was returned.
    pub(crate) settled: Vec<Value>,
    /// How often the connection was refused.
    pub(crate) unheard: usize,
    /// How often the server responded with 503.
    pub(crate) turned_away: usize,
}

/// Asks one question after the other until `stop`, then finishes the one in hand.
pub(crate) async fn ask(address: String, token: String, place: usize, stop: Arc<AtomicBool>) -> Vec<QuestionRecord> {
    let mut ledger = Vec::new();
    let mut http = None;
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        // Every eighth question is left to expire.
        let expires = (place + round).is_multiple_of(8);
        let key = format!("agent{place}-round{round}");
        let mut asked = QuestionRecord { key, ids: Vec::new(), settled: Vec::new(), unheard: 0, turned_away: 0 };
        let mut question = json!({"questions": [{
            "question": if expires { "Is anybody there?" } else { "Which way?" },
            "options": [{"label": "North"}, {"label": "East"}, {"label": "South"}, {"label": "West"}],
        }]});
        if expires {
            question["timeout_seconds"] = json!(0.2);
        }
        let headers = format!("authorization: Bearer {token}\r\nidempotency-key: {}\r\n", asked.key);
        while asked.settled.is_empty() {
            match attempt(&address, &mut http, &headers, &question, &mut asked.unheard).await {
                Some((200 | 201, view)) => {
                    asked.ids.push(view["id"].as_str().unwrap().to_owned());
                    if view["verdict"] != Value::Null {
                        asked.settled.push(view);
                    }
                }
                again @ (Some((503, _)) | None) => {
                    asked.turned_away += usize::from(again.is_some());
                    http = None;
                    tokio::time::sleep(Duration::from_millis(3)).await;
                }
                Some((status, view)) => panic!("{status}: {view}"),
            }
        }
        // Asking once more for a settled question must not change it.
        if round.is_multiple_of(3)
            && let Some((200, again)) = attempt(&address, &mut http, &headers, &question, &mut asked.unheard).await
        {
            asked.ids.push(again["id"].as_str().unwrap().to_owned());
            asked.settled.push(again);
        }
        ledger.push(asked);
    }
    ledger
}

async fn attempt(
    address: &str,
    http: &mut Option<Http<tokio::net::TcpStream>>,
    headers: &str,
    question: &Value,
    unheard: &mut usize,
) -> Option<(u16, Value)> {
    if http.is_none() {
        let connected = Http::connect(address).await;
        *unheard += usize::from(connected.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused));
        *http = connected.ok();
    }
    let answered = http.as_mut()?.post("/v1/asks?wait=20", headers, question).await.ok();
    if answered.is_none() {
        *http = None;
    }
    answered
}
