//! Server-sent events, the subset that our own server sends.

use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ask::Ask;
use super::lines::Lines;

/// A stream of events.
#[derive(Debug)]
pub(crate) struct Events {
    lines: Lines,
    /// Where to resume after the connection ends.
    pub(crate) last: Option<String>,
}

#[derive(Debug)]
pub(crate) enum StreamUpdate {
    /// The open asks. `more`: there are more.
    Snapshot { asks: Vec<Ask>, more: bool },
    /// An event about an ask.
    News { what: String, ask: String },
    /// A heartbeat.
    Beat,
}

impl Events {
    pub(super) fn new(body: Incoming) -> Self {
        Self { lines: Lines::new(body), last: None }
    }

    /// Returns the next event; `None` when the stream has ended, for any reason.
    pub(crate) async fn next(&mut self) -> Option<StreamUpdate> {
        let (mut name, mut data, mut id) = (String::new(), String::new(), None);
        loop {
            let line = self.lines.next().await?;
            if let Some(value) = line.strip_prefix("event: ") {
                name = value.to_owned();
            } else if let Some(value) = line.strip_prefix("data: ") {
                data.push_str(value);
            } else if let Some(value) = line.strip_prefix("id: ") {
                id = Some(value.to_owned());
            } else if line.is_empty() {
                if id.is_some() {
                    self.last = id.take();
                }
                match name.as_str() {
                    "lagged" => return None,
                    "" => return Some(StreamUpdate::Beat),
                    _ => {}
                }
                if let Some(heard) = understand(&name, &data) {
                    return Some(heard);
                }
                (name, data) = (String::new(), String::new());
            }
        }
    }
}

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow)]
    asks: Vec<&'a RawValue>,
    more: bool,
}

/// Parses an event. Returns `None` if it is not about an ask.
fn understand(name: &str, data: &str) -> Option<StreamUpdate> {
    match name {
        "snapshot" => {
            let snapshot: Snapshot<'_> = serde_json::from_str(data).ok()?;
            let asks = snapshot.asks.iter().filter_map(|raw| Ask::read(raw.get()).ok()).collect();
            Some(StreamUpdate::Snapshot { asks, more: snapshot.more })
        }
        "event" => {
            let frame: Value = serde_json::from_str(data).ok()?;
            let event = frame.get("event")?;
            let what = event.get("type")?.as_str()?.to_owned();
            let ask = event.get("ask")?;
            let ask = ask.as_str().or_else(|| ask.get("id")?.as_str())?.to_owned();
            Some(StreamUpdate::News { what, ask })
        }
        _ => None,
    }
}
