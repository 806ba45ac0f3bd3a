//! What happens to the connection and to the streams' leaders, for metrics and readiness.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use async_nats::{Client, Event};
use futures_util::future::join_all;
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::connect::REQUEST_MAX;
use super::store::Inner;
use super::time::milliseconds;
use crate::fault::Fault;
use crate::health::{Contact, ServerTime};

/// Counts what the client library tells about the connection, and what the servers tell about the streams.
#[derive(Debug, Default)]
pub(super) struct Link {
    is_connected: AtomicBool,
    connects: AtomicU64,
    leader_changes: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    last_heard: Option<Instant>,
    /// For each stream: its leader, and since when it has not replied.
    streams: Vec<SeenStream>,
}

#[derive(Debug, Default, Clone)]
struct SeenStream {
    leader: Option<String>,
    has_leader: bool,
    copies_behind: u64,
    silent_since: Option<Instant>,
}

/// What a server says of a stream, as far as it is of use here.
#[derive(Debug, Deserialize)]
pub(super) struct StreamState {
    state: Sequences,
    #[serde(default)]
    cluster: Option<Cluster>,
    /// The server's time.
    #[serde(default)]
    ts: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Sequences {
    last_seq: u64,
}

#[derive(Debug, Default, Deserialize)]
struct Cluster {
    #[serde(default)]
    leader: Option<String>,
    #[serde(default)]
    replicas: Vec<Replica>,
}

#[derive(Debug, Deserialize)]
struct Replica {
    #[serde(default)]
    current: bool,
    #[serde(default)]
    offline: bool,
}

impl Link {
    pub(super) fn hear(&self, event: &Event) {
        match event {
            Event::Connected => {
                self.is_connected.store(true, Ordering::Relaxed);
                if self.connects.fetch_add(1, Ordering::Relaxed) > 0 {
                    tracing::info!("Connected to NATS again");
                }
            }
            Event::Disconnected | Event::Closed => {
                self.is_connected.store(false, Ordering::Relaxed);
                tracing::warn!("The connection to NATS broke");
            }
            Event::LameDuckMode => tracing::info!("A NATS server is about to stop"),
            // The text may name addresses, but addresses have no secrets here.
            other => tracing::debug!(event = %other, "NATS"),
        }
    }

    fn looked(&self, found: Vec<Option<StreamState>>) {
        let now = Instant::now();
        let mut seen = self.seen.lock();
        seen.streams.resize(found.len(), SeenStream::default());
        let mut changes = 0;
        let mut heard = false;
        for (stream, found) in seen.streams.iter_mut().zip(found) {
            // Without a cluster there is one server, which leads.
            let cluster = found
                .map(|found| found.cluster.unwrap_or(Cluster { leader: Some(String::new()), replicas: Vec::new() }));
            heard |= cluster.is_some();
            stream.has_leader = cluster.as_ref().is_some_and(|cluster| cluster.leader.is_some());
            if stream.has_leader {
                stream.silent_since = None;
            } else {
                stream.silent_since.get_or_insert(now);
            }
            let Some(cluster) = cluster else { continue };
            stream.copies_behind = cluster.replicas.iter().filter(|copy| copy.offline || !copy.current).count() as u64;
            if cluster.leader.is_some() && stream.leader != cluster.leader {
                changes += u64::from(stream.leader.is_some());
                stream.leader = cluster.leader;
            }
        }
        if heard {
            seen.last_heard = Some(now);
        }
        self.leader_changes.fetch_add(changes, Ordering::Relaxed);
    }

    /// For how long a part of the journal has been out of reach, if it is.
    pub(super) fn silence(&self) -> Option<Duration> {
        let since = self.seen.lock().streams.iter().filter_map(|stream| stream.silent_since).min();
        since.map(|since| since.elapsed()).filter(|silence| *silence > limits::UNREACHABLE_AFTER)
    }

    pub(super) fn contact(&self, client: &Client, streams: usize) -> Contact {
        let info = client.server_info();
        let seen = self.seen.lock();
        Contact {
            is_connected: self.is_connected.load(Ordering::Relaxed),
            server: info.server_name,
            version: info.version,
            reconnects: self.connects.load(Ordering::Relaxed).saturating_sub(1),
            leader_changes: self.leader_changes.load(Ordering::Relaxed),
            leaderless: seen.streams.iter().filter(|stream| !stream.has_leader).count() as u64,
            copies_behind: seen.streams.iter().map(|stream| stream.copies_behind).sum(),
            streams: streams as u64,
            last_heard: seen.last_heard.map(|at| at.elapsed()),
        }
    }
}

/// Asks for the state of each stream from time to time, until `inner` is dropped.
pub(super) async fn look_after(inner: std::sync::Weak<Inner>) {
    while let Some(inner) = inner.upgrade() {
        look(&inner).await;
        drop(inner);
        sleep(limits::STREAM_LOOK).await;
    }
}

async fn look(inner: &Arc<Inner>) {
    let connection = &inner.connection;
    let found = join_all((0..connection.streams.len()).map(|number| state(inner, number))).await;
    for (number, found) in found.iter().enumerate() {
        if let Ok(found) = found {
            inner.known.heard_of(number, found.state.last_seq);
        }
    }
    connection.link.looked(found.into_iter().map(Result::ok).collect());
}

/// Asks a stream's leader for its state.
async fn state(inner: &Inner, number: usize) -> Result<StreamState, Fault> {
    let subject = format!("$JS.API.STREAM.INFO.{}-{number}", inner.name);
    let request = inner.connection.client.request(subject, bytes::Bytes::new());
    let reply = match tokio::time::timeout(REQUEST_MAX, request).await {
        Ok(reply) => reply.map_err(Fault::new)?,
        Err(elapsed) => return Err(Fault::new(elapsed)),
    };
    serde_json::from_slice(&reply.payload).map_err(Fault::new)
}

/// Asks for the time of the server that leads the first stream.
pub(super) async fn server_time(inner: &Inner) -> Result<ServerTime, Fault> {
    let asked = Instant::now();
    let state = state(inner, 0).await?;
    let round_trip = asked.elapsed();
    let none = || Fault::new(std::io::Error::other("the server did not say its time"));
    let at = state.ts.as_deref().and_then(milliseconds).ok_or_else(none)?;
    Ok(ServerTime { at: Timestamp(at), round_trip })
}
