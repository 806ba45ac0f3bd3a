//! The counters that the bridge keeps while it works. Atomic additions only: no lock, and no allocation after a name's
//! first use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use askbridge_core::Session;
use askbridge_core::event::{Event, Parcel};
use askbridge_core::ids::Timestamp;
use askbridge_core::session::{AskStage, FoundAsk};
use askbridge_journal::meter::Histogram;
use askbridge_journal::{Forgotten, Written};

use super::names::Names;

/// Upper bounds for how long a person takes, in milliseconds: from a rule to a week.
const PATIENCE: &[u64] = &[
    100,
    1_000,
    5_000,
    15_000,
    60_000,
    300_000,
    900_000,
    3_600_000,
    4 * 3_600_000,
    24 * 3_600_000,
    7 * 24 * 3_600_000,
];
/// Upper bounds for how long a verdict takes to its agent, in milliseconds.
const DELIVERY: &[u64] = &[5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000, 300_000, 3_600_000, 24 * 3_600_000];

/// Columns of the table of requests: the first digit of the status.
pub(super) const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// All counters, for the life of the process.
#[derive(Debug)]
pub struct Meters {
    /// Milliseconds from `Asked` to `Settled`.
    pub(super) settled: Histogram,
    /// Milliseconds from `Settled` to `Delivered`.
    pub(super) delivered: Histogram,
    pub(super) requests: Names<5>,
    pub(super) refusals: Names<1>,
    /// Rings, by the kind of channel: those that were sent, and those that failed.
    pub(super) rings: Names<2>,
    pub(super) lagged: AtomicU64,
    /// Sessions, entries and bytes that were forgotten.
    pub(super) forgotten: [AtomicU64; 3],
    websockets: Arc<AtomicU64>,
    streams: Arc<AtomicU64>,
    pub(super) started_at: Timestamp,
}

/// A connected client, counted as long as this lives.
#[derive(Debug)]
pub(crate) struct Present(Arc<AtomicU64>);

impl Meters {
    pub(crate) fn new(started_at: Timestamp) -> Self {
        Self {
            settled: Histogram::new(PATIENCE),
            delivered: Histogram::new(DELIVERY),
            requests: Names::default(),
            refusals: Names::default(),
            rings: Names::default(),
            lagged: AtomicU64::new(0),
            forgotten: Default::default(),
            websockets: Arc::default(),
            streams: Arc::default(),
            started_at,
        }
    }

    /// Counts the asks that these events of a session settle or deliver. The events are durable and folded.
    pub(crate) fn rounds(&self, session: &Session, events: &[Written]) {
        for written in events {
            match &*written.event {
                Event::Settled(settled) => {
                    if let Some(FoundAsk::Live(live)) = session.find(settled.ask) {
                        self.settled.add(millis(live.ask.at, settled.at));
                    }
                }
                Event::Delivered { parcel: Parcel::Verdict(ask), at, .. } => {
                    let settled_at = match session.find(*ask) {
                        Some(FoundAsk::Over(stub)) => Some(stub.at),
                        Some(FoundAsk::Live(live)) => match &live.stage {
                            AskStage::Settled { at, .. } => Some(*at),
                            AskStage::Open | AskStage::Proposed { .. } => None,
                        },
                        None => None,
                    };
                    if let Some(settled_at) = settled_at {
                        self.delivered.add(millis(settled_at, *at));
                    }
                }
                _ => {}
            }
        }
    }

    pub(crate) fn request(&self, route: &str, status: u16) {
        let class = usize::from(status / 100).clamp(1, CLASSES.len()) - 1;
        self.requests.add(route, class);
    }

    pub(crate) fn refusal(&self, code: &str) {
        self.refusals.add(code, 0);
    }

    /// A channel was rung, or could not be.
    pub(crate) fn rang(&self, kind: &str, is_sent: bool) {
        self.rings.add(kind, usize::from(!is_sent));
    }

    /// A client could not keep up, and the hub dropped its subscription.
    pub(crate) fn lagged(&self) {
        self.lagged.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn forgot(&self, forgotten: Forgotten) {
        let Forgotten { sessions, entries, bytes } = forgotten;
        for (sum, more) in self.forgotten.iter().zip([sessions, entries, bytes]) {
            sum.fetch_add(more, Ordering::Relaxed);
        }
    }

    pub(crate) fn websocket(&self) -> Present {
        Present::new(&self.websockets)
    }

    pub(crate) fn stream(&self) -> Present {
        Present::new(&self.streams)
    }

    pub(super) fn present(&self) -> (u64, u64) {
        (self.websockets.load(Ordering::Relaxed), self.streams.load(Ordering::Relaxed))
    }
}

impl Present {
    fn new(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn millis(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.0.saturating_sub(from.0)).unwrap_or(0)
}
