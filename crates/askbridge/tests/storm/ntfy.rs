//! An ntfy server on loopback that outlives the server under test, and holds a step back until the test has killed it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Messages that are returned to a look at what was published a moment ago.
const RECENT: usize = 20;
const PATIENCE: Duration = Duration::from_secs(20);

/// What a server does when it rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Nothing,
    /// The ask is made; whatever follows.
    Asked,
    /// We have the message, and the server does not know it.
    Received,
    /// The server was told that we have it.
    Taken,
    /// The person tapped a button.
    Tapped,
    /// The message is taken back.
    Closing,
}

#[derive(Clone)]
pub(crate) struct Ntfy(Arc<Inner>);

struct Inner {
    address: String,
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    messages: Vec<Value>,
    armed: Step,
    has_reached: bool,
}

impl Ntfy {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = State { messages: Vec::new(), armed: Step::Nothing, has_reached: false };
        let ntfy = Self(Arc::new(Inner { address, state: Mutex::new(state), changed: Notify::new() }));
        let serving = ntfy.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let ntfy = serving.clone();
                // The other side may be killed at any moment.
                tokio::spawn(async move { ntfy.serve(stream).await });
            }
        });
        ntfy
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// From now on this step is reported, and held back where it can be.
    pub(crate) fn arm(&self, step: Step) {
        let mut state = self.state();
        (state.armed, state.has_reached) = (step, false);
    }

    /// Waits until the step has come.
    pub(crate) async fn reached(&self) {
        self.wait("the step", |state| state.has_reached.then_some(())).await;
    }

    /// Waits until a question was published.
    pub(crate) async fn published(&self, question: &str) -> Value {
        let find = |state: &State| state.messages.iter().find(|it| it["message"] == question).cloned();
        self.wait(question, find).await
    }

    /// Waits until another message stands in the place of this one.
    pub(crate) async fn closed(&self, message: &Value) {
        let is_after = |it: &&Value| it["sequence_id"] == message["sequence_id"] && it["id"] != message["id"];
        self.wait("that it is taken back", |state| state.messages.iter().find(is_after).map(|_| ())).await;
    }

    /// How often a question was published.
    pub(crate) fn count(&self, question: &str) -> usize {
        self.state().messages.iter().filter(|it| it["message"] == question).count()
    }

    /// Taps a button as a phone does: its body goes to the topic in its address.
    pub(crate) fn tap(&self, message: &Value, label: &str) {
        let actions = message["actions"].as_array().unwrap();
        let action = actions.iter().find(|action| action["label"] == label).unwrap();
        let topic = action["url"].as_str().unwrap().rsplit('/').next().unwrap().split('?').next().unwrap();
        self.store(json!({"topic": topic, "message": action["body"]}));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }

    async fn wait<T>(&self, what: &str, found: impl Fn(&State) -> Option<T>) -> T {
        let waiting = async {
            loop {
                let mut changed = std::pin::pin!(self.0.changed.notified());
                changed.as_mut().enable();
                if let Some(found) = found(&self.state()) {
                    return found;
                }
                changed.await;
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(found) => found,
            Err(_) => panic!("waited for {what}: {:#?}", self.state().messages.last()),
        }
    }

    fn store(&self, mut message: Value) -> Value {
        let mut state = self.state();
        let id = format!("id{}", state.messages.len());
        message["id"] = json!(id);
        message["event"] = json!("message");
        message["time"] = json!(1);
        if message["sequence_id"].is_null() {
            message["sequence_id"] = json!(id);
        }
        state.messages.push(message.clone());
        drop(state);
        self.0.changed.notify_waiters();
        message
    }

    fn reach(&self, step: Step) -> bool {
        let mut state = self.state();
        let is_it = state.armed == step && !state.has_reached;
        state.has_reached |= is_it;
        drop(state);
        self.0.changed.notify_waiters();
        is_it
    }

    async fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let mut buffer = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                    break end + 4;
                }
                if stream.read_buf(&mut buffer).await.ok()? == 0 {
                    return None;
                }
            };
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let length = length.unwrap_or(0);
            while buffer.len() < end + length {
                if stream.read_buf(&mut buffer).await.ok()? == 0 {
                    return None;
                }
            }
            let body = buffer[end..end + length].to_vec();
            buffer.drain(..end + length);
            let path = head.split(' ').nth(1)?.to_owned();
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            if path.ends_with("/json") && !query.contains("poll=1") {
                return self.stream(stream, path.trim_matches('/').split('/').next()?).await;
            }
            let answer = self.answer(path, &body).await?;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.len());
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(answer.as_bytes()).await.ok()?;
            if path == "/" {
                self.reach(Step::Taken);
            }
        }
    }

    async fn answer(&self, path: &str, body: &[u8]) -> Option<String> {
        if path.ends_with("/auth") {
            return Some(r#"{"success":true}"#.to_owned());
        }
        if let Some(topic) = path.trim_matches('/').strip_suffix("/json") {
            // The last ones stand for those since a moment.
            let past = self.past(topic, 0);
            let lines: Vec<_> =
                past.iter().skip(past.len().saturating_sub(RECENT)).map(|message| format!("{message}\n")).collect();
            return Some(lines.concat());
        }
        let message: Value = serde_json::from_slice(body).ok()?;
        let is_question = message["actions"].is_array();
        let stored = self.store(message);
        let step = if is_question { Step::Received } else { Step::Closing };
        if self.reach(step) {
            // The server is killed while it waits for this.
            std::future::pending::<()>().await;
        }
        Some(stored.to_string())
    }

    fn past(&self, topic: &str, from: usize) -> Vec<Value> {
        let state = self.state();
        state.messages.iter().skip(from).filter(|message| message["topic"] == topic).cloned().collect()
    }

    /// What was posted before, then what is posted.
    async fn stream(&self, mut stream: TcpStream, topic: &str) -> Option<()> {
        stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.ok()?;
        let mut from = 0;
        loop {
            let mut changed = std::pin::pin!(self.0.changed.notified());
            changed.as_mut().enable();
            let until = self.state().messages.len();
            for message in self.past(topic, from) {
                stream.write_all(format!("{message}\n").as_bytes()).await.ok()?;
            }
            from = until;
            changed.await;
        }
    }
}
