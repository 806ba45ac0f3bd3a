//! Exports spans in batches. A collector that is slow, full or down costs spans, which are counted, and nothing else.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::limits;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::collector::Collector;
use super::otlp::{self, Resource};
use super::span::Span;
use super::tracer::Tracer;
use crate::outbound::post_plain;

/// Spans in one request. Beyond: the rest goes into the next.
const BATCH_MAX: usize = 512;
/// How long a span waits for others to share its batch.
const GATHER: Duration = Duration::from_secs(1);
/// How long one request may take, from connecting to the last byte of the response. Beyond: it failed.
const SEND_MAX: Duration = Duration::from_secs(5);
/// How often a batch is tried, at most. Beyond: it is lost.
const TRIES_MAX: u32 = 5;
/// The backoff after the first failure; it doubles with each.
const PAUSE: Duration = Duration::from_millis(500);

/// The result of a request.
enum Fate {
    /// The collector took the request, but rejected this many spans.
    Taken {
        rejected: u64,
    },
    /// A retry may succeed.
    TryAgain(String),
    Refused(String),
}

struct Exporter {
    tracer: Arc<Tracer>,
    collector: Collector,
    resource: Resource,
    /// Does the collector refuse or not respond? Logged once, when it begins.
    failing: bool,
}

/// The task that exports spans.
#[derive(Debug)]
pub struct Telling {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Telling {
    pub(crate) fn start(
        tracer: Arc<Tracer>,
        waiting: mpsc::Receiver<Span>,
        collector: Collector,
        resource: Resource,
    ) -> Self {
        let stop = CancellationToken::new();
        Self { task: tokio::spawn(run(tracer, waiting, collector, resource, stop.clone())), stop }
    }

    /// Exports what is left, within [`limits::SPANS_FLUSH_MAX`]. Called last in a shutdown, after the store was
    /// released to the next server, so that nothing waits for a collector.
    pub async fn finish(self) {
        self.stop.cancel();
        // An error means that the task panicked; there is nothing left to do about it.
        let _ = self.task.await;
    }
}

/// Exports until `stop`, then what is left, for a limited time.
async fn run(
    tracer: Arc<Tracer>,
    mut waiting: mpsc::Receiver<Span>,
    collector: Collector,
    resource: Resource,
    stop: CancellationToken,
) {
    let mut exporter = Exporter { tracer, collector, resource, failing: false };
    let mut batch = Vec::new();
    while !stop.is_cancelled() {
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = gather(&mut waiting, &mut batch) => {
                tokio::select! {
                    biased;
                    () = stop.cancelled() => {}
                    () = exporter.send(&batch) => batch.clear(),
                }
            }
        }
    }
    let flushed = timeout(limits::SPANS_FLUSH_MAX, async {
        loop {
            while batch.len() < BATCH_MAX
                && let Ok(span) = waiting.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() {
                return;
            }
            exporter.send_once(&batch).await;
            batch.clear();
        }
    });
    if flushed.await.is_err() {
        exporter.tracer.note_lost(batch.len() as u64);
        warn!("The collector did not take the last spans in time; they are lost");
    }
}

/// Waits for a span, then a moment for others.
async fn gather(waiting: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>) {
    if batch.is_empty() {
        waiting.recv_many(batch, BATCH_MAX).await;
    }
    let _ = timeout(GATHER, async {
        while batch.len() < BATCH_MAX {
            waiting.recv_many(batch, BATCH_MAX - batch.len()).await;
        }
    })
    .await;
}

impl Exporter {
    /// Sends a batch, with retries. Spans that were not taken are counted.
    async fn send(&mut self, batch: &[Span]) {
        let page = Bytes::from(otlp::page(&self.resource, batch));
        let mut tries = 1;
        loop {
            match self.post(page.clone()).await {
                Fate::TryAgain(_) if tries < TRIES_MAX => {
                    sleep(PAUSE * 2_u32.pow(tries - 1)).await;
                    tries += 1;
                }
                fate => return self.note(fate, batch.len() as u64),
            }
        }
    }

    async fn send_once(&mut self, batch: &[Span]) {
        let fate = self.post(Bytes::from(otlp::page(&self.resource, batch))).await;
        self.note(fate, batch.len() as u64);
    }

    fn note(&mut self, fate: Fate, spans: u64) {
        match fate {
            Fate::Taken { rejected } => {
                let rejected = rejected.min(spans);
                self.tracer.note_sent(spans - rejected);
                self.tracer.note_lost(rejected);
                if std::mem::take(&mut self.failing) {
                    info!("The collector takes spans again");
                }
            }
            Fate::TryAgain(why) | Fate::Refused(why) => {
                self.tracer.note_lost(spans);
                if !std::mem::replace(&mut self.failing, true) {
                    warn!(collector = %self.collector, error = why, "The collector takes no spans; they are lost until it does");
                }
            }
        }
    }

    async fn post(&self, page: Bytes) -> Fate {
        match timeout(SEND_MAX, self.exchange(page)).await {
            Ok(Ok(fate)) => fate,
            Ok(Err(error)) => Fate::TryAgain(error),
            Err(_) => Fate::TryAgain(format!("no answer within {} seconds", SEND_MAX.as_secs())),
        }
    }

    async fn exchange(&self, page: Bytes) -> Result<Fate, String> {
        let (status, body) = post_plain(&self.collector.address(), page).await?;
        Ok(match status {
            // A collector that took them may send no body.
            200..=299 => Fate::Taken { rejected: body.map_or(0, |body| otlp::rejected(&body)) },
            429 | 502 | 503 | 504 => Fate::TryAgain(format!("it answered {status}")),
            status => Fate::Refused(format!("it answered {status}")),
        })
    }
}
